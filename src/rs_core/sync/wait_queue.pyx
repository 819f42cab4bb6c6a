"""The threads that wait for a condition that any thread can make true, such as free capacity in a queue.

Roles
    waiter   any number of threads: enters the queue, checks its condition, parks while that is false, checks again;
             leaves in any case
    waker    any thread: makes the condition true, then calls `wake`
Requires: GIL, where there is one. It is released only while a waiter is parked.

Invariants
    I1  `length` is the number of waiters in the queue.
    I2  While the condition is true and the queue is not empty, the first waiter has an unused permit, or has yet to
        check: `wake` gives the permit to the first, and a waiter that leaves gives one to the new first.
    I3  Waiters are ordered by arrival; but a waiter whose thread already waits (a signal handler that runs while it is
        parked may wait too) goes to the front: the earlier waiter of that thread could not continue before it.

Ordering (write -> read that pairs with it)
    enter: length.fetch_add (acq_rel), then the check   ->   the condition is made true, then wake: length.fetch_add
        (acq_rel). A store-buffer pair through the one word that both exchange: the second one to exchange it sees the
        earlier writes of the first, so the waiter sees the condition true or the waker sees the waiter. With a load in
        place of either exchange both could miss each other, and the waiter would sleep although there is capacity.
    tests/interleavings/test_wait_queue_model.py explores it, with each step left out or weakened.

Progress: wake is wait-free if nothing waits; else it enters a critical section of a few instructions. A waiter that was
woken may find that another thread was faster, and parks again: the queue is fair among waiters, but not between them
and threads that never had to wait. Each wait is bounded by its caller.

Reuse: a waiter is an object, referenced by the queue, by its thread and by the thread that unparks it; the last
reference frees its parker.
Source: the queue of waiters of Java's AbstractQueuedSynchronizer, with one permit each (parker.h).
"""

cimport cython

from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_relaxed
from rs_core.sync.parker cimport parker_free, parker_new, parker_unpark


@cython.final
cdef class WaitNode:
    """A waiting thread and its parker."""

    def __cinit__(self):
        self.thread.enter()
        self.parker = parker_new()
        if self.parker is NULL:
            raise MemoryError("no memory for a lock to wait on")

    def __dealloc__(self):
        if self.parker is not NULL:
            parker_free(self.parker)


@cython.final
cdef class WaitQueue:
    """Waiting threads, first come, first woken."""

    def __cinit__(self):
        self.length.store(0, memory_order_relaxed)  # relaxed: sharing the queue with another thread publishes it

    cdef WaitNode enter(self):
        cdef WaitNode waiter = WaitNode()
        cdef WaitNode before
        cdef bint goes_first = False
        with cython.critical_section(self):
            before = self.first
            while before is not None:  # I3
                goes_first = goes_first or before.thread.is_mine()
                if before.following is None:
                    break
                before = before.following
            if before is None or goes_first:
                waiter.following = self.first
                self.first = waiter
            else:
                before.following = waiter
            # acq_rel: an exchange, the first half of the pair with wake(); the following check cannot come before it
            self.length.fetch_add(1, memory_order_acq_rel)
        return waiter

    cdef int leave(self, WaitNode waiter) except -1:
        cdef WaitNode before
        with cython.critical_section(self):
            if self.first is waiter:
                self.first = waiter.following
            else:
                before = self.first
                while before.following is not waiter:
                    before = before.following
                before.following = waiter.following
            waiter.following = None
            # acq_rel: as in enter(), so that a later read of the length is not older than the queue
            self.length.fetch_sub(1, memory_order_acq_rel)
        wake(self)  # I2: the permit may have been meant for the new first waiter
        return 0

    cdef void wake_first(self) noexcept:
        cdef WaitNode first
        with cython.critical_section(self):
            first = self.first
        if first is not None:
            parker_unpark(first.parker)
