# Demand as a number: how many elements were requested and not yet delivered.
#
# Roles        any thread adds and cancels; only the drainer (the holder of the token, stream/subscription.pyx) takes.
# Invariants   I1  0 <= value <= UNBOUNDED, or value == CANCELLED.
#              I2  UNBOUNDED is final except for cancel; CANCELLED is final. Neither add nor take changes them.
#              I3  a take never exceeds what the same thread has read before, so value stays >= 0.
# Ordering     add: seq_cst. It is one half of a store-buffer pair (Dekker): the requester adds, then
#              reads the state word; the drainer clears MISSED in the state word, then reads the demand.
#              At least one sees the other's write, otherwise a request would be lost and the stream would
#              stall. So the two reads are seq_cst loads too: with a weaker one, a processor may read first
#              and write later.
#              take: relaxed. Its result is published by the CAS with which the drainer goes idle.
#              take_up_to: acquire, pairs with add: for takers that have no state word.
#              cancel: acq_rel. A thread that sees CANCELLED sees the earlier writes of the canceller.
#              tests/interleavings/test_drain_model.py explores the pair, with each half weakened.
# Progress     add, take: lock-free; a CAS fails only because another thread's add, take or cancel succeeded, or
#              spuriously on processors with load-linked. cancel: wait-free where the processor exchanges in one step.
# Overflow     the sum saturates at UNBOUNDED = 2**63 - 1, which rule 3.17 allows to mean "no limit".
#              A value that comes back (ABA) is harmless: it is a count, and equal counts mean the same.

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t

from rs_core.sync.atomics cimport atomic_int64, gil_int64

cdef inline int64_t unbounded_demand() noexcept nogil:
    return INT64_MAX


cdef inline int64_t cancelled_demand() noexcept nogil:
    return INT64_MIN


cdef extern from "demand_word.h" nogil:
    int64_t demand_add "rs_demand_add"(atomic_int64& demand, int64_t n) noexcept
    int64_t demand_take "rs_demand_take"(atomic_int64& demand, int64_t n) noexcept
    int64_t demand_take_up_to "rs_demand_take_up_to"(atomic_int64& demand, int64_t n) noexcept
    bint demand_cancel "rs_demand_cancel"(atomic_int64& demand) noexcept

# The same for a word that is changed while the GIL is held.
cdef extern from "demand_word.h":
    int64_t demand_add "rs_demand_add"(gil_int64& demand, int64_t n) noexcept
    int64_t demand_take "rs_demand_take"(gil_int64& demand, int64_t n) noexcept
    int64_t demand_take_up_to "rs_demand_take_up_to"(gil_int64& demand, int64_t n) noexcept


cdef int64_t as_demand(object n) except? -1
cdef object invalid_request(object n)


cdef class Demand:
    cdef atomic_int64 value_word   # for the functions above
    cdef object __weakref__
