"""What an operator that waits has of a scheduler: the time, and one alarm at a time.

The scheduler is that of the host, in virtual time the virtual clock, so that what waits is paused with it. Without a
host it is one of the event loop that runs in the thread that subscribes, or else the one of the process.

Roles
    starter  the thread that starts the operator: looks for the scheduler
    drainer  the holder of the operator's token: all else
"""

cimport cython
from cpython.datetime cimport import_datetime, timedelta_new
from libc.stdint cimport int64_t

from rs_core.stream.subscription cimport Alarm, DemandOwner, Stage, release_failed

from datetime import datetime, timezone
from time import time_ns

from rs_core.errors import StateError

import_datetime()

cdef object _EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
cdef int64_t _SECOND = 1_000_000
cdef int64_t _DAY = 86_400 * _SECOND


def utc_now():
    """Return the time of the system's clock in UTC, as datetime.now(UTC) does, in less time."""
    cdef int64_t now = <int64_t>time_ns() // 1000
    cdef int64_t of_day = now % _DAY
    return _EPOCH + timedelta_new(<int>(now // _DAY), <int>(of_day // _SECOND), <int>(of_day % _SECOND))


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
        return self.scheduler

    def inspect(self, dict facts not None) -> dict:
        """Add to what is known of an operator on which scheduler it waits, if it waits for a time; any thread."""
        with cython.critical_section(self):  # pairs with that of close(): else the scheduler might be freed
            scheduler = self.scheduler
        if scheduler is not None and facts.get("waiting_for") in ("elements", "demand") and self.alarm is not None:
            facts["waiting_for"] = "time"
            facts["clock"] = scheduler
        return facts

    cdef object now(self):
        """Return the time, an aware datetime."""
        return self.scheduler.now

    cdef int wait_until(self, DemandOwner owner, due) except -1:
        """Have the owner notified at a time, or earlier: an alarm that is set for an earlier time stays."""
        if self.alarm is not None:
            if self.alarm.due <= due:
                return 0
            self.stop()
        cdef Alarm alarm = Alarm()
        alarm.owner = owner
        alarm.set(self.scheduler, due)
        self.alarm = alarm
        return 0

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
