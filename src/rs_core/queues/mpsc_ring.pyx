"""A bounded queue from many producers to one consumer. The argument for its correctness is in mpsc_ring.h."""

cimport cython
from cpython.list cimport PyList_AsTuple
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

from rs_core.interp.arguments cimport safe_repr
from rs_core.queues.bounded_ring cimport BoundedRing, refuse_empty, refuse_overlap, ring_capacity
from rs_core.interp.object_handoff cimport handoff_reference, owned
from rs_core.sync.exclusive_use cimport exclusive_enter, exclusive_leave
from rs_core.interp.type_slots cimport PyTypeObject, inquiry, traverseproc, visitproc

from rs_core.queues.bounded_ring import EMPTY, MAX_CAPACITY_ELEMENTS, Empty
from rs_core.errors import ArgumentTypeError

cdef extern from "Python.h":
    void Py_DECREF(PyObject* element) noexcept

__all__ = ["EMPTY", "MAX_CAPACITY_ELEMENTS", "Empty", "MpscRing"]

cdef object _EMPTY = EMPTY


@cython.final
@cython.trashcan(True)   # rings can contain rings, to any depth
@cython.binding(False)   # plain method descriptors: a call from Python costs two thirds of a binding one
@cython.embedsignature.format("clinic")
cdef class MpscRing(BoundedRing):
    """Pass elements from any number of producers to one consumer, through a fixed number of slots.

    The elements of each producer keep their order. Any object can be an element, also None. The elements are visible to
    the garbage collector, and are dropped with the ring.

    Args:
        capacity: The maximum number of elements, from 1 to `MAX_CAPACITY_ELEMENTS`. Memory for the next power of two,
            at least 2, is allocated immediately, 16 bytes each.

    Raises:
        ArgumentError: if the capacity is out of bounds.
        ArgumentTypeError: if the capacity is not an integer, or is a bool.
        MemoryError: if there is no memory for the slots.

    Threads:
        Any number of threads offer, one thread at a time polls, peeks and drains; they need no lock and never wait for
        each other. With the GIL two consumers at the same time share the elements; on free-threaded builds the second
        one gets a SignalOverlapError. Any thread may use `len`, `capacity`, `is_empty` and `is_full`; the result may
        already be outdated, and counts an element whose `offer` has not returned yet.

    Example:
        >>> ring = MpscRing(2)
        >>> ring.offer("a"), ring.offer(None), ring.offer("c")
        (True, True, False)
        >>> ring.peek(), ring.poll(), ring.poll(), ring.poll()
        ('a', 'a', None, EMPTY)
        >>> elements = ["d", "e", "f"]
        >>> accepted = ring.offer_batch(elements)
        >>> accepted, elements[accepted:], ring.drain()
        (2, ['f'], ['d', 'e'])
    """

    def __cinit__(self, capacity):
        self.slots = mpsc_new(ring_capacity(capacity))
        if self.slots is NULL:
            raise MemoryError(f"a ring of {capacity} elements does not fit into memory; pass a smaller capacity")

    def __dealloc__(self):
        # Weak references to the ring are already dead, so no finalizer that runs here can reach it.
        if self.slots is not NULL:
            mpsc_free(self.slots)

    def offer(self, element, /):
        """Append an element if there is room. Never blocks, never runs user code.

        Args:
            element: Any object except `EMPTY`, which means an empty ring in the result of a poll.

        Returns:
            True if the ring accepted the element, False if it is full.

        Raises:
            ArgumentError: if the element is `EMPTY`.
        """
        if element is _EMPTY:
            refuse_empty()
        return _offer(self, <PyObject*>element)

    def offer_batch(self, elements, /):
        """Append elements from a list or tuple while there is room. Never blocks, never runs user code.

        The elements are consecutive in the ring unless other producers offer at the same time.

        Args:
            elements: A list or tuple. Other iterables are refused: an element that was taken from an iterator would be
                lost if another producer takes the last slot meanwhile.

        Returns:
            How many elements the ring accepted: the first ones. If there are more, it was full.

        Raises:
            ArgumentTypeError: if `elements` is not a list or tuple.
            ArgumentError: if an element is `EMPTY`; the elements before it stay in the ring.
        """
        cdef tuple batch
        cdef Py_ssize_t accepted = 0
        if isinstance(elements, list):
            batch = PyList_AsTuple(elements)
        elif isinstance(elements, tuple):
            batch = <tuple>elements
        else:
            raise ArgumentTypeError(
                f"MpscRing.offer_batch(elements) needs a list or tuple, got {safe_repr(elements)} "
                f"({type(elements).__name__}); another producer may take the slot of an element of an iterator, "
                "so pass a list, or use offer for each element"
            )
        for element in batch:
            if element is _EMPTY:
                refuse_empty()
            if not _offer(self, <PyObject*>element):
                break
            accepted += 1
        return accepted

    def poll(self):
        """Take the oldest element out. Never blocks, never runs user code.

        Returns:
            The element, or `EMPTY` if there is none, or if the `offer` of the next one is not finished.

        Raises:
            SignalOverlapError: if another thread is the consumer at this moment, on free-threaded builds.
        """
        if not exclusive_enter(self.consumer):
            refuse_overlap(self, "poll", "consumer")
        cdef PyObject* element = mpsc_poll(self.slots)
        exclusive_leave(self.consumer)
        return _EMPTY if element is NULL else owned(element)

    def peek(self):
        """Return the oldest element and leave it in the ring. Never blocks, never runs user code.

        Returns:
            The element, or `EMPTY` as for `poll`.

        Raises:
            SignalOverlapError: if another thread is the consumer at this moment, on free-threaded builds.
        """
        if not exclusive_enter(self.consumer):
            refuse_overlap(self, "peek", "consumer")
        cdef PyObject* element = mpsc_peek(self.slots)
        cdef object result = _EMPTY if element is NULL else <object>element
        exclusive_leave(self.consumer)
        return result

    cdef Py_ssize_t take(self, PyObject** into, Py_ssize_t limit) noexcept:
        cdef Py_ssize_t taken = 0
        cdef PyObject* element
        while taken < limit:
            element = mpsc_poll(self.slots)
            if element is NULL:
                break
            into[taken] = element
            taken += 1
        return taken

    cdef uint64_t size(self) noexcept:
        return mpsc_size(self.slots)

    cdef uint64_t most(self) noexcept:
        return mpsc_capacity(self.slots)

    cdef size_t allocated_bytes(self) noexcept:
        return mpsc_allocated_bytes(self.slots)


