"""A bounded queue from many producers to one consumer, with a policy for elements that are offered when it is full.

Roles
    producer   any thread: offers; with the policy `drop_oldest` or `latest` it also takes out the displaced elements
    consumer   one thread at a time: polls, checks whether the queue is finished
    ender      any thread: ends or cancels; the first one decides, and after it no element is accepted
    collector  traverse
Requires: GIL, where there is one; it is released only while a producer waits, or yields to another evictor.

Invariants
    I1  Not more than `capacity` elements are accepted and not yet polled or evicted: mpsc_ring.h, I1; `latest` has one
        slot. The element of a blocked producer is not accepted yet, and belongs to its caller.
    I2  An element is accepted before the queue is closed, or refused: claiming a position and closing change one word.
        So a consumer that sees the queue closed and without claimed positions (overflow_is_finished) has seen the last
        element.
    I3  An accepted element is polled, or evicted by the policy; the evicting thread passes it on, to be counted and
        reported.
    I4  With `drop_oldest` every thread takes elements out with mpsc_evict, because a poll without a claim could
        conflict with an eviction.

Ordering (write -> read that pairs with it)
    elements: as in mpsc_ring.h; the slot of `latest`: every exchange is acq_rel, so the thread that takes an element
        sees the earlier writes of its producer
    end_error, is_cancelled, then closing (release)  ->  overflow_is_closed (acquire), then reading them. The critical
        section serializes two enders.
    a position is freed, then wake()  ->  waiters.enter(), then the offer: the pair in sync/wait_queue.pyx

Progress: error, drop_newest, latest: lock-free, like the ring and a CAS loop. block: waits, at most
`block_timeout_seconds`. drop_oldest: lock-free except for one window, which only free-threaded builds have: a producer
that was preempted after it claimed the oldest element and before it freed its slot, or between its claim of a position
and its publication. A thread that needs that slot yields its time slice; an eviction that was followed by another
producer's success is tried again. After EVICT_TRIES tries of both kinds together the new element is dropped in place of
an old one. So no thread spins without bound, and a call takes out no more than one element for each element that others
put in.

Reuse: as in mpsc_ring.h; in the slot of `latest` the same pointer again (ABA) means the same element again.
"""

import time

cimport cython
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM
from libc.stdint cimport uint64_t, uintptr_t

from rs_core.interp.arguments cimport safe_repr
from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_acquire, memory_order_relaxed
from rs_core.queues.bounded_ring cimport ring_capacity
from rs_core.queues.mpsc_ring cimport (
    MPSC_ACCEPTED, MPSC_BUSY, MPSC_CLOSED, MPSC_FULL, mpsc_clear, mpsc_close, mpsc_evict, mpsc_free, mpsc_new,
    mpsc_offer, mpsc_traverse,
)
from rs_core.interp.object_handoff cimport handoff_reference, owned
from rs_core.sync.parker cimport park_interruptibly
from rs_core.interp.type_slots cimport PyTypeObject, inquiry, traverseproc, visitproc
from rs_core.sync.wait_queue cimport WaitNode, WaitQueue, wake

from rs_core.dropped import dropped
from rs_core.errors import CapacityError
from rs_core.queues.overflow_policy import EmitResult, OverflowPolicy, checked_block_timeout, checked_policy

cdef extern from "Python.h":
    void Py_DECREF(PyObject* element) noexcept

cdef extern from "sync/time_slice.h" nogil:
    void yield_time_slice "rs_yield_time_slice"() noexcept

cdef enum:
    EVICT_TRIES = 64      # see Progress


cdef tuple _RESULTS = tuple(EmitResult)
cdef tuple _POLICIES = tuple(OverflowPolicy)


cdef object emit_result(int emission):
    return <object>PyTuple_GET_ITEM(_RESULTS, emission)


cdef object policy_name(int policy):
    return _POLICIES[policy]


@cython.final
@cython.trashcan(True)   # emitters can be in the queues of emitters, to any depth
cdef class OverflowQueue:
    """The queue of an emitter; its elements are visible to the garbage collector."""

    def __cinit__(self):
        self.latest.store(0, memory_order_relaxed)
        self.dropped_elements.store(0, memory_order_relaxed)

    def __dealloc__(self):
        # Weak references are already dead, so no finalizer that runs here can reach the queue.
        if self.ring is not NULL:
            mpsc_free(self.ring)
        else:
            overflow_clear(self)

    cdef void close(self) noexcept:
        if self.ring is NULL:
            # acq_rel: release publishes end_error and is_cancelled to overflow_is_closed()
            self.latest.fetch_or(LATEST_CLOSED, memory_order_acq_rel)
        else:
            mpsc_close(self.ring)


