"""skip_last: drop the last elements."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.limit import SkipLastStage, SkipStage

MAX_SKIP_LAST = 2**24
"""The most elements that `skip_last` holds."""


class SkipLast(OperatorDefinition):
    """Drop the last `count` elements: each passes when so many others have come after it.

    Args:
        count: How many elements to drop, from 0 to `MAX_SKIP_LAST`; so many are held.

    Demand: n requested are n requested upstream, and `count` more in all.
    Errors: upstream's are passed on, and the elements given up.
    State: the elements that are held; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `skipLast`; RxJava `skipLast`; reactivex `skip_last`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).skip_last(2).to_list()
        [0, 1, 2]
    """

    id = "rx://operators/skip_last"
    method = "skip_last"
    stateful = True

    @staticmethod
    def parameters(count: int) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_count(count, operator="skip_last", name="count", at_least=0, at_most=MAX_SKIP_LAST),))

    @staticmethod
    def stage(count: int) -> Any:
        """Return a new live stage."""
        return SkipLastStage(count) if count else SkipStage(0)
