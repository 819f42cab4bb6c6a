"""merge_with: the elements of several streams as they come."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described_all
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.combine import MergeStage
from rs_core.stream.description import Description


class MergeWith(OperatorDefinition):
    """Pass on the elements of this stream and of others as they come; complete when all have.

    Args:
        sources: Streams, publishers, iterables, asynchronous iterables.
        prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

    Demand: `prefetch` of each input at the start; replenished when 75 % were taken.
    Errors: the first error of an input comes after its elements and cancels the others; what waits of those is
        dropped.
    State: what waits of each input, and which are over; version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings an element.
    Rules: §1.1, §1.3, §1.7, §2.7.
    Elsewhere: Reactor `mergeWith`; RxJava `mergeWith`; reactivex `merge`.

    Example:
        >>> from reactivestreams import Stream
        >>> sorted(Stream.range(3).merge_with([10, 11], Stream.just(20)).to_list())
        [0, 1, 2, 10, 11, 20]
    """

    id = "rx://operators/merge_with"
    method = "merge_with"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(*sources: Source[T], prefetch: int = DEFAULT_PREFETCH) -> Checked[T]:
        """Return the checked parameters."""
        return Checked(
            (
                described_all(sources, operator="merge_with"),
                checked_count(prefetch, operator="merge_with", name="prefetch", at_least=1, at_most=2**24),
            )
        )

    @staticmethod
    def stage(sources: tuple[Description, ...], prefetch: int) -> MergeStage:
        """Return a new live stage."""
        return MergeStage(sources, prefetch)
