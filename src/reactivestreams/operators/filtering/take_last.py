"""take_last: pass on the last elements."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.limit import IgnoreStage, TakeLastStage

MAX_TAKE_LAST = 2**24
"""The most elements that `take_last` holds."""


class TakeLast(OperatorDefinition):
    """Pass on the last `count` elements when the upstream has completed.

    Args:
        count: How many elements pass, from 0 to `MAX_TAKE_LAST`; so many are held.

    Demand: the first request is one for all elements upstream; n requested are n passed on, once that has completed.
        A count of 0 requests all elements at the start.
    Errors: upstream's are passed on, and the elements given up.
    State: the elements that are held; version 1.0.0.0.
    Threads: the elements are passed on in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `takeLast`; RxJava `takeLast`; reactivex `take_last`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).take_last(2).to_list()
        [3, 4]
    """

    id = "rx://operators/take_last"
    method = "take_last"
    stateful = True

    @staticmethod
    def parameters(count: int) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_count(count, operator="take_last", name="count", at_least=0, at_most=MAX_TAKE_LAST),))

    @staticmethod
    def stage(count: int) -> Any:
        """Return a new live stage."""
        return TakeLastStage(count) if count else IgnoreStage()
