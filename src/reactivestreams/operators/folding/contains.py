"""contains: whether a value is among the elements."""

from __future__ import annotations

from typing import Any

from reactivestreams.operators.definition import Checked, FoldingDefinition
from rs_core.operators.reduce import MatchStage


class Contains(FoldingDefinition):
    """Say whether an element is a value, or equal to it.

    Args:
        value: What elements are compared with.

    Demand: one requested is all elements requested upstream; the result goes out, and the upstream is
        cancelled, as soon as it is known.
    Errors: upstream's are passed on; an exception of a comparison cancels the upstream and becomes `on_error`.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the comparisons run in the thread that drains the stream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `hasElement`; RxJava `contains`; reactivex `contains`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**9).contains(3)
        True
    """

    id = "rx://operators/contains"
    method = "contains"

    @staticmethod
    def parameters(value: object) -> Checked[bool]:
        """Return the checked parameters."""
        return Checked((value,))

    @staticmethod
    def stage(value: Any) -> MatchStage:
        """Return a new live stage."""
        return MatchStage("equals", value, True, True)
