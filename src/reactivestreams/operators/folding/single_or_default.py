"""single_or_default: the only element, or a default."""

from __future__ import annotations

from typing import Any, overload

from reactivestreams.operators.definition import Checked, FoldingDefinition, T, U
from rs_core.operators.reduce import LastStage


class SingleOrDefault(FoldingDefinition):
    """Pass on the only element, or a default where there is none, and fail where there are more.

    A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
    and gets an error.

    Args:
        default: The result where there is no such element.

    Raises:
        MoreThanOneElementError: There was another element.

    Demand: one requested is two elements requested upstream, as the second one is an error.
    Errors: upstream's are passed on; a second element cancels the upstream and becomes MoreThanOneElementError.
    State: whether there was an element, and the element; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `single`; RxJava `single`; reactivex `single_or_default`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(0).single_or_default(7)
        7
    """

    id = "rx://operators/single_or_default"
    method = "single_or_default"

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
        return LastStage(True, True, default)
