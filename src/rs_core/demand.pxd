# Demand as a number: how many elements were requested and not yet delivered.
#
# Roles        any thread adds and cancels; only the drainer (the holder of the token, stage.pxd) takes.
# Invariants   I1  0 <= value <= UNBOUNDED, or value == CANCELLED.
#              I2  UNBOUNDED is final but for cancel; CANCELLED is final. Neither add nor take changes them.
#              I3  a take never exceeds what the same thread has read before, so value stays >= 0.
# Ordering     add: seq_cst. It is one half of a store-buffer pair (Dekker): the requester adds, then
#              looks at the state word; the drainer clears MISSED in the state word, then reads the demand.
#              One of both sees the other, else a request would be lost and the stream would stall. So the
#              two looks are seq_cst loads too: with a weaker one, a processor may look first and write later.
#              take: relaxed. Its result is published by the CAS with which the drainer goes idle.
#              take_up_to: acquire, pairs with add: for takers that have no state word.
#              cancel: acq_rel. Who sees CANCELLED sees what the canceller wrote before.
#              tests/interleavings/test_drain_model.py explores the pair, with each half weakened.
# Progress     add, take: lock-free; a CAS fails only because another thread's add, take or cancel succeeded, or
#              spuriously on processors with load-linked. cancel: wait-free where the processor exchanges in one step.
# Overflow     the sum saturates at UNBOUNDED = 2**63 - 1, which rule 3.17 allows to mean "no limit".
#              A value that comes back (ABA) is harmless: it is a count, and equal counts mean the same.

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t

from rs_core.atomics cimport atomic_int64, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from rs_core.atomics cimport memory_order_seq_cst

cdef inline int64_t unbounded_demand() noexcept nogil:
    return INT64_MAX


cdef inline int64_t cancelled_demand() noexcept nogil:
    return INT64_MIN


cdef inline int64_t demand_add(atomic_int64& demand, int64_t n) noexcept nogil:
    """Add n (n > 0), saturating; return the value before."""
    cdef int64_t current = demand.load(memory_order_relaxed)
    cdef int64_t added
    while True:
        if current == INT64_MAX or current == INT64_MIN:  # I2
            # A saturated add still has to be one half of the Dekker pair, but nothing was added that
            # anybody could miss: the drainer of an unbounded or cancelled stream looks at no demand.
            return current
        added = INT64_MAX if n > INT64_MAX - current else current + n
        # seq_cst: pairs with the drainer's read after it cleared MISSED; else the request is lost
        if demand.compare_exchange_weak(current, added, memory_order_seq_cst, memory_order_relaxed):
            return current


cdef inline int64_t demand_take(atomic_int64& demand, int64_t n) noexcept nogil:
    """Take n delivered elements off (0 <= n <= what this thread read, I3); return what remains."""
    cdef int64_t current = demand.load(memory_order_relaxed)
    while True:
        if current == INT64_MAX or current == INT64_MIN:  # I2
            return current
        # relaxed: the drainer's own bookkeeping; the CAS with which it goes idle publishes it
        if demand.compare_exchange_weak(current, current - n, memory_order_relaxed, memory_order_relaxed):
            return current - n


cdef inline int64_t demand_take_up_to(atomic_int64& demand, int64_t n) noexcept nogil:
    """Take n or what there is, if less; return how many were taken: n when unbounded, 0 when cancelled."""
    cdef int64_t current = demand.load(memory_order_relaxed)
    cdef int64_t taken
    while True:
        if current == INT64_MAX:  # I2
            return n
        taken = n if n < current else current
        if taken <= 0:
            return 0  # nothing there, or cancelled: INT64_MIN is below every n
        # acquire: pairs with the seq_cst add; who takes a demand sees what its requester wrote before
        if demand.compare_exchange_weak(current, current - taken, memory_order_acquire, memory_order_relaxed):
            return taken


cdef inline bint demand_cancel(atomic_int64& demand) noexcept nogil:
    """Make the demand CANCELLED for good; return whether this call did it."""
    # release: what this thread wrote before is seen by who reads CANCELLED with acquire or exchanges it
    # acquire: pairs with the release of an earlier cancel, so that the second canceller sees the first one's writes
    return demand.exchange(INT64_MIN, memory_order_acq_rel) != INT64_MIN


cdef int64_t as_demand(object n) except? -1
cdef object invalid_request(object n)


cdef class Demand:
    cdef atomic_int64 value_word   # for the functions above
    cdef object __weakref__
