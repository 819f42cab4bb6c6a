"""interval: send 0, 1, 2 and so on, one in each period."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from reactivestreams.arguments import Unrequested, checked_unrequested
from reactivestreams.durations import checked_duration
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.sources.timer import TimerSource


class Interval(OperatorDefinition):
    """Send 0, 1, 2 and so on, one in each period, the first one after the first period.

    A tick comes a period after the one before it was due, so late ones do not make the others late.

    Args:
        period: The time between ticks, in seconds or as a timedelta, more than 0.
        unrequested: What becomes of the ticks that come when none is requested. `latest`: the latest one waits.
            `keep`: they are counted and sent when they are requested. `drop`: they are left out. Each has its number in
            any case, so that one sees how many were left out.

    Demand: a request of n sends at most n ticks. Nothing runs while none is requested.
    Errors: none.
    State: when the next tick is due, and its number; version 1.0.0.0.
    Recovery: `exact`: ticks that would have come meanwhile count as not requested.
    Threads: sends on the scheduler of the host; without one, on that of the event loop that runs in the thread that
        subscribes, or else on the shared one of the process.
    Rules: §1.1, §3.3.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.interval(0.001, unrequested="keep").take(3).to_list()
        [0, 1, 2]
    """

    id = "rx://sources/interval"
    method = "interval"
    serializable = False
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(period: float | timedelta, *, unrequested: Unrequested = "latest") -> Checked[int]:
        """Return the checked parameters."""
        between = checked_duration(period, operator="interval", name="period", above=timedelta())
        return Checked((between, checked_unrequested(unrequested, operator="interval")))

    @staticmethod
    def stage(period: timedelta, unrequested: str) -> TimerSource:
        """Return a new live stage."""
        return TimerSource(period, period, unrequested, scheduler_for_delays)
