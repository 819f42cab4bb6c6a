"""audit: pass on the latest element a time after the first one."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.durations import checked_duration
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import WindowedStage


class Audit(OperatorDefinition):
    """Pass on the latest element when a time is over that began with the first one after the last that was passed on.

    Args:
        duration: The time, in seconds or as a timedelta, 0 or more.

    Demand: upstream's elements are requested at the start and again and again, 128 at a time, whatever is requested. An
        element that is due waits until it is requested, or until the next one is due, which takes its place.
    Errors: upstream's are passed on at once; what waits is dropped.
    State: the latest element, when it is due, and an element that was due and not requested; version 1.0.0.0. A time
        that has passed when the state is loaded has come.
    Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
    Rules: §1.1, §1.3.
    Elsewhere: Reactor none; RxJava none; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(20.5, 20.7, 20.6).audit(0.05).to_list()
        [20.6]
    """

    id = "rx://operators/audit"
    method = "audit"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(duration: float | timedelta) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_duration(duration, operator="audit", name="duration"),))

    @staticmethod
    def stage(duration: timedelta) -> WindowedStage:
        """Return a new live stage."""
        return WindowedStage(DEFAULT_PREFETCH, duration, "audit", scheduler_for_delays)
