"""buffer: join neighboring elements into lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.batch import BufferStage, OverlapStage

MAX_BUFFER_ELEMENTS = 2**24
"""The largest list that `buffer` makes."""

DEFAULT_MAX_ELEMENTS = 1_000_000
"""How many elements operators hold whose lists have no length of their own, unless they are told otherwise."""


class Buffer(OperatorDefinition):
    """Pass on lists of `count` neighboring elements; those at the end may be shorter.

    Args:
        count: Elements in a list, from 1 to `MAX_BUFFER_ELEMENTS`.
        skip: After how many elements the next list begins, from 1. Less than `count`: lists overlap; more: elements
            between them are left out; None: as many as `count`, so that each element is in one list.

    Demand: n lists requested are n * count elements requested upstream, and one more for each that is left out. Where
        lists overlap, as many as they need, at most 128 at a time. Of these, those that are open at the completion go
        out one after the other, each for a request.
    Errors: upstream's are passed on; the elements of the lists that are not full are given up.
    State: the elements of the lists that are not full, how many are still left out before the next one, and where lists
        overlap what waits of the input; version 1.1.0.0. Loaded ones count for the first request, and a completion
        waits for that.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `buffer`; RxJava `buffer`; reactivex `buffer_with_count`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).buffer(2).to_list()
        [[0, 1], [2, 3], [4]]
        >>> Stream.range(5).buffer(3, 2).to_list()
        [[0, 1, 2], [2, 3, 4], [4]]
        >>> Stream.range(5).buffer(1, 3).to_list()
        [[0], [3]]
    """

    id = "rx://operators/buffer"
    method = "buffer"
    stateful = True

    @staticmethod
    def parameters(count: int, skip: int | None = None) -> Checked[list[T]]:
        """Return the checked parameters."""
        size = checked_count(count, operator="buffer", name="count", at_least=1, at_most=MAX_BUFFER_ELEMENTS)
        return Checked(
            (size, size if skip is None else checked_count(skip, operator="buffer", name="skip", at_least=1))
        )

    @staticmethod
    def stage(count: int, skip: int) -> BufferStage | OverlapStage:
        """Return a new live stage."""
        return BufferStage(count, skip) if skip >= count else OverlapStage(DEFAULT_PREFETCH, count, skip)

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        count, skip = parameters
        return super().written((count, None if skip == count else skip), show)
