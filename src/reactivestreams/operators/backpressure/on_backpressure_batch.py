"""on_backpressure_batch: put elements into one list until somebody requests it."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.buffer import MAX_BUFFER_ELEMENTS
from rs_core.operators.backpressure import BatchStage


class OnBackpressureBatch(OperatorDefinition):
    """Pass on lists of the elements that came since the last one was requested.

    A subscriber that keeps up gets lists of one element, a slow one longer lists. None is dropped.

    Args:
        limit: Elements in a list at most, from 1 to `MAX_BUFFER_ELEMENTS`.

    Demand: the elements of one list are requested, at most 128 at a time, whatever is requested; while a full list
        waits, no more are.
    Errors: upstream's come after the list that waits.
    State: the list that waits; version 1.0.0.0.
    Threads: signals run in the thread that requests or that brings an element.
    Rules: §1.1, §1.3, §3.12.
    Elsewhere: Reactor none; RxJava none; reactivex none. Akka and Pekko have `batch`.

    Example:
        >>> from reactivestreams import Stream
        >>> numbers = Stream.range(5).on_backpressure_batch(3)
        >>> list(numbers.iterate(prefetch=1))
        [[0, 1, 2], [3, 4]]
    """

    id = "rx://operators/on_backpressure_batch"
    method = "on_backpressure_batch"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(limit: int) -> Checked[list[T]]:
        """Return the checked parameters."""
        return Checked(
            (
                checked_count(
                    limit, operator="on_backpressure_batch", name="limit", at_least=1, at_most=MAX_BUFFER_ELEMENTS
                ),
            )
        )

    @staticmethod
    def stage(limit: int) -> BatchStage:
        """Return a new live stage."""
        return BatchStage(min(limit, DEFAULT_PREFETCH), limit)
