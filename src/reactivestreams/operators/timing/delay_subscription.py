"""delay_subscription: subscribe to the stream after a time, or when another stream has an element or completes."""

from __future__ import annotations

from datetime import datetime, timedelta

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.sources.timer import is_duration, ticks
from rs_core.operators.sequence import DelaySubscriptionStage
from rs_core.stream.description import Description


class DelaySubscription(OperatorDefinition):
    """Begin the stream above after a time, or when another stream has completed.

    Args:
        delay: The time from the start on, in seconds or as a timedelta, 0 or more; an aware datetime; or a stream, a
            publisher, an iterable or an asynchronous iterable, whose elements are dropped and whose completion counts.

    Demand: that of the stream above, at most 128 elements at a time.
    Errors: those of both are passed on; after an error of the other one the stream above is not begun.
    State: whether the stream above was begun, what waits of it, and when it begins; version 1.0.0.0. A time that has
        passed when the state is loaded has come.
    Threads: the stream above is subscribed to on the scheduler of the host when the time has come.
    Rules: §1.1, §1.9.
    Elsewhere: Reactor `delaySubscription`; RxJava `delaySubscription`; reactivex `delay_subscription`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(3).delay_subscription(0.001).to_list()
        [0, 1, 2]
    """

    id = "rx://operators/delay_subscription"
    method = "delay_subscription"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(delay: float | timedelta | datetime | Source[object]) -> Checked[T]:
        """Return the checked parameters."""
        if is_duration(delay) or isinstance(delay, datetime):
            return Checked((ticks(delay, operator="delay_subscription", name="delay"),))
        return Checked((described(delay, where="delay_subscription(delay)"),))

    @staticmethod
    def stage(delay: Description) -> DelaySubscriptionStage:
        """Return a new live stage."""
        return DelaySubscriptionStage(DEFAULT_PREFETCH, delay)
