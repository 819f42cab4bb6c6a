"""merge_sorted: the elements of several sorted streams as one sorted stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described_all
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.combine import MergeSortedStage
from rs_core.stream.description import Description


class MergeSorted(OperatorDefinition):
    """Pass on the elements of this stream and of others, each time the least of those that come next.

    Where each input is sorted, so is the result. Of equal elements that of the earlier input comes first.

    Args:
        sources: Streams, publishers, iterables, asynchronous iterables, each in ascending order.
        key: Called with each element; returns what is compared in its place. None: the elements themselves.
        prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

    Demand: `prefetch` of each input at the start; replenished when 75 % were taken. An element is passed on when the
        next one, or the end, of each input has come.
    Errors: the first error of an input comes when its next element is needed, cancels the others and drops what waits
        of them; an exception of `key` or of a comparison does the same.
    State: what waits of each input, and which are over; version 1.0.0.0. `key` is called again for what comes next.
    Threads: signals run in the thread that requests, or in that of the input that brings an element.
    Rules: §1.1, §1.3, §1.7, §2.7.
    Elsewhere: Reactor `mergeComparingWith`; RxJava none; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 4, 9).merge_sorted([2, 3, 10], Stream.just(5)).to_list()
        [1, 2, 3, 4, 5, 9, 10]
    """

    id = "rx://operators/merge_sorted"
    method = "merge_sorted"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        *sources: Source[T], key: Callable[[T], Any] | None = None, prefetch: int = DEFAULT_PREFETCH
    ) -> Checked[T]:
        """Return the checked parameters."""
        return Checked(
            (
                described_all(sources, operator="merge_sorted"),
                checked_count(prefetch, operator="merge_sorted", name="prefetch", at_least=1, at_most=2**24),
                None if key is None else checked_callable(key, operator="merge_sorted", name="key"),
            )
        )

    @staticmethod
    def stage(sources: tuple[Description, ...], prefetch: int, key: Callable[[Any], Any] | None) -> MergeSortedStage:
        """Return a new live stage."""
        return MergeSortedStage(sources, prefetch, key)
