"""A bounded queue from one producer to one consumer. The argument for its correctness is in spsc_ring.h."""

cimport cython
from cpython.list cimport PyList_New
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.arguments cimport as_count, shown
from rs_core.object_handoff cimport handoff_reference, owned
from rs_core.role cimport role_enter, role_leave
from rs_core.type_slots cimport PyTypeObject, inquiry, traverseproc, visitproc

import enum
from types import GenericAlias

from rs_core.errors import ArgumentError, ArgumentTypeError, CapacityError, SignalOverlapError

cdef extern from "Python.h":
    void Py_DECREF(PyObject* element) noexcept
    void Py_SET_SIZE(list elements, Py_ssize_t size) noexcept
    void PyList_SET_ITEM(list elements, Py_ssize_t index, PyObject* stolen) noexcept

__all__ = ["EMPTY", "MAX_CAPACITY_ELEMENTS", "Empty", "SpscRing"]

MAX_CAPACITY_ELEMENTS = MAX_RING_CAPACITY_ELEMENTS


class Empty(enum.Enum):
    """The type of `EMPTY`, for annotations: `element: int | Empty`."""

    EMPTY = "empty"

    def __repr__(self):
        return "EMPTY"


EMPTY = Empty.EMPTY
cdef object _EMPTY = EMPTY
cdef object _EXHAUSTED = object()


cdef int64_t ring_capacity(object capacity) except -1:
    """Return the capacity of a ring in elements; raises an ArgumentError or ArgumentTypeError that tells the bounds."""
    return as_count(capacity, "capacity", 1, MAX_RING_CAPACITY_ELEMENTS)


