# A bounded queue of object pointers from many producers to one consumer. Roles and the argument are in mpsc_ring.h.

from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

from rs_core.queues.bounded_ring cimport BoundedRing
from rs_core.interp.type_slots cimport visitproc


cdef extern from "queues/mpsc_ring.h" nogil:
    ctypedef struct MpscSlots:
        pass

    enum:
        MPSC_ACCEPTED
        MPSC_FULL
        MPSC_BUSY                                                    # temporarily full: another thread is evicting
        MPSC_CLOSED

    MpscSlots* mpsc_new(uint64_t capacity) noexcept                  # NULL: out of memory
    int mpsc_offer(MpscSlots* ring, PyObject* element) noexcept      # steals if it returns MPSC_ACCEPTED
    bint mpsc_close(MpscSlots* ring) noexcept                        # True: this call closed it
    bint mpsc_is_closed(const MpscSlots* ring) noexcept
    PyObject* mpsc_poll(MpscSlots* ring) noexcept                    # owned; NULL: empty; while no thread evicts
    PyObject* mpsc_evict(MpscSlots* ring) noexcept                   # owned; NULL: empty; any thread
    PyObject* mpsc_peek(MpscSlots* ring) noexcept                    # borrowed; NULL: empty; while no thread evicts
    bint mpsc_is_idle(const MpscSlots* ring) noexcept
    uint64_t mpsc_size(const MpscSlots* ring) noexcept
    uint64_t mpsc_capacity(const MpscSlots* ring) noexcept
    size_t mpsc_allocated_bytes(const MpscSlots* ring) noexcept

cdef extern from "queues/mpsc_ring.h":
    int mpsc_traverse(MpscSlots* ring, visitproc visit, void* argument) noexcept
    void mpsc_clear(MpscSlots* ring) noexcept                        # runs finalizers
    void mpsc_free(MpscSlots* ring) noexcept                         # runs finalizers


cdef class MpscRing(BoundedRing):
    cdef MpscSlots* slots
    cdef object _known_to_collector   # None: see type_slots.pxd
    cdef object __weakref__
