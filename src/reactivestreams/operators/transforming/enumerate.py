"""enumerate: each element with its number."""

from __future__ import annotations

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.fold import EnumerateStage

MAX_START = 2**62
"""The largest number that `enumerate` begins with, and the distance of the least one from 0."""


class Enumerate(OperatorDefinition):
    """Pass on tuples of a number, which counts up, and the element.

    Args:
        start: The number of the first element, from -`MAX_START` to `MAX_START`.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on.
    State: the number of the next element; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1.
    Elsewhere: Reactor `index`; RxJava none; reactivex `map_indexed`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("a", "b").enumerate(1).to_list()
        [(1, 'a'), (2, 'b')]
    """

    id = "rx://operators/enumerate"
    method = "enumerate"
    stage = EnumerateStage
    stateful = True

    @staticmethod
    def parameters(start: int = 0) -> Checked[tuple[int, T]]:
        """Return the checked parameters."""
        return Checked(
            (checked_count(start, operator="enumerate", name="start", at_least=-MAX_START, at_most=MAX_START),)
        )
