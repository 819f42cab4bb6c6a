"""What an operator that waits has of a scheduler: the time, and one alarm at a time.

The scheduler is that of the host, in virtual time the virtual clock, so that what waits is paused with it. Without a
host it is one of the event loop that runs in the thread that subscribes, or else the one of the process.

A moment is a number of microseconds since 1970, UTC: to compare two takes no objects, and where the scheduler shows the
system's time, to ask for it takes no call of Python. States and schedulers have datetimes.

Roles
    starter  the thread that starts the operator: looks for the scheduler
    drainer  the holder of the operator's token: all else
"""

cimport cython
from cpython.datetime cimport import_datetime, timedelta_days, timedelta_microseconds, timedelta_new, timedelta_seconds
from libc.stdint cimport int64_t

from rs_core.stream.subscription cimport Alarm, DemandOwner, Stage, release_failed

from datetime import datetime, timedelta, timezone

from rs_core.errors import StateError

cdef extern from "sync/clock.h" nogil:
    int64_t rs_system_microseconds()

import_datetime()

cdef object _EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
cdef int64_t _SECOND = 1_000_000
cdef int64_t _DAY = 86_400 * _SECOND
cdef int64_t _LAST_MOMENT = (datetime.max.replace(tzinfo=timezone.utc) - _EPOCH) // timedelta(microseconds=1)


def utc_now():
    """Return the time of the system's clock in UTC, as datetime.now(UTC) does, in less time."""
    return as_datetime(rs_system_microseconds())


cdef object as_datetime(int64_t moment):
    """Return a moment as a datetime in UTC; None for NEVER."""
    if moment == NEVER:
        return None
    cdef int64_t days = moment // _DAY
    cdef int64_t of_day = moment - days * _DAY
    return _EPOCH + timedelta_new(<int>days, <int>(of_day // _SECOND), <int>(of_day % _SECOND))


cdef int64_t as_moment(object time) except? -1:
    """Return an aware datetime as a moment; NEVER for None."""
    return NEVER if time is None else _microseconds(time - _EPOCH)


cdef int64_t as_span(object duration) except? -1:
    """Return a timedelta in microseconds; one that is longer than the time until the year 10000 is cut to that."""
    return min(_microseconds(duration), _LAST_MOMENT) if duration.days < _LAST_MOMENT // _DAY else _LAST_MOMENT


cdef int64_t after(int64_t moment, int64_t span) noexcept:
    """Return the moment so long after another one, at most the last of the year 9999."""
    return moment + span if moment < _LAST_MOMENT - span else _LAST_MOMENT


cdef inline int64_t _microseconds(object duration) except? -1:
    return timedelta_days(duration) * _DAY + timedelta_seconds(duration) * _SECOND + timedelta_microseconds(duration)


@cython.final
cdef class Clock:
    """The scheduler of an operator that waits, and the alarm that wakes it.

    Args:
        find_scheduler: Called with the host's scheduler, or None; returns the one to wait on.
    """

    def __init__(self, find_scheduler):
        self.find_scheduler = find_scheduler

    cdef object at(self, object context):
        """Return the scheduler, which is looked for at the first call."""
        if self.scheduler is None:
            self.scheduler = self.find_scheduler(getattr(context, "scheduler", None))
            self.shows_system_time = getattr(self.scheduler, "shows_system_time", False)
        return self.scheduler

    def inspect(self, dict facts not None) -> dict:
        """Add to what is known of an operator on which scheduler it waits, if it waits for a time; any thread."""
        with cython.critical_section(self):  # pairs with that of close(): else the scheduler might be freed
            scheduler = self.scheduler
        if scheduler is not None and facts.get("waiting_for") in ("elements", "demand") and self.alarm is not None:
            facts["waiting_for"] = "time"
            facts["clock"] = scheduler
        return facts

    cdef int64_t now(self) except? -1:
        """Return the moment that it is."""
        return rs_system_microseconds() if self.shows_system_time else as_moment(self.scheduler.now)

    cdef int wait_until(self, DemandOwner owner, int64_t due) except -1:
        """Have the owner notified at a moment, or earlier: an alarm that is set for an earlier one stays."""
        if self.will_ring_by(due):
            return 0
        self.stop()
        cdef Alarm alarm = Alarm()
        alarm.owner = owner
        alarm.set(self.scheduler, as_datetime(due))
        self.alarm = alarm
        self.rings_at = due
        return 0

    cdef bint will_ring_by(self, int64_t due) noexcept:
        """Return whether an alarm is set for this moment or an earlier one, and was not seen to ring."""
        return self.alarm is not None and self.rings_at <= due

    cdef bint rang(self) except -1:
        """Return whether the alarm rang, which is over then.

        Raises:
            Exception: The scheduler will not run it, for this reason.
        """
        cdef Alarm alarm = self.alarm
        if alarm is None or not alarm.rang():
            return False
        self.stop()
        if alarm.error is not None:
            raise alarm.error
        return True

    cdef int stop(self) except -1:
        """Wait no longer."""
        cdef Alarm alarm = self.alarm
        self.alarm = None
        if alarm is not None:
            alarm.cancel()
        return 0

    cdef void close(self, DemandOwner owner) noexcept:
        """Let go of the scheduler, for an owner that is torn down."""
        self.find_scheduler = None
        try:
            self.stop()
        except BaseException as error:
            release_failed(owner, "cancel", error, owner.name)
        with cython.critical_section(self):  # pairs with that of inspect()
            _released, self.scheduler = self.scheduler, None


cdef object checked_time(Stage stage, object time):
    """Return a time that was loaded, or None, if it has a zone as those of a clock have."""
    if time is not None and (not isinstance(time, datetime) or time.utcoffset() is None):
        raise StateError(f"{stage!r} cannot load the time {time!r}, which has no zone; load an older checkpoint")
    return time


cdef int64_t read_moment(Stage stage, object reader) except? -1:
    """Read a time, or None, from a state; raise StateError where it has no zone."""
    return as_moment(checked_time(stage, reader.read((datetime, type(None)))))
