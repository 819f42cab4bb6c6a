# A stage with a bounded queue at its input: base of everything that separates its input from its output.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

from rs_core.sync.atomics cimport gil_uint32
from rs_core.stream.subscription cimport DemandOwner
from rs_core.queues.spsc_ring cimport SpscRing, SpscSlots

cdef class QueueStage(DemandOwner):
    cdef SpscRing queue                  # producer: holder of the upstream token; consumer: holder of ours
    cdef SpscSlots* slots                # borrowed from queue
    cdef int64_t prefetch
    cdef int64_t replenish_at            # consumed elements that are replenished by one request
    cdef int64_t consumed                # since the last request; drainer
    cdef gil_uint32 input_ended       # written by the holder of the upstream token, after input_error
    cdef object input_error
    cdef int64_t saved_size              # elements of the queue that the last save wrote, or the load read
    cdef bint saved_end                  # whether the end of the input was among it

    cdef PyObject* poll(self) noexcept               # drainer: the next element (owned), NULL: none; replenishes
    cdef bint finish_if_ended(self) noexcept         # drainer: note the end if the input ended and nothing is left
    cdef int on_input_end(self) noexcept             # drainer: the input ended and nothing is left
    cdef int _end_input(self, object error) noexcept
    cdef int save_queue(self, object writer) except -1
    cdef int load_queue(self, object reader) except -1


# What a save writes of a ring, and of the end after it.
cdef int64_t write_signals(object writer, SpscSlots* slots, bint has_ended, object error) except -1
cdef SpscRing read_elements(object reader, SpscRing ring)
cdef list elements_in(SpscSlots* slots)
cdef SpscRing ring_with(list elements, SpscRing ring)
cdef object read_error(object reader)   # what it ended with, or None
