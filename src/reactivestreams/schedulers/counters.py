"""The counters of a scheduler, which can be added and subtracted."""

from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class PerformanceCounters:
    """The counters of a scheduler, or the sum of several.

    `+` and `-` work field by field, so the difference of two readings counts what happened between them.

    Args:
        uptime_nanoseconds: The time since the scheduler was created, until it was disposed.
        paused_nanoseconds: The part of the uptime from each pause to the next `continue_`.
        user_nanoseconds: The time spent in turns of tasks.
        task_execution_count: How many turns were run.
        timer_tick_count: How many tasks became ready because their due time was reached, without those that were
            already due when they were scheduled.
        ready_count: How many tasks wait for their turn.
        parked_count: How many tasks have no work, or wait for the end of a pause.
        timed_count: How many tasks wait for their due time.

    Example:
        >>> one = PerformanceCounters(task_execution_count=3)
        >>> (one + one - one) == one
        True
    """

    uptime_nanoseconds: int = 0
    paused_nanoseconds: int = 0
    user_nanoseconds: int = 0
    task_execution_count: int = 0
    timer_tick_count: int = 0
    ready_count: int = 0
    parked_count: int = 0
    timed_count: int = 0

    def __add__(self, other: object) -> "PerformanceCounters":
        if not isinstance(other, PerformanceCounters):
            return NotImplemented
        return PerformanceCounters(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    def __neg__(self) -> "PerformanceCounters":
        return PerformanceCounters(*(-mine for mine in astuple(self)))

    def __sub__(self, other: object) -> "PerformanceCounters":
        return self + -other if isinstance(other, PerformanceCounters) else NotImplemented
