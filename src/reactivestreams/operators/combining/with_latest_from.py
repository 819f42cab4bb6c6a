"""with_latest_from: each element with the latest ones of other streams."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described_all
from reactivestreams.operators.definition import Checked, OperatorDefinition, U
from rs_core.operators.combine import LatestStage
from rs_core.stream.description import Description


class WithLatestFrom(OperatorDefinition):
    """Pass on each element in a tuple with the latest elements of others; drop it where one of them has none yet.

    Args:
        sources: Streams, publishers, iterables, asynchronous iterables.
        prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

    Demand: `prefetch` of each input at the start; replenished when 75 % were taken. Elements of the others are
        taken as they come.
    Errors: the first error of an input comes after its elements and cancels the others; what waits of those is
        dropped.
        An other input that completes without an element completes the stream.
    State: what waits of each input, which are over, and the latest element of each; version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings an element.
    Rules: §1.1, §1.3, §1.7, §2.7.
    Elsewhere: Reactor `withLatestFrom`; RxJava `withLatestFrom`; reactivex `with_latest_from`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2).with_latest_from(Stream.never()).merge_with([(0, 0)]).take(1).to_list()
        [(0, 0)]
    """

    id = "rx://operators/with_latest_from"
    method = "with_latest_from"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(*sources: Source[U], prefetch: int = DEFAULT_PREFETCH) -> Checked[tuple[Any, ...]]:
        """Return the checked parameters."""
        return Checked(
            (
                described_all(sources, operator="with_latest_from"),
                checked_count(prefetch, operator="with_latest_from", name="prefetch", at_least=1, at_most=2**24),
            )
        )

    @staticmethod
    def stage(sources: tuple[Description, ...], prefetch: int) -> LatestStage:
        """Return a new live stage."""
        return LatestStage(sources, prefetch, True)