cdef OverflowQueue new_overflow_queue(object capacity, object policy, object block_timeout_seconds, str parameter):
    """Make a queue; raises an ArgumentError or ArgumentTypeError that names the argument."""
    cdef OverflowQueue queue = OverflowQueue.__new__(OverflowQueue)
    queue.capacity = ring_capacity(capacity)
    queue.policy = _POLICIES.index(checked_policy(policy, parameter=parameter))
    queue.block_timeout_seconds = checked_block_timeout(block_timeout_seconds)
    if queue.policy == POLICY_LATEST:
        queue.capacity = 1
        return queue
    queue.ring = mpsc_new(queue.capacity)
    if queue.ring is NULL:
        raise MemoryError(f"a queue of {capacity} elements does not fit into memory; pass a smaller capacity")
    if queue.policy == POLICY_BLOCK:
        queue.waiters = WaitQueue()
    return queue


# --- producers ----------------------------------------------------------------------------------------------------


cdef list overflow_offer(OverflowQueue queue, object element, str origin, int* emission):
    """Offer an element; the policy decides what happens if the queue is full, but this never waits.

    Never runs user code if it is accepted.

    Args:
        queue: The queue.
        element: Not None.
        origin: The name of the emitter, for messages and the hook.
        emission: Set to the result. After EMIT_ACCEPTED and EMIT_OVERFLOWED the consumer must be notified.

    Returns:
        The displaced elements, which the caller passes to overflow_drop_all() after it has notified the consumer; None
        if there are none.
    """
    cdef PyObject* reference = handoff_reference(<PyObject*>element)
    cdef list evicted = None
    if queue.policy == POLICY_LATEST:
        return _exchange(queue, reference, emission)
    emission[0] = _try_offer(queue, reference)
    if emission[0] == EMIT_ACCEPTED:
        return None
    if emission[0] == EMIT_FULL and queue.policy == POLICY_DROP_OLDEST:
        evicted = []
        emission[0] = _evict_oldest(queue, reference, evicted)
        if emission[0] == EMIT_ACCEPTED:
            return evicted
    Py_DECREF(reference)  # the caller has a reference too, so nothing is freed here
    if emission[0] == EMIT_FULL and queue.policy == POLICY_ERROR:
        emission[0] = _refuse(queue, element, origin)
    elif emission[0] == EMIT_FULL and queue.policy == POLICY_DROP_NEWEST:
        emission[0] = EMIT_DROPPED
    if emission[0] == EMIT_DROPPED:
        _drop(queue, element, origin)
    return evicted


cdef int _try_offer(OverflowQueue queue, PyObject* reference) noexcept:
    """Steal the reference (EMIT_ACCEPTED), or leave it to the caller."""
    cdef int outcome = mpsc_offer(queue.ring, reference)
    while outcome == MPSC_BUSY and queue.policy != POLICY_DROP_OLDEST:
        outcome = mpsc_offer(queue.ring, reference)  # the consumer freed the slot after it was read: no wait
    if outcome == MPSC_ACCEPTED:
        return EMIT_ACCEPTED
    return _refusal(queue) if outcome == MPSC_CLOSED else EMIT_FULL


cdef int _refusal(OverflowQueue queue) noexcept:
    return EMIT_CANCELLED if queue.is_cancelled else EMIT_TERMINATED


cdef int _evict_oldest(OverflowQueue queue, PyObject* reference, list evicted) except -1:
    """Take the oldest element out and offer again; steals the reference if it returns EMIT_ACCEPTED (I3)."""
    cdef PyObject* oldest
    cdef int outcome = MPSC_FULL
    for _ in range(EVICT_TRIES):
        oldest = mpsc_evict(queue.ring) if outcome == MPSC_FULL else NULL
        if oldest is not NULL:
            evicted.append(owned(oldest))
        else:  # another thread is in the middle of its eviction, or has not published the oldest element yet
            with nogil:
                yield_time_slice()
        outcome = mpsc_offer(queue.ring, reference)
        if outcome == MPSC_ACCEPTED:
            return EMIT_ACCEPTED
        if outcome == MPSC_CLOSED:
            return _refusal(queue)
    return EMIT_DROPPED


cdef list _exchange(OverflowQueue queue, PyObject* reference, int* emission):
    """Store the element in the only slot, in place of the present one."""
    cdef uint64_t seen = queue.latest.load(memory_order_relaxed)  # relaxed: the CAS checks it
    while True:
        if seen & LATEST_CLOSED:
            emission[0] = _refusal_of_latest(queue)
            Py_DECREF(reference)
            return None
        # acq_rel: release pairs with the acquire of the thread that takes it; acquire makes the displaced one's writes
        # visible
        if queue.latest.compare_exchange_weak(
            seen, <uint64_t><uintptr_t>reference, memory_order_acq_rel, memory_order_relaxed
        ):
            emission[0] = EMIT_ACCEPTED
            return None if seen == 0 else [owned(<PyObject*><uintptr_t>seen)]


