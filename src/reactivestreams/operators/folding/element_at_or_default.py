"""element_at_or_default: the element at a position, or a default."""

from __future__ import annotations

from typing import Any, overload

from reactivestreams.arguments import MAX_COUNT, checked_count
from reactivestreams.operators.definition import Checked, FoldingDefinition, T, U
from rs_core.operators.reduce import ElementAtStage


class ElementAtOrDefault(FoldingDefinition):
    """Pass on the element at a position, or a default where there are fewer.

    A result None is an ordinary element for operators and terminal operations; a subscriber is not sent None (§2.13),
    and gets an error.

    Args:
        index: The position of the element, counted from 0.
        default: The result where there is no such element.

    Demand: one requested is index + 1 elements requested upstream, which is cancelled when the last of them comes.
    Errors: upstream's are passed on.
    State: how many elements came before it; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `elementAt`; RxJava `elementAt`; reactivex `element_at_or_default`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(2).element_at_or_default(3, -1)
        -1
    """

    id = "rx://operators/element_at_or_default"
    method = "element_at_or_default"

    @overload
    @staticmethod
    def parameters(index: int) -> Checked[T | None]: ...

    @overload
    @staticmethod
    def parameters(index: int, default: U) -> Checked[T | U]: ...

    @staticmethod
    def parameters(index: int, default: Any = None) -> Checked[Any]:
        """Return the checked parameters."""
        index = checked_count(index, operator="element_at_or_default", name="index", at_least=0, at_most=MAX_COUNT - 1)
        return Checked((index, default))

    @staticmethod
    def stage(index: int, default: Any) -> ElementAtStage:
        """Return a new live stage."""
        return ElementAtStage(index, True, default)
