"""delay: pass on each element a time after it came."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.arguments import checked_count
from reactivestreams.durations import checked_duration
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import DelayStage


class Delay(OperatorDefinition):
    """Pass on each element, and the end, a time after it came.

    Args:
        duration: The time, in seconds or as a timedelta, 0 or more.
        prefetch: How many elements may be requested and not yet be passed on, from 1 to 2**24. No more than these go
            on in the duration: raise it for a faster stream.

    Demand: upstream's elements are requested at the start, `prefetch` at a time. An element whose time has come waits
        until it is requested.
    Errors: upstream's are passed on after the elements before them, and as late as these.
    State: the elements that wait, when each goes on, and when the end does; version 1.0.0.0. A time that has passed
        when the state is loaded has come.
    Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
    Rules: §1.1, §1.3.
    Elsewhere: Reactor `delayElements`; RxJava `delay`; reactivex `delay`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(3).delay(0.001).to_list()
        [0, 1, 2]
    """

    id = "rx://operators/delay"
    method = "delay"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(duration: float | timedelta, *, prefetch: int = DEFAULT_PREFETCH) -> Checked[T]:
        """Return the checked parameters."""
        count = checked_count(prefetch, operator="delay", name="prefetch", at_least=1, at_most=2**24)
        return Checked((checked_duration(duration, operator="delay", name="duration"), count))

    @staticmethod
    def stage(duration: timedelta, prefetch: int) -> DelayStage:
        """Return a new live stage."""
        return DelayStage(prefetch, duration, scheduler_for_delays)
