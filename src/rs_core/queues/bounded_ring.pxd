# The base of the rings: the check of a capacity, and the methods that need not be fast.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from rs_core.sync.exclusive_use cimport ExclusiveUse

cdef enum:
    MAX_RING_CAPACITY_ELEMENTS = 16777216   # 2**24


cdef int64_t ring_capacity(object capacity) except -1                # checks a public `capacity` argument

cdef object refuse_empty()                                           # raises: EMPTY cannot be an element
cdef object refuse_overlap(object ring, str method, str role)        # raises: another thread has this role


# No attribute here is an object: a base that the collector tracks is torn down after its subclass, so weak references
# would outlive the slots, and the collector would visit a ring whose slots are freed.
cdef class BoundedRing:
    cdef ExclusiveUse consumer

    # Consumer: move up to `limit` elements, oldest first, into C memory, which then owns them; return how many.
    cdef Py_ssize_t take(self, PyObject** into, Py_ssize_t limit) noexcept
    # Any thread.
    cdef uint64_t size(self) noexcept
    cdef uint64_t most(self) noexcept
    cdef size_t allocated_bytes(self) noexcept