cdef int _refusal_of_latest(OverflowQueue queue) noexcept:
    # is_closed acquires, which the failed CAS did not
    return _refusal(queue) if overflow_is_closed(queue) else EMIT_TERMINATED


cdef int overflow_wait(OverflowQueue queue, object element) except -1:
    """Wait for free capacity and use it; raises exceptions of signal handlers, and then the caller keeps the element.

    Signal handlers that run here may emit too.
    """
    cdef PyObject* reference
    cdef int emission
    cdef double remaining
    cdef double deadline = <double>time.monotonic() + queue.block_timeout_seconds
    cdef WaitNode waiter = queue.waiters.enter()
    try:
        while True:
            reference = handoff_reference(<PyObject*>element)
            emission = _try_offer(queue, reference)  # after enter(): the second half of the pair
            if emission == EMIT_ACCEPTED:
                return emission
            Py_DECREF(reference)
            if emission != EMIT_FULL:
                return emission
            remaining = deadline - <double>time.monotonic()
            if remaining <= 0:
                return EMIT_TIMED_OUT
            park_interruptibly(waiter.parker, remaining)
    finally:
        queue.waiters.leave(waiter)


cdef int _refuse(OverflowQueue queue, object element, str origin) except -1:
    """End the queue because it is full; the waiting elements are delivered first."""
    # Created before the queue is closed, because its creation runs Python code.
    error = CapacityError(
        f"{origin} got {safe_repr(element)} while {queue.capacity} elements wait for their consumer; emit more slowly, "
        f"raise capacity, or choose another on_overflow"
    )
    return EMIT_OVERFLOWED if overflow_end(queue, error) else _refusal(queue)


cdef int _drop(OverflowQueue queue, object element, str origin) except -1:
    queue.dropped_elements.fetch_add(1, memory_order_relaxed)  # relaxed: a count
    dropped("on_next", element, origin=origin)
    return 0


cdef int overflow_drop_all(OverflowQueue queue, list elements, str origin) except -1:
    """Count elements that will not be delivered, and pass each to the hook; runs user code.

    An exception of the hook that is not an Exception, such as KeyboardInterrupt, is raised after all calls.
    """
    interrupt = None
    for element in elements:
        try:
            _drop(queue, element, origin)
        except BaseException as error:
            interrupt = error if interrupt is None else interrupt
    if interrupt is not None:
        raise interrupt
    return 0


# --- the end --------------------------------------------------------------------------------------------------------


cdef bint overflow_end(OverflowQueue queue, object error) except -1:
    """Accept no more elements: the stream completes or fails after the waiting ones. Never runs user code."""
    cdef bint is_first = False
    with cython.critical_section(queue):
        if not overflow_is_closed(queue):
            is_first = True
            queue.end_error = error
            queue.close()
    if is_first and queue.waiters is not None:
        wake(queue.waiters)
    return is_first


cdef object overflow_cancel(OverflowQueue queue):
    """Accept no more elements, because of a cancellation; return the error that waited to be signalled, or None."""
    with cython.critical_section(queue):
        if not overflow_is_closed(queue):
            queue.is_cancelled = True
            queue.close()
        error = queue.end_error
        queue.end_error = None
    if queue.waiters is not None:
        wake(queue.waiters)
    return error


cdef void overflow_clear(OverflowQueue queue) noexcept:
    cdef PyObject* element
    if queue.ring is not NULL:
        mpsc_clear(queue.ring)
        return
    element = overflow_take_latest(queue)
    if element is not NULL:
        Py_DECREF(element)


# The collector sees the elements through these. OverflowQueue is final, so no other type inherits them.
cdef traverseproc _cython_traverse = (<PyTypeObject*>OverflowQueue).tp_traverse
cdef inquiry _cython_clear = (<PyTypeObject*>OverflowQueue).tp_clear


cdef int _traverse(PyObject* self, visitproc visit, void* argument) noexcept:
    cdef uint64_t latest
    cdef int stop = _cython_traverse(self, visit, argument)
    if stop:
        return stop
    if (<OverflowQueue>self).ring is not NULL:
        return mpsc_traverse((<OverflowQueue>self).ring, visit, argument)
    # acquire: from a producer's thread
    latest = (<OverflowQueue>self).latest.load(memory_order_acquire) & ~<uint64_t>LATEST_CLOSED
    return visit(<PyObject*><uintptr_t>latest, argument) if latest else 0


cdef int _clear(PyObject* self) noexcept:
    overflow_clear(<OverflowQueue>self)
    return _cython_clear(self)


(<PyTypeObject*>OverflowQueue).tp_traverse = _traverse
(<PyTypeObject*>OverflowQueue).tp_clear = _clear
