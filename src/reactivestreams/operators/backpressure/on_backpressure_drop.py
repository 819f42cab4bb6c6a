"""on_backpressure_drop: drop elements that nobody has requested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.backpressure import OverflowStage
from rs_core.queues.overflow_policy import OverflowPolicy


class OnBackpressureDrop(OperatorDefinition):
    """Drop elements that nobody has requested.

    Args:
        on_dropped: Called with each element that is dropped; None: the hook for dropped signals is.

    Demand: as for `on_backpressure_buffer`.
    Errors: upstream's are passed on. An error that `on_dropped` raises ends the stream.
    State: what waits of the upstream; version 1.0.0.0.
    Threads: signals run in the thread that requests or that brings an element.
    Rules: §1.1, §1.3, §3.12.
    Elsewhere: Reactor `onBackpressureDrop`; RxJava `onBackpressureDrop`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> lost = []
        >>> numbers = Stream.range(4).on_backpressure_drop(on_dropped=lost.append)
        >>> list(numbers.iterate(prefetch=1)), lost  # all come before the first request
        ([], [0, 1, 2, 3])
    """

    id = "rx://operators/on_backpressure_drop"
    method = "on_backpressure_drop"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(*, on_dropped: Callable[[T], object] | None = None) -> Checked[T]:
        """Return the checked parameters."""
        if on_dropped is not None:
            checked_callable(on_dropped, operator="on_backpressure_drop", name="on_dropped")
        return Checked((on_dropped,))

    @staticmethod
    def stage(on_dropped: Callable[[Any], object] | None) -> OverflowStage:
        """Return a new live stage."""
        return OverflowStage(DEFAULT_PREFETCH, 0, OverflowPolicy.DROP_NEWEST, on_dropped)
