"""last: the last element."""

from __future__ import annotations

from reactivestreams.operators.definition import Checked, FoldingDefinition, T
from rs_core.operators.reduce import LastStage


class Last(FoldingDefinition):
    """Pass on the last element when the upstream has completed.

    Raises:
        EmptyStreamError: There was no such element.

    Demand: one requested is all elements requested upstream; the result goes out when the upstream has completed.
    Errors: upstream's are passed on; a stream that completes without the element ends with
        EmptyStreamError.
    State: whether there was an element, and the last one; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `last`; RxJava `lastOrError`; reactivex `last`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).last()
        4
    """

    id = "rx://operators/last"
    method = "last"
    if_empty = "use last_or_default(default) if it may"

    @staticmethod
    def parameters() -> Checked[T]:
        """Return the checked parameters."""
        return Checked()

    @staticmethod
    def stage() -> LastStage:
        """Return a new live stage."""
        return LastStage(False, False, None)
