"""What was signalled to a subject and has yet to be passed on: elements, and what has its place between them.

Roles
    producer    any thread: pushes and offers elements, puts ends, upstreams, sealing, disposing
    deliverer   the holder of the hub's token (hub_delivery.pyx): takes out, and says how much room there is
Requires: GIL, where there is one.

Invariants
    I1  What changes is touched in the critical section of the queue, where references and counts are moved and nothing
        else: no object is made there and none dies, so no user code runs. Where there is a GIL, it is the GIL.
    I2  What came in goes out in one order, elements and all others.
    I3  An offer is taken while fewer elements wait than `room`, and nothing else. `room` is what the deliverer found
        that all sources can take, if nobody has come or gone when it says so; each element that goes out lowers it by
        one. Only the deliverer gives elements to sources, so apart from that what they can take only grows; where
        others come in, or something goes out that is no element, `room` becomes 0 in the same step. So all that were
        there can take what was accepted.

Bound: `most_waiting` elements: MOST_WAITING, or the capacity of the policy where that is more, since so many may come
that were requested. One more displaces the oldest one (policies `drop_oldest` and `latest`), is dropped (those that
drop the new one), or is refused, and the hub ends. Of the others: no two ends without something in between; an upstream
for each end; sealing and disposing once.

Progress: wait-free where there is a GIL, but that `drop_oldest` walks past what is no element. Elsewhere producers wait
for each other for as long as that takes.
"""

cimport cython
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.queues.overflow_policy import OverflowPolicy

MOST_WAITING = 1024
"""How many elements may wait at a subject for the thread that delivers; more where its policy has a larger capacity."""

cdef tuple _DISPLACING = (OverflowPolicy.DROP_OLDEST, OverflowPolicy.LATEST)


@cython.final
@cython.freelist(16)
@cython.trashcan(True)   # each holds the next
cdef class HubSignal:
    """A signal on its way through a hub."""


cdef class HubQueue:
    """The order of what was signalled; a base of the register, which knows who gets it.

    Args:
        capacity: Of the policy.
        on_overflow: What becomes of an element that finds no place, an OverflowPolicy.
        remembers_end: Whether an end closes the queue.
    """

    def __init__(self, int64_t capacity, on_overflow, bint remembers_end):
        self.most_waiting = max(capacity, <int64_t>MOST_WAITING)
        self.displaces = on_overflow in _DISPLACING
        self.drops = on_overflow is OverflowPolicy.DROP_NEWEST
        self.remembers_end = remembers_end
        self.room = NOBODY

    # --- any thread -------------------------------------------------------------------------------------------------

    cdef HubSignal push(self, HubSignal signal, int* outcome):
        """Take an element whatever the room is; return the one that is dropped for it, which may be itself, or None."""
        cdef HubSignal lost = None
        outcome[0] = PUT
        with cython.critical_section(self):
            if self.is_closed:
                outcome[0] = PUT_CLOSED
            elif self.waiting_elements < self.most_waiting:
                self._append(signal)
            elif self.displaces:
                lost = self._displace()
                self._append(signal)
            elif self.drops:
                lost = signal
                self.lost_pushes += 1
            else:
                outcome[0] = PUT_FULL
        return lost

    cdef int offer(self, HubSignal signal) noexcept:
        """Take an element if there is room for it everywhere (I3)."""
        cdef int outcome = PUT
        with cython.critical_section(self):
            if self.is_closed:
                outcome = PUT_CLOSED
            elif self.waiting_controls or self.waiting_elements >= self.most_waiting:
                outcome = PUT_UNWANTED
            elif self.room == NOBODY:
                outcome = PUT_NOBODY
            elif self.waiting_elements >= self.room:
                outcome = PUT_UNWANTED
            else:
                self._append(signal)
        return outcome

    cdef bint put(self, HubSignal signal) noexcept:
        cdef bint is_taken
        with cython.critical_section(self):
            is_taken = not self._refuses(signal.kind)
            if is_taken:
                self._append(signal)
                if signal.kind == END:
                    self.is_closed = self.remembers_end
                    self.has_upstream = False
                elif signal.kind == UPSTREAM:
                    self.has_upstream = True
                    self.is_deserted = False
                elif signal.kind == SEAL:
                    self.is_sealed = True
                elif signal.kind == DISPOSE:
                    self.is_closed = self.is_disposed = True
        return is_taken

    cdef bint _refuses(self, int kind) noexcept:
        if kind == END:  # behind another one it would end nothing
            return self.is_closed or (self.last is not None and self.last.kind == END)
        if kind == UPSTREAM:
            return self.is_closed or self.has_upstream
        if kind == SEAL:
            return self.is_sealed or self.is_disposed
        return kind == DISPOSE and self.is_disposed

    cdef bint is_empty(self) noexcept:
        """Whether nothing waits; who puts something in meanwhile tells the deliverer when that is done."""
        return self.waiting_elements + self.waiting_controls == 0

    cdef void close(self) noexcept:
        with cython.critical_section(self):
            self.is_closed = True

    cdef void _append(self, HubSignal signal) noexcept:
        """In the critical section."""
        if self.last is None:
            self.first = signal
        else:
            self.last.following = signal
        self.last = signal
        if signal.kind <= OFFER:
            self.waiting_elements += 1
        else:
            self.waiting_controls += 1

    cdef HubSignal _displace(self):
        """Take the oldest element out, in the critical section; there is one."""
        cdef HubSignal before = None
        cdef HubSignal oldest = self.first
        while oldest.kind > OFFER:
            before = oldest
            oldest = oldest.following
        if before is None:
            self.first = oldest.following
        else:
            before.following = oldest.following
        if self.last is oldest:
            self.last = before
        oldest.following = None
        self.waiting_elements -= 1
        return oldest

    # --- the deliverer ------------------------------------------------------------------------------------------------

    cdef HubSignal take(self, int64_t changes, int64_t room):
        """Take out what comes next; `room` is what the deliverer found that all can take, after so many changes."""
        cdef HubSignal taken
        with cython.critical_section(self):
            self.room = room if self.changes == changes else 0
            taken = self.first
            if taken is not None:
                self.first = taken.following
                if self.first is None:
                    self.last = None
                taken.following = None
                if taken.kind > OFFER:
                    self.waiting_controls -= 1
                    self.room = 0
                else:
                    self.waiting_elements -= 1
                    if 0 < self.room < INT64_MAX:
                        self.room -= 1
        return taken

    cdef void set_room(self, int64_t changes, int64_t room) noexcept:
        with cython.critical_section(self):
            self.room = room if self.changes == changes else 0

    cdef int64_t take_lost(self) noexcept:
        cdef int64_t lost
        with cython.critical_section(self):
            lost = self.lost_pushes
            self.lost_pushes = 0
        return lost


cdef HubSignal new_signal(int kind, object value, object detail):
    cdef HubSignal signal = HubSignal.__new__(HubSignal)
    signal.kind = kind
    signal.value = value
    signal.detail = detail
    return signal
