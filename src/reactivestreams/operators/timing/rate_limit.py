"""rate_limit: pass on no more elements than a time permits."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.arguments import checked_count
from reactivestreams.durations import checked_duration
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import RateLimitStage
from rs_core.queues.bounded_ring import MAX_CAPACITY_ELEMENTS


class RateLimit(OperatorDefinition):
    """Pass on no more elements than a time permits, for a service that refuses more: a token bucket.

    Each element takes a token. The bucket holds `burst` tokens, is full at the start, and is filled evenly, with
    `count` in each `per`. So in no span of time do more pass than `burst` and those that it brings: after a pause,
    `burst` at once. A service that permits n in any `per` never gets more if `count` and `burst` add up to n.

    Args:
        count: How many tokens come in `per`, from 1 to 2**24.
        per: The time, in seconds or as a timedelta, above 0.
        burst: How many tokens the bucket holds, from 1 to 2**24; None: `count`. With 1 elements are evenly spaced, but
            the time that the upstream takes for one adds to the distance, since a full bucket gets no more tokens.

    Demand: as many elements are requested upstream as there are tokens and are requested, at most 256 at a time; none
        waits here.
    Errors: upstream's are passed on at once.
    State: the tokens in the bucket and when they were, and what waits of the upstream; version 1.0.0.0. The time until
        the state is loaded brings tokens, too.
    Threads: signals run in the thread that requests or that brings an element; what waited for a token, on the
        scheduler of the host.
    Rules: §1.1, §1.3, §2.7.
    Elsewhere: Reactor `delayElements` with a time for each; RxJava none; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(4).rate_limit(2, 0.01).to_list()
        [0, 1, 2, 3]
    """

    id = "rx://operators/rate_limit"
    method = "rate_limit"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(count: int, per: float | timedelta, *, burst: int | None = None) -> Checked[T]:
        """Return the checked parameters."""
        tokens = checked_count(count, operator="rate_limit", name="count", at_least=1, at_most=MAX_CAPACITY_ELEMENTS)
        time = checked_duration(per, operator="rate_limit", name="per", above=timedelta())
        if burst is not None:
            burst = checked_count(burst, operator="rate_limit", name="burst", at_least=1, at_most=MAX_CAPACITY_ELEMENTS)
        return Checked((tokens, time, burst))

    @staticmethod
    def stage(count: int, per: timedelta, burst: int | None) -> RateLimitStage:
        """Return a new live stage."""
        return RateLimitStage(count, per, burst or count, scheduler_for_delays)
