"""The base of `SpscRing` and `MpscRing`, which define the hot methods themselves, over their own C rings."""

cimport cython
from cpython.list cimport PyList_New
from cpython.object cimport PyObject
from libc.stdint cimport INT64_MAX, int64_t, uint64_t

from rs_core.interp.arguments cimport as_count, safe_repr
from rs_core.interp.object_handoff cimport owned
from rs_core.sync.exclusive_use cimport exclusive_enter, exclusive_leave

import enum
from types import GenericAlias

from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.errors import ArgumentError, ArgumentTypeError, SignalOverlapError

cdef extern from "Python.h":
    void Py_SET_SIZE(list elements, Py_ssize_t size) noexcept
    PyObject** PySequence_Fast_ITEMS(list elements) noexcept

__all__ = ["EMPTY", "MAX_CAPACITY_ELEMENTS", "BoundedRing", "Empty"]

MAX_CAPACITY_ELEMENTS = MAX_RING_CAPACITY_ELEMENTS


class Empty(enum.Enum):
    """The type of `EMPTY`, for annotations: `element: int | Empty`."""

    EMPTY = "empty"

    def __repr__(self):
        return "EMPTY"


EMPTY = Empty.EMPTY
cdef object _EMPTY = EMPTY


cdef int64_t ring_capacity(object capacity) except -1:
    """Return the capacity of a ring in elements; raises an ArgumentError or ArgumentTypeError that names the bounds."""
    return as_count(capacity, "capacity", 1, MAX_RING_CAPACITY_ELEMENTS)


cdef object refuse_empty():
    raise ArgumentError(
        "EMPTY cannot be an element: poll() returns it for an empty ring; offer another object, such as None"
    )


cdef object refuse_overlap(object ring, str method, str role):
    raise SignalOverlapError(
        f"§1.3: {type(ring).__name__}.{method} ran while another thread was {role} of the same ring; "
        f"let one thread at a time be its {role}"
    )


@cython.binding(False)   # plain method descriptors: a call from Python costs two thirds of a binding one
@cython.embedsignature.format("clinic")
cdef class BoundedRing:
    """The base of the rings. It has no elements and is not a base for other classes; use one of the rings.

    Raises:
        TypeError: always.
    """

    def __cinit__(self, *arguments, **named):
        if type(self) is BoundedRing:
            raise TypeError("BoundedRing is only the base of the rings; make an SpscRing or an MpscRing")

    @classmethod
    def __class_getitem__(cls, element_type, /):
        """Return the class for elements of this type, for annotations."""
        return GenericAlias(cls, element_type)

    # A class that is derived nevertheless is a ring without capacity.
    cdef Py_ssize_t take(self, PyObject** into, Py_ssize_t limit) noexcept:
        return 0

    cdef uint64_t size(self) noexcept:
        return 0

    cdef uint64_t most(self) noexcept:
        return 0

    cdef size_t allocated_bytes(self) noexcept:
        return 0

    def drain(self, limit=None):
        """Take elements out, oldest first. Never blocks, never runs user code.

        Args:
            limit: The maximum of elements to take, from 0; by default the capacity.

        Returns:
            A list of the elements at the start of the call, at most `limit`.

        Raises:
            ArgumentError: if `limit` is negative.
            ArgumentTypeError: if `limit` is not an integer.
            SignalOverlapError: if another thread is the consumer at this moment, on free-threaded builds.
        """
        cdef Py_ssize_t count = min(_limit(self, limit), <int64_t>self.size())
        cdef list elements = PyList_New(count)
        cdef Py_ssize_t taken
        if not exclusive_enter(self.consumer):
            Py_SET_SIZE(elements, 0)  # its slots are NULL
            refuse_overlap(self, "drain", "consumer")
        taken = self.take(PySequence_Fast_ITEMS(elements), count)
        exclusive_leave(self.consumer)
        if taken < count:  # a finalizer polled while the list was made, or an offer has not returned
            Py_SET_SIZE(elements, taken)
        return elements

    def drain_to(self, receiver, /, *, limit=None):
        """Pass elements to a callable, oldest first, until the ring is empty. Always runs user code: the callable.

        Each element is removed from the ring before the callable gets it. If the callable raises, that element is lost
        and the others stay.

        Args:
            receiver: A callable with one parameter. It may offer to this ring and poll it.
            limit: The maximum of elements to pass, from 0; by default the capacity, so that the call ends even if a
                producer refills the ring.

        Returns:
            The number of passed elements.

        Raises:
            ArgumentError: if `limit` is negative.
            ArgumentTypeError: if `receiver` is not callable or `limit` is not an integer.
            SignalOverlapError: if another thread is the consumer at this moment, on free-threaded builds.
        """
        cdef int64_t remaining = _limit(self, limit)
        cdef Py_ssize_t passed = 0, taken
        cdef PyObject* element = NULL
        if not callable(receiver):
            raise ArgumentTypeError(
                f"drain_to(receiver) needs a callable, got {safe_repr(receiver)} ({type(receiver).__name__}); "
                "use drain for a list"
            )
        refuse_deferred(receiver, "drain_to(receiver)", "use drain for a list, and await for each element of it")
        while passed < remaining:
            if not exclusive_enter(self.consumer):
                refuse_overlap(self, "drain_to", "consumer")
            taken = self.take(&element, 1)
            exclusive_leave(self.consumer)
            if taken == 0:
                break
            receiver(owned(element))
            passed += 1
        return passed

    @property
    def capacity(self):
        """The maximum number of elements."""
        return self.most()

    @property
    def is_empty(self):
        """Whether the ring is empty."""
        return self.size() == 0

    @property
    def is_full(self):
        """Whether the ring is full."""
        return self.size() >= self.most()

    def __len__(self):
        return self.size()

    def __sizeof__(self):
        return object.__sizeof__(self) + self.allocated_bytes()

    def __repr__(self):
        return f"{type(self).__name__}({self.size()} of {self.most()} elements)"


cdef int64_t _limit(BoundedRing ring, object limit) except -1:
    return <int64_t>ring.most() if limit is None else as_count(limit, "limit", 0, INT64_MAX)
