# A bounded queue of object pointers from one producer to one consumer. Roles and the argument are in spsc_ring.h.

from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

from rs_core.queues.bounded_ring cimport BoundedRing
from rs_core.sync.exclusive_use cimport ExclusiveUse
from rs_core.interp.type_slots cimport visitproc


cdef extern from "queues/spsc_ring.h" nogil:
    ctypedef struct SpscSlots:
        pass

    SpscSlots* spsc_new(uint64_t capacity) noexcept                  # NULL: out of memory
    bint spsc_offer(SpscSlots* ring, PyObject* element) noexcept     # steals if it returns True
    uint64_t spsc_free_slots(SpscSlots* ring) noexcept               # producer
    PyObject* spsc_poll(SpscSlots* ring) noexcept                    # owned; NULL: empty
    PyObject* spsc_peek(SpscSlots* ring) noexcept                    # borrowed; NULL: empty
    uint64_t spsc_size(const SpscSlots* ring) noexcept
    uint64_t spsc_capacity(const SpscSlots* ring) noexcept
    size_t spsc_allocated_bytes(const SpscSlots* ring) noexcept

cdef extern from "queues/spsc_ring.h":
    int spsc_traverse(SpscSlots* ring, visitproc visit, void* argument) noexcept
    void spsc_clear(SpscSlots* ring) noexcept                        # runs finalizers
    void spsc_free(SpscSlots* ring) noexcept                         # runs finalizers


cdef class SpscRing(BoundedRing):
    cdef SpscSlots* slots
    cdef ExclusiveUse producer
    cdef object _known_to_collector   # None: see type_slots.pxd
    cdef object __weakref__
