"""element_at: the element at a position."""

from __future__ import annotations

from reactivestreams.arguments import MAX_COUNT, checked_count
from reactivestreams.operators.definition import Checked, FoldingDefinition, T
from rs_core.operators.reduce import ElementAtStage


class ElementAt(FoldingDefinition):
    """Pass on the element at a position, then cancel the upstream and complete.

    Args:
        index: The position of the element, counted from 0.

    Raises:
        EmptyStreamError: There was no such element.

    Demand: one requested is index + 1 elements requested upstream, which is cancelled when the last of them comes.
    Errors: upstream's are passed on; a stream that completes without the element ends with
        EmptyStreamError.
    State: how many elements came before it; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `elementAt`; RxJava `elementAtOrError`; reactivex `element_at`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**9).element_at(3)
        3
    """

    id = "rx://operators/element_at"
    method = "element_at"
    if_empty = "use element_at_or_default(index, default) if it may"

    @staticmethod
    def parameters(index: int) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_count(index, operator="element_at", name="index", at_least=0, at_most=MAX_COUNT - 1),))

    @staticmethod
    def stage(index: int) -> ElementAtStage:
        """Return a new live stage."""
        return ElementAtStage(index, False, None)
