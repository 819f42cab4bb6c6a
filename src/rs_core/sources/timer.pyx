"""The source of ticks: an integer after a delay, and perhaps more of them, one after each period.

Nothing runs between the ticks, and nothing at all while none is requested: the ticks that have passed meanwhile are
counted by the time.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cimport cython

from rs_core.interp.calls cimport caught, int_from_int64
from rs_core.stream.clock cimport NEVER, Clock, after, as_datetime, as_moment, as_span, read_moment
from rs_core.stream.subscription cimport ACCEPTED, LEAVE, DemandOwner, push
from rs_core.sync.atomics cimport memory_order_relaxed

from datetime import timedelta


cdef enum Unrequested:   # what becomes of a tick that comes when none is requested
    KEEP = 0
    LATEST = 1
    DROP = 2


cdef enum:
    ONCE = -1   # the period of a tick that no other follows


@cython.final
cdef class TimerSource(DemandOwner):
    """Send the numbers of ticks.

    Args:
        first: When the first one comes: a timedelta after the start, or an aware datetime.
        period: The time from one tick to the next, a timedelta; None: there is one tick.
        unrequested: What becomes of the ticks that come when none is requested: "keep", "latest" or "drop".
        find_scheduler: As for Clock.

    State: when the next tick comes, its number, and whether the only one was sent.
    """

    cdef Clock clock
    cdef object first
    cdef int64_t period   # ONCE: there is one tick
    cdef Unrequested unrequested
    cdef int64_t due      # of the next tick; NEVER before the start
    cdef int64_t number   # of the next tick
    cdef bint is_over

    def __init__(self, first, period, str unrequested, find_scheduler):
        self.clock = Clock(find_scheduler)
        self.first = first
        self.period = ONCE if period is None else as_span(period)
        self.due = NEVER
        self.unrequested = {"keep": KEEP, "latest": LATEST, "drop": DROP}[unrequested]

    def inspect(self) -> dict:
        """Return what is known of this node, as `Stage.inspect` does, and on which scheduler it waits."""
        cdef dict facts = DemandOwner.inspect(self)
        facts["repeats"] = self.period != ONCE
        return self.clock.inspect(facts)

    cdef int begin(self) except -1:
        try:
            self.clock.at(self.context_of_host)
            if self.due == NEVER:
                self.due = self._first_due(self.clock.now())
                self.changed = True
        except Exception as error:
            self.fail_at(self, error)
        return 0

    cdef int64_t _first_due(self, int64_t now) except? -1:
        if isinstance(self.first, timedelta):
            return after(now, as_span(self.first))
        cdef int64_t first = as_moment(self.first)
        if self.period > 0 and now - first >= self.period:
            return now - (now - first) % self.period  # of the ticks before the start one counts
        return first

    cdef int64_t send(self, int64_t n) noexcept:
        cdef int64_t sent = 0
        cdef PyObject* number
        cdef bint was_requested
        try:
            was_requested = self.clock.alarm is not None  # it is set only while ticks are requested
            self.clock.rang()
            # relaxed: drain() looks again, with the order that the bits need
            while sent < n and not self.is_over and not self.state.load(memory_order_relaxed) & LEAVE:
                number = self._take_tick(was_requested)
                if number is NULL:
                    return sent
                was_requested = True
                sent += push(self, number) == ACCEPTED
            if self.is_over and not self.should_leave():
                self.finish(self.down, None)
        except BaseException as error:
            self.fail_at(self, error)
        return sent

    cdef PyObject* _take_tick(self, bint was_requested) except? NULL:
        """The number of a tick that has come; NULL: none has, and the alarm is set."""
        cdef int64_t passed = 1
        cdef PyObject* number
        cdef int64_t now = self.clock.now()
        if self.due <= now:
            self.clock.stop()
            if self.period > 0 and not (was_requested or self.unrequested == KEEP):
                passed += (now - self.due) // self.period
            if was_requested or self.unrequested != DROP or self.period == ONCE:
                number = int_from_int64(self.number + passed - 1)
                if number is NULL:
                    raise caught()
                self._step(passed)
                return number
            self._step(passed)
        self.clock.wait_until(self, self.due)
        return NULL

    cdef int _step(self, int64_t passed) except -1:
        """Let ticks pass."""
        self.changed = True
        self.number += passed
        if self.period == ONCE:
            self.is_over = True
        else:
            self.due = after(self.due, passed * self.period)
        return 0

    cdef void release(self) noexcept:
        self.clock.close(self)

    cdef int write_fields(self, object writer) except -1:
        writer.write(as_datetime(self.due))
        writer.write(self.number)
        writer.write(self.is_over)
        return 0

    cdef int read_fields(self, object reader, object version) except -1:
        self.due = read_moment(self, reader)
        self.number = reader.read_count()
        self.is_over = reader.read(bool)
        return 0
