"""timer: send the number of a tick after a time, and perhaps of more, one in each period."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import ClassVar, TypeGuard, cast

from reactivestreams.arguments import Unrequested, checked_unrequested
from reactivestreams.durations import checked_duration
from reactivestreams.errors import ArgumentError
from reactivestreams.operators.definition import Checked, OperatorDefinition, Recovery
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.sources.timer import TimerSource
from rs_core.stream.description import Description, new_head


class Timer(OperatorDefinition):
    """Send 0 when a time has come, and complete; with a period go on with 1, 2 and so on, one in each period.

    A tick comes a period after the one before it was due, so late ones do not make the others late.

    Args:
        due: The time from the start to the first tick, in seconds or as a timedelta, 0 or more; or an aware datetime.
            A time that has passed has come; of a periodic timer that began long ago the latest tick is the first.
        period: The time between ticks, in seconds or as a timedelta, 0 or more; 0 is as fast as ticks are requested.
            None: there is one tick.
        unrequested: What becomes of the ticks of a period that come when none is requested. `latest`: the latest one
            waits. `keep`: they are counted and sent when they are requested. `drop`: they are left out. Each has its
            number in any case, so that one sees how many were left out.

    Demand: a request of n sends at most n ticks. Nothing runs while none is requested.
    Errors: none.
    State: when the next tick is due, and its number; version 1.0.0.0.
    Recovery: `exact`: ticks that would have come meanwhile count as not requested.
    Threads: sends on the scheduler of the host; without one, on that of the event loop that runs in the thread that
        subscribes, or else on the shared one of the process.
    Rules: §1.1, §1.5, §3.3.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.timer(0.001).to_list()
        [0]
        >>> Stream.timer(0, 0.001).take(3).to_list()
        [0, 1, 2]
    """

    id = "rx://sources/timer"
    method = "timer"
    serializable = False
    recovery: ClassVar[Recovery | None] = "exact"

    @staticmethod
    def parameters(
        due: float | timedelta | datetime,
        period: float | timedelta | None = None,
        *,
        unrequested: Unrequested = "latest",
    ) -> Checked[int]:
        """Return the checked parameters."""
        if isinstance(due, datetime):
            if due.utcoffset() is None:
                raise ArgumentError(
                    f"timer(due) needs a datetime with a zone, got {due!r}; pass datetime.now(UTC) + ..."
                )
            first: timedelta | datetime = due
        else:
            first = checked_duration(due, operator="timer", name="due")
        between = None if period is None else checked_duration(period, operator="timer", name="period")
        return Checked((first, between, checked_unrequested(unrequested, operator="timer")))

    @staticmethod
    def stage(due: timedelta | datetime, period: timedelta | None, unrequested: str) -> TimerSource:
        """Return a new live stage."""
        return TimerSource(due, period, unrequested, scheduler_for_delays)


def is_duration(value: object) -> TypeGuard[float | timedelta]:
    """Return whether an argument is a time, and not a stream."""
    return isinstance(value, int | float | timedelta)


def ticks(due: float | timedelta | datetime, *, operator: str, name: str, repeats: bool = False) -> Description:
    """Return the description of a timer that is an input of an operator.

    Args:
        due: The argument of the operator that it is made of.
        operator: The operator.
        name: The name of the argument.
        repeats: Whether the time is a period, too.

    Raises:
        ArgumentTypeError: The argument is no time.
        ArgumentError: It is negative, or a datetime without a zone; or it is 0 and is a period.
    """
    if isinstance(due, datetime):
        parameters = Timer.parameters(due)
    else:
        duration = checked_duration(due, operator=operator, name=name, above=timedelta() if repeats else None)
        parameters = Timer.parameters(duration, duration if repeats else None)
    return cast("Description", new_head(Description, Timer, parameters))