@cython.final
@cython.trashcan(True)   # rings may lie in rings, any number deep
@cython.binding(False)   # plain method descriptors: a call from Python costs two thirds of a binding one
@cython.embedsignature.format("clinic")
cdef class SpscRing:
    """Hand elements from one producer to one consumer, in order, through a fixed number of slots.

    Any object is an element, None included. What lies in the ring is visible to the garbage collector, and is dropped
    with the ring.

    Args:
        capacity: The most elements that it holds, from 1 to `MAX_CAPACITY_ELEMENTS`. Memory for the next power of two
            is set aside at once, 8 bytes each.

    Raises:
        ArgumentError: if the capacity is out of bounds.
        ArgumentTypeError: if the capacity is no integer, or a bool.
        MemoryError: if there is no memory for the slots.

    Threads:
        One thread at a time offers, one thread at a time polls, peeks and drains; both at once need no lock and never
        wait for each other. With the GIL a second producer or consumer merely mixes up who gets what; on free-threaded
        builds it gets a SignalOverlapError. `len`, `capacity`, `is_empty` and `is_full` may be asked from any thread;
        the answer may be outdated on arrival.

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
        # Weak references to the ring are dead already, so no finalizer that runs here can reach it.
        if self.slots is not NULL:
            spsc_free(self.slots)

    @classmethod
    def __class_getitem__(cls, element_type, /):
        """Return `SpscRing[element_type]`, for annotations."""
        return GenericAlias(cls, element_type)

    def offer(self, element, /):
        """Append an element if there is room. Never blocks, never runs user code.

        Args:
            element: Any object but `EMPTY`, which could not be told from "nothing there" when polled.

        Returns:
            True if the ring took the element, False if it is full.

        Raises:
            ArgumentError: if the element is `EMPTY`.
        """
        if element is _EMPTY:
            raise _no_element()
        if not role_enter(self.producer):
            raise _overlap("offer", "producer")
        # The reference is counted before the element is visible: the consumer may drop it at once.
        cdef PyObject* reference = handoff_reference(<PyObject*>element)
        cdef bint accepted = spsc_offer(self.slots, reference)
        role_leave(self.producer)
        if not accepted:
            Py_DECREF(reference)  # the caller has one too, so nothing is freed here
        return accepted

    def offer_batch(self, elements, /):
        """Append elements from an iterable while there is room. Always runs user code: the iterator.

        An element is taken from the iterator only when there is a slot for it, so that after a full ring the same
        iterator goes on where it stopped. If it raises, what was offered before stays in the ring.

        Args:
            elements: An iterable; its iterator must not offer to this ring itself.

        Returns:
            How many elements the ring took. Fewer than there are means that it is full.

        Raises:
            ArgumentTypeError: if `elements` is not iterable.
            ArgumentError: if an element is `EMPTY`.
            CapacityError: if the iterator filled the ring itself; its element is lost.
        """
        cdef object iterator, element
        cdef Py_ssize_t accepted = 0
        try:
            iterator = iter(elements)
        except TypeError as error:
            raise ArgumentTypeError(
                f"offer_batch(elements) needs an iterable, got {shown(elements)} ({type(elements).__name__}); "
                "use offer for one element"
            ) from error
        while _has_room(self):
            element = next(iterator, _EXHAUSTED)
            if element is _EXHAUSTED:
                break
            if not self.offer(element):
                raise CapacityError(
                    f"the iterator of offer_batch filled the ring of {spsc_capacity(self.slots)} elements itself, "
                    f"so {shown(element)} is lost; offer from one place only"
                )
            accepted += 1
        return accepted

    def poll(self):
        """Take the oldest element out. Never blocks, never runs user code.

        Returns:
            The element, or `EMPTY` if there is none.
        """
        if not role_enter(self.consumer):
            raise _overlap("poll", "consumer")
        cdef PyObject* element = spsc_poll(self.slots)
        role_leave(self.consumer)
        return _EMPTY if element is NULL else owned(element)

    def peek(self):
        """Return the oldest element and leave it in the ring. Never blocks, never runs user code.

        Returns:
            The element, or `EMPTY` if there is none.
        """
        if not role_enter(self.consumer):
            raise _overlap("peek", "consumer")
        cdef PyObject* element = spsc_peek(self.slots)
        cdef object result = _EMPTY if element is NULL else <object>element
        role_leave(self.consumer)
        return result

    def drain(self, limit=None):
        """Take elements out, oldest first. Never blocks, never runs user code.

        Args:
            limit: The most to take, at least 0; by default the capacity.

        Returns:
            A list of what was there when the call began, at most `limit` elements.

        Raises:
            ArgumentError: if `limit` is negative.
            ArgumentTypeError: if `limit` is no integer.
        """
        cdef Py_ssize_t count = min(_limit(self, limit), <int64_t>spsc_size(self.slots))
        cdef list elements = PyList_New(count)
        cdef Py_ssize_t index = 0
        cdef PyObject* element
        if not role_enter(self.consumer):
            Py_SET_SIZE(elements, 0)  # its slots are NULL
            raise _overlap("drain", "consumer")
        while index < count:
            element = spsc_poll(self.slots)
            if element is NULL:  # making the list ran the collector, and a finalizer polled
                Py_SET_SIZE(elements, index)
                break
            PyList_SET_ITEM(elements, index, element)
            index += 1
        role_leave(self.consumer)
        return elements

    def drain_to(self, receiver, /, *, limit=None):
        """Pass elements to a callable, oldest first, until the ring is empty. Always runs user code: the callable.

        Each element is out of the ring when the callable gets it. If the callable raises, that element is gone and the
        others stay.

        Args:
            receiver: A callable with one parameter. It may offer to this ring and poll it.
            limit: The most to pass, at least 0; by default the capacity, so that the call ends however fast a producer
                refills.

        Returns:
            How many elements were passed.

        Raises:
            ArgumentError: if `limit` is negative.
            ArgumentTypeError: if `receiver` is not callable or `limit` is no integer.
        """
        cdef int64_t remaining = _limit(self, limit)
        cdef Py_ssize_t passed = 0
        cdef object element
        if not callable(receiver):
            raise ArgumentTypeError(
                f"drain_to(receiver) needs a callable, got {shown(receiver)} ({type(receiver).__name__}); "
                "use drain for a list"
            )
        while passed < remaining:
            element = self.poll()
            if element is _EMPTY:
                break
            receiver(element)
            passed += 1
        return passed

    @property
    def capacity(self):
        """The most elements that the ring holds."""
        return spsc_capacity(self.slots)

    @property
    def is_empty(self):
        """Whether there is no element."""
        return spsc_size(self.slots) == 0

    @property
    def is_full(self):
        """Whether there is no room."""
        return spsc_size(self.slots) >= spsc_capacity(self.slots)

    def __len__(self):
        return spsc_size(self.slots)

    def __sizeof__(self):
        return object.__sizeof__(self) + spsc_allocated_bytes(self.slots)

    def __repr__(self):
        return f"SpscRing({spsc_size(self.slots)} of {spsc_capacity(self.slots)} elements)"


cdef bint _has_room(SpscRing ring) except -1:
    if not role_enter(ring.producer):
        raise _overlap("offer_batch", "producer")
    cdef bint room = spsc_free_slots(ring.slots) > 0
    role_leave(ring.producer)
    return room


cdef int64_t _limit(SpscRing ring, object limit) except -1:
    return <int64_t>spsc_capacity(ring.slots) if limit is None else as_count(limit, "limit", 0, INT64_MAX)


cdef object _no_element():
    return ArgumentError(
        "EMPTY is no element: it is what poll() returns for an empty ring; offer another object, such as None"
    )


cdef object _overlap(str method, str role):
    return SignalOverlapError(
        f"§1.3: SpscRing.{method} ran while another thread was {role} of the same ring; "
        f"let one thread at a time be its {role}"
    )


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
