"""A bounded queue from one producer to one consumer. The argument for its correctness is in spsc_ring.h."""

cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

from rs_core.interp.arguments cimport safe_repr
from rs_core.queues.bounded_ring cimport BoundedRing, refuse_empty, refuse_overlap, ring_capacity
from rs_core.interp.object_handoff cimport handoff_reference, owned
from rs_core.sync.exclusive_use cimport exclusive_enter, exclusive_leave
from rs_core.interp.type_slots cimport PyTypeObject, inquiry, traverseproc, visitproc

from rs_core.queues.bounded_ring import EMPTY, MAX_CAPACITY_ELEMENTS, Empty
from rs_core.errors import ArgumentTypeError, CapacityError

cdef extern from "Python.h":
    void Py_DECREF(PyObject* element) noexcept

__all__ = ["EMPTY", "MAX_CAPACITY_ELEMENTS", "Empty", "SpscRing"]

cdef object _EMPTY = EMPTY
cdef object _EXHAUSTED = object()


@cython.final
@cython.trashcan(True)   # rings can contain rings, to any depth
@cython.binding(False)   # plain method descriptors: a call from Python costs two thirds of a binding one
@cython.embedsignature.format("clinic")
cdef class SpscRing(BoundedRing):
    """Pass elements from one producer to one consumer, in order, through a fixed number of slots.

    Any object can be an element, also None. The elements are visible to the garbage collector, and are dropped with the
    ring.

    Args:
        capacity: The maximum number of elements, from 1 to `MAX_CAPACITY_ELEMENTS`. Memory for the next power of two is
            allocated immediately, 8 bytes each.

    Raises:
        ArgumentError: if the capacity is out of bounds.
        ArgumentTypeError: if the capacity is not an integer, or is a bool.
        MemoryError: if there is no memory for the slots.

    Threads:
        One thread at a time offers, one thread at a time polls, peeks and drains; they need no lock and never wait for
        each other. With the GIL two producers or consumers at the same time only mix their elements; on free-threaded
        builds the second one gets a SignalOverlapError. Any thread may use `len`, `capacity`, `is_empty` and `is_full`;
        the result may already be outdated.

    Example:
        >>> ring = SpscRing(2)
        >>> ring.offer("a"), ring.offer(None), ring.offer("c")
        (True, True, False)
        >>> ring.peek(), ring.poll(), ring.poll(), ring.poll()
        ('a', 'a', None, EMPTY)
        >>> elements = iter(range(5))
        >>> ring.offer_batch(elements), ring.drain(), next(elements)
        (2, [0, 1], 2)
    """

    def __cinit__(self, capacity):
        self.slots = spsc_new(ring_capacity(capacity))
        if self.slots is NULL:
            raise MemoryError(f"a ring of {capacity} elements does not fit into memory; pass a smaller capacity")

    def __dealloc__(self):
        # Weak references to the ring are already dead, so no finalizer that runs here can reach it.
        if self.slots is not NULL:
            spsc_free(self.slots)

    def offer(self, element, /):
        """Append an element if there is room. Never blocks, never runs user code.

        Args:
            element: Any object except `EMPTY`, which means an empty ring in the result of a poll.

        Returns:
            True if the ring accepted the element, False if it is full.

        Raises:
            ArgumentError: if the element is `EMPTY`.
            SignalOverlapError: if another thread is the producer at this moment, on free-threaded builds.
        """
        if element is _EMPTY:
            refuse_empty()
        if not exclusive_enter(self.producer):
            refuse_overlap(self, "offer", "producer")
        # The reference is counted before the element is visible: the consumer may drop it immediately.
        cdef PyObject* reference = handoff_reference(<PyObject*>element)
        cdef bint accepted = spsc_offer(self.slots, reference)
        exclusive_leave(self.producer)
        if not accepted:
            Py_DECREF(reference)  # the caller has a reference too, so nothing is freed here
        return accepted

    def offer_batch(self, elements, /):
        """Append elements from an iterable while there is room. Always runs user code: the iterator.

        An element is taken from the iterator only if there is a slot for it, so that after a full ring the same
        iterator can continue. If it raises, the elements before stay in the ring.

        Args:
            elements: An iterable; its iterator must not offer to this ring itself.

        Returns:
            How many elements the ring accepted. If there are more, it is full.

        Raises:
            ArgumentTypeError: if `elements` is not iterable.
            ArgumentError: if an element is `EMPTY`.
            CapacityError: if the iterator filled the ring itself; its element is lost.
            SignalOverlapError: if another thread is the producer at this moment, on free-threaded builds.
        """
        cdef object iterator, element
        cdef Py_ssize_t accepted = 0
        try:
            iterator = iter(elements)
        except TypeError as error:
            raise ArgumentTypeError(
                f"offer_batch(elements) needs an iterable, got {safe_repr(elements)} ({type(elements).__name__}); "
                "use offer for one element"
            ) from error
        while _has_room(self):
            element = next(iterator, _EXHAUSTED)
            if element is _EXHAUSTED:
                break
            if not self.offer(element):
                raise CapacityError(
                    f"the iterator of offer_batch filled the ring of {spsc_capacity(self.slots)} elements itself, "
                    f"so {safe_repr(element)} is lost; offer from one place only"
                )
            accepted += 1
        return accepted

    def poll(self):
        """Take the oldest element out. Never blocks, never runs user code.

        Returns:
            The element, or `EMPTY` if there is none.

        Raises:
            SignalOverlapError: if another thread is the consumer at this moment, on free-threaded builds.
        """
        if not exclusive_enter(self.consumer):
            refuse_overlap(self, "poll", "consumer")
        cdef PyObject* element = spsc_poll(self.slots)
        exclusive_leave(self.consumer)
        return _EMPTY if element is NULL else owned(element)

    def peek(self):
        """Return the oldest element and leave it in the ring. Never blocks, never runs user code.

        Returns:
            The element, or `EMPTY` if there is none.

        Raises:
            SignalOverlapError: if another thread is the consumer at this moment, on free-threaded builds.
        """
        if not exclusive_enter(self.consumer):
            refuse_overlap(self, "peek", "consumer")
        cdef PyObject* element = spsc_peek(self.slots)
        cdef object result = _EMPTY if element is NULL else <object>element
        exclusive_leave(self.consumer)
        return result

    cdef Py_ssize_t take(self, PyObject** into, Py_ssize_t limit) noexcept:
        cdef Py_ssize_t taken = 0
        cdef PyObject* element
        while taken < limit:
            element = spsc_poll(self.slots)
            if element is NULL:
                break
            into[taken] = element
            taken += 1
        return taken

    cdef uint64_t size(self) noexcept:
        return spsc_size(self.slots)

    cdef uint64_t most(self) noexcept:
        return spsc_capacity(self.slots)

    cdef size_t allocated_bytes(self) noexcept:
        return spsc_allocated_bytes(self.slots)


cdef bint _has_room(SpscRing ring) except -1:
    if not exclusive_enter(ring.producer):
        refuse_overlap(ring, "offer_batch", "producer")
    cdef bint room = spsc_free_slots(ring.slots) > 0
    exclusive_leave(ring.producer)
    return room


# The collector sees the elements through these. SpscRing is final, so no other type inherits them.
cdef traverseproc _cython_traverse = (<PyTypeObject*>SpscRing).tp_traverse
cdef inquiry _cython_clear = (<PyTypeObject*>SpscRing).tp_clear


cdef int _traverse(PyObject* self, visitproc visit, void* argument) noexcept:
    cdef int stop = _cython_traverse(self, visit, argument)
    if stop or (<SpscRing>self).slots is NULL:
        return stop
    return spsc_traverse((<SpscRing>self).slots, visit, argument)


cdef int _clear(PyObject* self) noexcept:
    if (<SpscRing>self).slots is not NULL:
        spsc_clear((<SpscRing>self).slots)
    return _cython_clear(self)


(<PyTypeObject*>SpscRing).tp_traverse = _traverse
(<PyTypeObject*>SpscRing).tp_clear = _clear
