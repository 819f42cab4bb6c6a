"""last_or_default: the last element, or a default."""

from __future__ import annotations

from typing import Any, overload

from reactivestreams.operators.definition import Checked, FoldingDefinition, T, U
from rs_core.operators.reduce import LastStage


class LastOrDefault(FoldingDefinition):
    """Pass on the last element, or a default where there is none.

    A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
    and gets an error.

    Args:
        default: The result where there is no such element.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on.
    State: whether there was an element, and the last one; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `last`; RxJava `last`; reactivex `last_or_default`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(0).last_or_default(7)
        7
    """

    id = "rx://operators/last_or_default"
    method = "last_or_default"

    @overload
    @staticmethod
    def parameters() -> Checked[T | None]: ...

    @overload
    @staticmethod
    def parameters(default: U) -> Checked[T | U]: ...

    @staticmethod
    def parameters(default: Any = None) -> Checked[Any]:
        """Return the checked parameters."""
        return Checked((default,))

    @staticmethod
    def stage(default: Any) -> LastStage:
        """Return a new live stage."""
        return LastStage(False, True, default)
