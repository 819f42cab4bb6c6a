"""The threads that wait for something which any thread may bring about, such as room in a queue.

Roles
    waiter   any number of threads: enters the line, looks at its condition, parks while that is false, looks again;
             leaves, whatever came of it
    waker    any thread: makes the condition true, then calls `wake`
Requires: GIL, where there is one. It is released only while a waiter is parked.

Invariants
    I1  `length` is the number of waiters in the line.
    I2  While the condition is true and the line is not empty, the first waiter has a permit that it has not used up, or
        has yet to look: `wake` gives the permit to the first, and who leaves gives one to the new first.
    I3  Waiters stand in the order in which they came; but one whose thread waits already, since a signal handler that
        runs while it is parked may wait too, goes to the front: those behind it could not go on before it.

Ordering (write -> read that pairs with it)
    enter: length.fetch_add (acq_rel), then the look   ->   the condition is made true, then wake: length.fetch_add
        (acq_rel). A store-buffer pair, carried by the one word that both exchange: whoever exchanges it second sees
        what the first one wrote before, so the waiter sees the condition true or the waker sees the waiter. With a
        load in place of either exchange both could miss each other, and the waiter would sleep beside free room.
    tests/interleavings/test_waiting_line_model.py explores it, with each step left out or weakened.

Progress: wake is wait-free where nobody waits; else it enters a critical section of a few instructions. A waiter that
was woken may find that another thread was faster, and parks again: the line is fair among waiters, not between them and
those who never had to wait. Each wait is bounded by its caller.

Reuse: a waiter is an object, held by the line, by its thread and by whoever unparks it; the last one frees its parker.
Source: the queue of waiters in front of Java's AbstractQueuedSynchronizer, with a permit each (parker.h).
"""

cimport cython

from rs_core.sync.atomics cimport memory_order_acq_rel, memory_order_relaxed
from rs_core.sync.parker cimport parker_free, parker_new, parker_unpark


@cython.final
cdef class Waiter:
    """A thread in the line, and what it is parked on."""

    def __cinit__(self):
        self.thread.enter()
        self.parker = parker_new()
        if self.parker is NULL:
            raise MemoryError("no memory for a lock to wait on")

    def __dealloc__(self):
        if self.parker is not NULL:
            parker_free(self.parker)


@cython.final
cdef class WaitingLine:
    """Threads that wait, first come, first woken."""

    def __cinit__(self):
        self.length.store(0, memory_order_relaxed)  # relaxed: whoever hands the line to another thread publishes it

    cdef Waiter enter(self):
        cdef Waiter waiter = Waiter()
        cdef Waiter before
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
            # acq_rel: an exchange, the first half of the pair with wake(); the look that follows cannot come before it
            self.length.fetch_add(1, memory_order_acq_rel)
        return waiter

    cdef int leave(self, Waiter waiter) except -1:
        cdef Waiter before
        with cython.critical_section(self):
            if self.first is waiter:
                self.first = waiter.following
            else:
                before = self.first
                while before.following is not waiter:
                    before = before.following
                before.following = waiter.following
            waiter.following = None
            # acq_rel: as in enter(), so that a later look at the length is not older than the line
            self.length.fetch_sub(1, memory_order_acq_rel)
        wake(self)  # I2: the permit may have been meant for whoever is first now
        return 0

    cdef void wake_first(self) noexcept:
        cdef Waiter first
        with cython.critical_section(self):
            first = self.first
        if first is not None:
            parker_unpark(first.parker)
