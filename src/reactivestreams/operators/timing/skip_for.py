"""skip_for: drop elements for a time."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.durations import checked_duration
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.sources.timer import ticks
from rs_core.operators.combine import GateStage


class SkipFor(OperatorDefinition):
    """Drop elements until a time is over, then pass on all.

    Args:
        duration: The time from the start on, in seconds or as a timedelta, 0 or more.

    Demand: n requested are n requested upstream, at most 128 at a time; a dropped element gives its demand back.
    Errors: upstream's are passed on.
    State: when the time is over, whether it is, and what waits of the upstream; version 1.0.0.0. A time that has passed
        when the state is loaded is over.
    Threads: signals run in the thread that requests, or on the scheduler of the host when the time is over.
    Rules: §1.1, §1.3, §1.5.
    Elsewhere: Reactor `skip` with a duration; RxJava `skip` with a time; reactivex `skip_with_time`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(3).skip_for(60).to_list()
        []
    """

    id = "rx://operators/skip_for"
    method = "skip_for"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(duration: float | timedelta) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_duration(duration, operator="skip_for", name="duration"),))

    @staticmethod
    def stage(duration: timedelta) -> GateStage:
        """Return a new live stage."""
        return GateStage(ticks(duration, operator="skip_for", name="duration"), DEFAULT_PREFETCH, True)
