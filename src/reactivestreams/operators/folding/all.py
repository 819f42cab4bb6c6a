"""all: whether a predicate is true for every element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, FoldingDefinition, T
from rs_core.operators.reduce import MatchStage


class AllMatch(FoldingDefinition):
    """Say whether a predicate is true for every element; it is for none, too.

    Args:
        predicate: Called with each element until the result is known; what it returns counts as true or false.

    Demand: one requested is all elements requested upstream; the result goes out, and the upstream is
        cancelled, as soon as it is known.
    Errors: upstream's are passed on; an exception of the predicate cancels the upstream and becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `all`; RxJava `all`; reactivex `all`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**9).all(lambda number: number < 3)
        False
    """

    id = "rx://operators/all"
    method = "all"

    @staticmethod
    def parameters(predicate: Callable[[T], object]) -> Checked[bool]:
        """Return the checked parameters."""
        return Checked((checked_callable(predicate, operator="all", name="predicate"),))

    @staticmethod
    def stage(predicate: Callable[[Any], object]) -> MatchStage:
        """Return a new live stage."""
        return MatchStage("predicate", predicate, False, False)
