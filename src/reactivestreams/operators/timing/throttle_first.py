"""throttle_first: pass on an element, and drop those that come within a time after it."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.durations import checked_duration
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import ThrottleFirstStage


class ThrottleFirst(OperatorDefinition):
    """Pass on an element, and drop those that come within a time after it.

    Args:
        duration: The time, in seconds or as a timedelta, 0 or more.

    Demand: n requested are n requested upstream; a dropped element gives its demand back.
    Errors: upstream's are passed on.
    State: until when elements are dropped; version 1.0.0.0.
    Threads: as upstream; the time is that of the scheduler of the host, or else of the process.
    Rules: §1.1.
    Elsewhere: Reactor `sampleFirst`; RxJava `throttleFirst`; reactivex `throttle_first`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("click", "click", "click").throttle_first(60).to_list()
        ['click']
    """

    id = "rx://operators/throttle_first"
    method = "throttle_first"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(duration: float | timedelta) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_duration(duration, operator="throttle_first", name="duration"),))

    @staticmethod
    def stage(duration: timedelta) -> ThrottleFirstStage:
        """Return a new live stage."""
        return ThrottleFirstStage(duration, scheduler_for_delays)
