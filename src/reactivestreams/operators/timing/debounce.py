"""debounce: pass on an element when no other one came for a time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from reactivestreams.durations import checked_duration
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import WindowedStage


class Debounce(OperatorDefinition):
    """Pass on an element when no other one came for a time after it; the last one when the upstream completes.

    Args:
        duration: The time, in seconds or as a timedelta, 0 or more.

    Demand: upstream's elements are requested at the start and again and again, 128 at a time, whatever is requested. An
        element that is due waits until it is requested, or until the next one is due, which takes its place.
    Errors: upstream's are passed on at once; what waits is dropped.
    State: the latest element, when it is due, and an element that was due and not requested; version 1.0.0.0. A time
        that has passed when the state is loaded has come.
    Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
    Rules: §1.1, §1.3.
    Elsewhere: Reactor `sampleTimeout`; RxJava `debounce`, `throttleWithTimeout`; reactivex
        `debounce`, `throttle_with_timeout`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("r", "re", "rea").debounce(0.05).to_list()
        ['rea']
    """

    id = "rx://operators/debounce"
    method = "debounce"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(duration: float | timedelta) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_duration(duration, operator="debounce", name="duration"),))

    @staticmethod
    def stage(duration: timedelta) -> WindowedStage:
        """Return a new live stage."""
        return WindowedStage(DEFAULT_PREFETCH, duration, "debounce", scheduler_for_delays)

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        return f"debounce({parameters[0].total_seconds():g})"
