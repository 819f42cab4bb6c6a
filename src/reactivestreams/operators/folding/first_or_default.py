"""first_or_default: the first element, or a default."""

from __future__ import annotations

from typing import Any, overload

from reactivestreams.operators.definition import Checked, FoldingDefinition, T, U
from rs_core.operators.reduce import ElementAtStage


class FirstOrDefault(FoldingDefinition):
    """Pass on the first element, or a default where there is none.

    A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
    and gets an error.

    Args:
        default: The result where there is no such element.

    Demand: one requested is one element requested upstream, which is cancelled when it comes.
    Errors: upstream's are passed on.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `next` and `defaultIfEmpty`; RxJava `first`; reactivex `first_or_default`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(0).first_or_default(7)
        7
    """

    id = "rx://operators/first_or_default"
    method = "first_or_default"

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
    def stage(default: Any) -> ElementAtStage:
        """Return a new live stage."""
        return ElementAtStage(0, True, default)
