# A bounded queue from many producers to one consumer, with a policy for elements that are offered when it is full.
# Roles and the argument are in overflow_queue.pyx.

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t, uintptr_t

from rs_core.sync.atomics cimport (
    gil_int64, gil_uint64, memory_order_acq_rel, memory_order_acquire, memory_order_relaxed,
)
from rs_core.queues.mpsc_ring cimport MpscSlots, mpsc_evict, mpsc_is_closed, mpsc_is_idle, mpsc_poll, mpsc_size
from rs_core.sync.wait_queue cimport WaitQueue, wake

cdef enum Policy:
    POLICY_ERROR = 0
    POLICY_DROP_NEWEST = 1
    POLICY_DROP_OLDEST = 2
    POLICY_LATEST = 3
    POLICY_BLOCK = 4

cdef enum Emission:                      # the result of an offer; EmitResult in Python
    EMIT_ACCEPTED = 0
    EMIT_DROPPED = 1
    EMIT_OVERFLOWED = 2
    EMIT_TIMED_OUT = 3
    EMIT_TERMINATED = 4
    EMIT_CANCELLED = 5
    EMIT_FULL = 6                        # nothing happened yet: the policy is to wait, if the owner allows it

cdef enum:
    LATEST_CLOSED = 1                    # the lowest bit of the slot of `latest`


cdef class OverflowQueue:
    cdef readonly int64_t capacity       # the maximum of undelivered elements
    cdef int policy
    cdef double block_timeout_seconds
    cdef MpscSlots* ring                 # NULL with the policy `latest`
    cdef gil_uint64 latest               # the pointer to the element of `latest`, and LATEST_CLOSED
    cdef gil_int64 dropped_elements
    cdef WaitQueue waiters              # None except with the policy `block`
    cdef object end_error                # written before the queue is closed; None: completion
    cdef bint is_cancelled               # written before the queue is closed
    cdef object __weakref__

    cdef void close(self) noexcept       # in the critical section of an ender


cdef object emit_result(int emission)                                              # the EmitResult of an Emission
cdef object policy_name(int policy)                                                # the OverflowPolicy of a Policy
cdef OverflowQueue new_overflow_queue(object capacity, object policy, object block_timeout_seconds, str parameter)

# Producers, any number of threads at once.
cdef list overflow_offer(OverflowQueue queue, object element, str origin, int* emission)
cdef int overflow_wait(OverflowQueue queue, object element) except -1              # an Emission; POLICY_BLOCK
cdef int overflow_drop_all(OverflowQueue queue, list elements, str origin) except -1

# Any thread.
cdef bint overflow_end(OverflowQueue queue, object error) except -1                # False: it had already ended
cdef object overflow_cancel(OverflowQueue queue)                                   # the waiting error, or None
cdef void overflow_clear(OverflowQueue queue) noexcept                             # drops the elements; runs finalizers


cdef inline bint overflow_is_closed(OverflowQueue queue) noexcept:
    """Any thread: whether no more elements are accepted; then end_error and is_cancelled can be read."""
    if queue.ring is NULL:
        return (queue.latest.load(memory_order_acquire) & LATEST_CLOSED) != 0  # acquire: pairs with closing
    return mpsc_is_closed(queue.ring)


cdef inline int64_t overflow_pending(OverflowQueue queue) noexcept:
    """Any thread: how many elements wait, at some moment during the call."""
    if queue.ring is NULL:
        return queue.latest.load(memory_order_relaxed) > LATEST_CLOSED  # relaxed: a number that is immediately outdated
    return <int64_t>mpsc_size(queue.ring)


cdef inline bint overflow_is_finished(OverflowQueue queue) noexcept:
    """Consumer: whether the queue is closed, and contains no element, and no offer is in progress."""
    return overflow_is_closed(queue) and overflow_pending(queue) == 0


cdef inline bint overflow_is_idle(OverflowQueue queue) noexcept:
    """Consumer: whether the queue is open, and contains no element, and no offer is in progress."""
    if queue.ring is NULL:
        return queue.latest.load(memory_order_acquire) == 0  # acquire: pairs with closing
    return mpsc_is_idle(queue.ring)


cdef inline PyObject* overflow_take_latest(OverflowQueue queue) noexcept:
    """Any thread: the element of `latest` (owned), or NULL."""
    # acq_rel: acquires the producer's writes before it stored the element; the bit stays
    cdef uint64_t taken = queue.latest.fetch_and(LATEST_CLOSED, memory_order_acq_rel)
    return <PyObject*><uintptr_t>(taken & ~<uint64_t>LATEST_CLOSED)


cdef inline PyObject* overflow_evict(OverflowQueue queue) noexcept:
    """Any thread, if all threads take elements out in this way: the next element (owned), or NULL."""
    return overflow_take_latest(queue) if queue.policy == POLICY_LATEST else mpsc_evict(queue.ring)


cdef inline PyObject* overflow_poll(OverflowQueue queue) noexcept:
    """Consumer: the next element (owned), or NULL."""
    cdef PyObject* element
    if queue.policy == POLICY_LATEST or queue.policy == POLICY_DROP_OLDEST:
        return overflow_evict(queue)  # like producers (I4)
    element = mpsc_poll(queue.ring)
    if queue.policy == POLICY_BLOCK and element is not NULL:
        wake(queue.waiters)
    return element
