# A priority queue with removal of any element, in which equal elements keep their order. See stable_heap.pyx.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef struct HeapEntry:
    int64_t key
    int64_t tie         # between equal keys
    int64_t arrival     # between equal ties
    PyObject* element   # owned


cdef class HeapElement:
    cdef Py_ssize_t heap_place    # counted from 1; 0: in no heap


cdef class StableHeap:
    cdef HeapEntry* entries
    cdef Py_ssize_t room, count
    cdef int64_t arrivals
    cdef object _known_to_collector   # None: see type_slots.pxd

    # The element must be in no heap. An arrival below 0 means after all with the same key and tie; it is returned.
    cdef int64_t insert(self, HeapElement element, int64_t key, int64_t tie, int64_t arrival) except -1
    cdef HeapElement take_first(self)                    # the heap is not empty
    cdef bint take_out(self, HeapElement element) noexcept   # whether it was in a heap, which must be this one
    cdef int require_some(self, str operation) except -1
    cdef int make_room(self) except -1
    cdef void sift_up(self, Py_ssize_t place) noexcept
    cdef void sift_down(self, Py_ssize_t place) noexcept
    cdef void put(self, Py_ssize_t place, const HeapEntry* entry) noexcept
    cdef void release_all(self) noexcept
