"""on_backpressure_reduce: make one of the elements that nobody has requested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.backpressure import OverflowStage


class OnBackpressureReduce(OperatorDefinition):
    """Make one of the elements that nobody has requested, and let it wait.

    Args:
        function: Called with the element that waits and the next one; returns what waits instead.

    Demand: as for `on_backpressure_buffer`.
    Errors: upstream's come after the element that waits. An error that the function raises ends the stream at once.
    State: the element that waits; version 1.0.0.0.
    Threads: signals run in the thread that requests or that brings an element.
    Rules: §1.1, §1.3, §3.12.
    Elsewhere: Reactor none; RxJava `onBackpressureReduce`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> numbers = Stream.range(5).on_backpressure_reduce(lambda total, number: total + number)
        >>> list(numbers.iterate(prefetch=1))  # all come before the first request
        [10]
    """

    id = "rx://operators/on_backpressure_reduce"
    method = "on_backpressure_reduce"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(function: Callable[[T, T], T]) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_callable(function, operator="on_backpressure_reduce", name="function"),))

    @staticmethod
    def stage(function: Callable[[Any, Any], Any]) -> OverflowStage:
        """Return a new live stage."""
        return OverflowStage(DEFAULT_PREFETCH, 1, None, function)
