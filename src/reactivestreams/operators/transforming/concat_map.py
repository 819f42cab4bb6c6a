"""concat_map: pass on the elements of a stream for each element, one stream after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.operators.combining.inputs import Source
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.transforming.flat_map import (
    DEFAULT_PREFETCH,
    checked_flattening,
    flattening_stage,
)
from rs_core.operators.flatten import FlatMapStage


class ConcatMap(OperatorDefinition):
    """Pass on the elements of what a function returns for each element, one stream after the other.

    Args:
        function: As for `flat_map`.
        prefetch: As for `flat_map`.

    Demand: `prefetch` requested upstream at the start, and of each stream when it begins; replenished when 75 % of them
        were taken. The function is called where there is demand and the stream before is over.
    Errors: upstream's comes after the streams of all elements before it; else as for `flat_map`.
    State: as for `flat_map`; version 1.1.0.0.
    Threads: the function and the iterables run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4, §2.7.
    Elsewhere: Reactor `concatMap`; RxJava `concatMap`; reactivex `concat_map`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2).concat_map(lambda n: Stream.range(3).map(lambda m: (n, m))).to_list()
        [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    """

    id = "rx://operators/concat_map"
    method = "concat_map"

    @staticmethod
    def parameters(function: Callable[[T], Source[U]], *, prefetch: int = DEFAULT_PREFETCH) -> Checked[U]:
        """Return the checked parameters."""
        return Checked(checked_flattening(function, prefetch, 1, "concat_map")[:2])

    @staticmethod
    def stage(function: Callable[[Any], Any], prefetch: int) -> FlatMapStage:
        """Return a new live stage."""
        return flattening_stage(function, prefetch, 1, operator="concat_map", keeps_order=True)
