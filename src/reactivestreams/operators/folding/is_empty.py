"""is_empty: whether there is no element."""

from __future__ import annotations

from reactivestreams.operators.definition import Checked, FoldingDefinition
from rs_core.operators.reduce import MatchStage


class IsEmpty(FoldingDefinition):
    """Say whether there is no element.

    Demand: one requested is one element requested upstream, which is cancelled when it comes.
    Errors: upstream's are passed on.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `hasElements`; RxJava `isEmpty`; reactivex `is_empty`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**9).is_empty()
        False
    """

    id = "rx://operators/is_empty"
    method = "is_empty"

    @staticmethod
    def parameters() -> Checked[bool]:
        """Return the checked parameters."""
        return Checked()

    @staticmethod
    def stage() -> MatchStage:
        """Return a new live stage."""
        return MatchStage("any", None, True, False)
