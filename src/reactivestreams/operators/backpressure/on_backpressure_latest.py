"""on_backpressure_latest: let only the latest element wait that nobody has requested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.backpressure import OverflowStage
from rs_core.queues.overflow_policy import OverflowPolicy


class OnBackpressureLatest(OperatorDefinition):
    """Let the latest element wait if nobody has requested it, and drop the one before.

    Args:
        on_dropped: Called with each element that is dropped; None: the hook for dropped signals is.

    Demand: as for `on_backpressure_buffer`.
    Errors: upstream's come after the element that waits. An error that `on_dropped` raises ends the stream at once.
    State: the element that waits; version 1.0.0.0.
    Threads: signals run in the thread that requests or that brings an element.
    Rules: §1.1, §1.3, §3.12.
    Elsewhere: Reactor `onBackpressureLatest`; RxJava `onBackpressureLatest`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> numbers = Stream.range(9).on_backpressure_latest(on_dropped=lambda number: None)
        >>> list(numbers.iterate(prefetch=1))  # all come before the first request
        [8]
    """

    id = "rx://operators/on_backpressure_latest"
    method = "on_backpressure_latest"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(*, on_dropped: Callable[[T], object] | None = None) -> Checked[T]:
        """Return the checked parameters."""
        if on_dropped is not None:
            checked_callable(on_dropped, operator="on_backpressure_latest", name="on_dropped")
        return Checked((on_dropped,))

    @staticmethod
    def stage(on_dropped: Callable[[Any], object] | None) -> OverflowStage:
        """Return a new live stage."""
        return OverflowStage(DEFAULT_PREFETCH, 1, OverflowPolicy.DROP_OLDEST, on_dropped)
