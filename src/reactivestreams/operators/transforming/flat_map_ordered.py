"""flat_map_ordered: run a stream for each element beside each other, and pass their elements on in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.operators.combining.inputs import Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.transforming.flat_map import (
    DEFAULT_CONCURRENCY,
    DEFAULT_PREFETCH,
    checked_flattening,
    flattening_stage,
)
from rs_core.operators.flatten import FlatMapStage


class FlatMapOrdered(OperatorDefinition):
    """Pass on the elements of what a function returns for each element: streams run beside each other, in order.

    The elements of a stream come after all those of the streams before it; what comes earlier waits, `prefetch`
    elements of each stream at most.

    Args:
        function: As for `flat_map`.
        concurrency: As for `flat_map`.
        prefetch: As for `flat_map`.

    Demand: as for `flat_map`.
    Errors: upstream's comes after the streams of all elements before it, that of a stream when it is its turn; else
        as for `flat_map`.
    State: as for `flat_map`; version 1.1.0.0.
    Threads: the function and the iterables run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4, §2.7.
    Elsewhere: Reactor `flatMapSequential`; RxJava `concatMapEager`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2).flat_map_ordered(lambda n: Stream.just(n, -n).map(str)).to_list()
        ['1', '-1', '2', '-2']
    """

    id = "rx://operators/flat_map_ordered"
    method = "flat_map_ordered"

    @staticmethod
    def parameters(
        function: Callable[[T], Source[U]], *, concurrency: int = DEFAULT_CONCURRENCY, prefetch: int = DEFAULT_PREFETCH
    ) -> Checked[U]:
        """Return the checked parameters."""
        return Checked(checked_flattening(function, prefetch, concurrency, "flat_map_ordered"))

    @staticmethod
    def stage(function: Callable[[Any], Any], prefetch: int, concurrency: int = DEFAULT_CONCURRENCY) -> FlatMapStage:
        """Return a new live stage."""
        return flattening_stage(function, prefetch, concurrency, operator="flat_map_ordered", keeps_order=True)
