"""debounce: pass on an element when no other one came for a time, or until a stream of its own has something."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.durations import checked_duration
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.flat_map import describing
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import DebounceByStage, WindowedStage


class Debounce(OperatorDefinition):
    """Pass on an element when no other one came for a time after it; the last one when the upstream completes.

    Args:
        duration: The time, in seconds or as a timedelta, 0 or more. Or a function that is called with each element and
            returns a stream, a publisher, an iterable or an asynchronous iterable: the time is over when that has an
            element or completes, and it is cancelled when another element comes before.

    Demand: upstream's elements are requested at the start and again and again, 128 at a time, whatever is requested. An
        element that is due waits until it is requested, or until the next one is due, which takes its place.
    Errors: upstream's are passed on at once, and those of the stream of the latest element; what waits is dropped. An
        exception of the function becomes `on_error`, and so does an ArgumentTypeError where it returns no such thing.
    State: the latest element, when it is due, and an element that was due and not requested; version 1.0.0.0. A time
        that has passed when the state is loaded has come. With a function, the state of the stream that runs in place
        of the time; the function must return an equal one again for the latest element.
    Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
    Rules: §1.1, §1.3.
    Elsewhere: Reactor `sampleTimeout`; RxJava `debounce`, `throttleWithTimeout`; reactivex
        `debounce`, `throttle_with_timeout`, `throttle_with_mapper`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("r", "re", "rea").debounce(0.05).to_list()
        ['rea']
        >>> Stream.just("r", "re", "rea.").debounce(lambda text: () if "." in text else Stream.timer(60)).to_list()
        ['rea.']
    """

    id = "rx://operators/debounce"
    method = "debounce"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(duration: float | timedelta | Callable[[T], Source[object]]) -> Checked[T]:
        """Return the checked parameters."""
        if callable(duration):
            return Checked((checked_callable(duration, operator="debounce", name="duration"),))
        return Checked((checked_duration(duration, operator="debounce", name="duration"),))

    @staticmethod
    def stage(duration: timedelta | Callable[[Any], object]) -> WindowedStage | DebounceByStage:
        """Return a new live stage."""
        if not isinstance(duration, timedelta):
            return DebounceByStage(DEFAULT_PREFETCH, duration, describing("debounce"))
        return WindowedStage(DEFAULT_PREFETCH, duration, "debounce", scheduler_for_delays)
