"""any: whether a predicate is true for an element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, FoldingDefinition, T
from rs_core.operators.reduce import MatchStage


class AnyMatch(FoldingDefinition):
    """Say whether a predicate is true for an element; without one, whether there is an element.

    Args:
        predicate: Called with each element until the result is known; what it returns counts as true or
            false. None: it is true for each element, also where that counts as false, unlike in the built-in `any`.

    Demand: one requested is all elements requested upstream; the result goes out, and the upstream is
        cancelled, as soon as it is known.
    Errors: upstream's are passed on; an exception of the predicate cancels the upstream and becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the predicate runs in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `any`, `hasElements`; RxJava `any`; reactivex `some`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**9).any(lambda number: number > 3)
        True
    """

    id = "rx://operators/any"
    method = "any"

    @staticmethod
    def parameters(predicate: Callable[[T], object] | None = None) -> Checked[bool]:
        """Return the checked parameters."""
        if predicate is not None:
            checked_callable(predicate, operator="any", name="predicate")
        return Checked((predicate,))

    @staticmethod
    def stage(predicate: Callable[[Any], object] | None) -> MatchStage:
        """Return a new live stage."""
        return MatchStage("any" if predicate is None else "predicate", predicate, True, True)
