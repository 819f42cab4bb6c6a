# Demand as a number: how many elements were requested and not yet delivered.
#
# Roles        any thread adds; only the drainer (the holder of the token, stage.pxd) takes.
# Invariants   I1  0 <= value <= UNBOUNDED, or value == CANCELLED.
#              I2  UNBOUNDED and CANCELLED are final: neither add nor take changes them.
#              I3  a take never exceeds what the same thread has read before, so value stays >= 0.
# Ordering     add: seq_cst. It is one half of a store-buffer pair (Dekker): the requester adds, then
#              looks at the state word; the drainer clears MISSED in the state word, then reads the demand.
#              One of both sees the other, else a request would be lost and the stream would stall.
#              take: relaxed. Its result is published by the CAS with which the drainer goes idle.
# Progress     lock-free; a CAS fails only because another thread's add or take succeeded.
# Overflow     the sum saturates at UNBOUNDED = 2**63 - 1, which rule 3.17 allows to mean "no limit".

from libc.stdint cimport INT64_MAX, INT64_MIN, int64_t

from rs_core.atomics cimport atomic_int64, memory_order_relaxed, memory_order_seq_cst

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
    """Take n delivered elements off (0 <= n <= what this thread read); return what remains."""
    cdef int64_t current = demand.load(memory_order_relaxed)
    while True:
        if current == INT64_MAX or current == INT64_MIN:  # I2
            return current
        # relaxed: the drainer's own bookkeeping; the CAS with which it goes idle publishes it
        if demand.compare_exchange_weak(current, current - n, memory_order_relaxed, memory_order_relaxed):
            return current - n


cdef int64_t as_demand(object n) except? -1
