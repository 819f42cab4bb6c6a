"""zip_longest: tuples of the n-th elements of several streams, until all are over."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described_all
from reactivestreams.operators.definition import Checked, OperatorDefinition, U
from rs_core.operators.combine import ZipStage
from rs_core.stream.description import Description


class ZipLongest(OperatorDefinition):
    """Pass on tuples of the n-th elements of this stream and of others; complete when all have no more.

    Args:
        sources: Streams, publishers, iterables, asynchronous iterables.
        filling: What stands for the elements of streams that are over.
        prefetch: How many elements of each input may be requested and not yet be passed on, from 1 to 2**24.

    Demand: `prefetch` of each input at the start; replenished when 75 % were taken.
    Errors: the first error of an input comes after its elements and cancels the others; what waits of those is
        dropped.
    State: what waits of each input, and which are over; version 1.0.0.0.
    Threads: signals run in the thread that requests, or in that of the input that brings an element.
    Rules: §1.1, §1.3, §1.7, §2.7.
    Elsewhere: Reactor none; RxJava none; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(3).zip_longest("ab", filling="-").to_list()
        [(0, 'a'), (1, 'b'), (2, '-')]
    """

    id = "rx://operators/zip_longest"
    method = "zip_longest"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        *sources: Source[U], filling: object = None, prefetch: int = DEFAULT_PREFETCH
    ) -> Checked[tuple[Any, ...]]:
        """Return the checked parameters."""
        return Checked(
            (
                described_all(sources, operator="zip_longest"),
                checked_count(prefetch, operator="zip_longest", name="prefetch", at_least=1, at_most=2**24),
                filling,
            )
        )

    @staticmethod
    def stage(sources: tuple[Description, ...], prefetch: int, filling: object) -> ZipStage:
        """Return a new live stage."""
        return ZipStage(sources, prefetch, True, filling)
