"""on_backpressure_buffer: let elements wait that nobody has requested, and choose what becomes of one too many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.errors import ArgumentError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.backpressure import OverflowStage
from rs_core.queues.bounded_ring import MAX_CAPACITY_ELEMENTS
from rs_core.queues.overflow_policy import OverflowPolicy, checked_policy


class OnBackpressureBuffer(OperatorDefinition):
    """Take all elements as they come, and let those wait that nobody has requested.

    Args:
        capacity: How many elements wait, from 1 to 2**24; 1 with `latest`.
        policy: What becomes of one more: `error` ends the stream with CapacityError after those that wait,
            `drop_newest` drops it, `drop_oldest` drops the oldest that waits, `latest` the only one that waits.
        on_dropped: Called with each element that is dropped; None: the hook for dropped signals is.

    Raises:
        ArgumentError: The policy is `block`: an operator cannot make its upstream wait except by requesting nothing, as
            `limit_rate` and `observe_on` do.

    Demand: upstream's elements are requested at the start and again and again, 128 at a time, whatever is requested. An
        operator below that requests in portions has requested no more than its portion while a source sends all at
        once: give it a `prefetch` that is large enough, or this operator a capacity.
    Errors: upstream's come after the elements that wait. An error that `on_dropped` raises ends the stream at once.
    State: the elements that wait, and whether there was one too many; version 1.0.0.0.
    Threads: signals run in the thread that requests or that brings an element.
    Rules: §1.1, §1.3, §3.12.
    Elsewhere: Reactor `onBackpressureBuffer`; RxJava `onBackpressureBuffer`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> numbers = Stream.range(9).on_backpressure_buffer(3, "drop_oldest", on_dropped=lambda number: None)
        >>> list(numbers.iterate(prefetch=1))  # all come before the first request
        [6, 7, 8]
    """

    id = "rx://operators/on_backpressure_buffer"
    method = "on_backpressure_buffer"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        capacity: int = 1024,
        policy: OverflowPolicy | str = "error",
        *,
        on_dropped: Callable[[T], object] | None = None,
    ) -> Checked[T]:
        """Return the checked parameters."""
        chosen = checked_policy(policy, parameter="on_backpressure_buffer(policy)")
        if chosen is OverflowPolicy.BLOCK:
            raise ArgumentError(
                "on_backpressure_buffer(policy) cannot be 'block': nothing can make the upstream wait but demand; use "
                "limit_rate() or observe_on(), which request no more than they can hold, or another policy"
            )
        count = checked_count(
            1 if chosen is OverflowPolicy.LATEST else capacity,
            operator="on_backpressure_buffer",
            name="capacity",
            at_least=1,
            at_most=MAX_CAPACITY_ELEMENTS,
        )
        if on_dropped is not None:
            checked_callable(on_dropped, operator="on_backpressure_buffer", name="on_dropped")
        return Checked((count, chosen, on_dropped))

    @staticmethod
    def stage(capacity: int, policy: OverflowPolicy, on_dropped: Callable[[Any], object] | None) -> OverflowStage:
        """Return a new live stage."""
        dropping = OverflowPolicy.DROP_OLDEST if policy is OverflowPolicy.LATEST else policy
        return OverflowStage(DEFAULT_PREFETCH, capacity, dropping, on_dropped)