cdef inline bint _offer(MpscRing ring, PyObject* element) noexcept:
    # The reference is counted before the element is visible: the consumer may drop it immediately. The ring is never
    # busy or closed, because this class cannot evict or close.
    cdef PyObject* reference = handoff_reference(element)
    cdef bint accepted = mpsc_offer(ring.slots, reference) == MPSC_ACCEPTED
    if not accepted:
        Py_DECREF(reference)  # the caller has a reference too, so nothing is freed here
    return accepted


# The collector sees the elements through these. MpscRing is final, so no other type inherits them.
cdef traverseproc _cython_traverse = (<PyTypeObject*>MpscRing).tp_traverse
cdef inquiry _cython_clear = (<PyTypeObject*>MpscRing).tp_clear


cdef int _traverse(PyObject* self, visitproc visit, void* argument) noexcept:
    cdef int stop = _cython_traverse(self, visit, argument)
    if stop or (<MpscRing>self).slots is NULL:
        return stop
    return mpsc_traverse((<MpscRing>self).slots, visit, argument)


cdef int _clear(PyObject* self) noexcept:
    if (<MpscRing>self).slots is not NULL:
        mpsc_clear((<MpscRing>self).slots)
    return _cython_clear(self)


(<PyTypeObject*>MpscRing).tp_traverse = _traverse
(<PyTypeObject*>MpscRing).tp_clear = _clear
