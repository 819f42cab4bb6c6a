"""throttle_latest: pass on an element at once, then the latest one at most once in a time."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.durations import checked_duration
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import WindowedStage


class ThrottleLatest(OperatorDefinition):
    """Pass on an element at once, then at most one in each time, the latest; the last one when the upstream completes.

    Args:
        duration: The time, in seconds or as a timedelta, 0 or more.

    Demand: upstream's elements are requested at the start and again and again, 128 at a time, whatever is requested. An
        element that is due waits until it is requested, or until the next one is due, which takes its place.
    Errors: upstream's are passed on at once; what waits is dropped.
    State: the latest element, when it is due, and an element that was due and not requested; version 1.0.0.0. A time
        that has passed when the state is loaded has come.
    Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
    Rules: §1.1, §1.3.
    Elsewhere: Reactor none; RxJava `throttleLatest`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(1000).throttle_latest(60).to_list()
        [0, 999]
    """

    id = "rx://operators/throttle_latest"
    method = "throttle_latest"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(duration: float | timedelta) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_duration(duration, operator="throttle_latest", name="duration"),))

    @staticmethod
    def stage(duration: timedelta) -> WindowedStage:
        """Return a new live stage."""
        return WindowedStage(DEFAULT_PREFETCH, duration, "throttle", scheduler_for_delays)
