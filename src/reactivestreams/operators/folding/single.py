"""single: the only element."""

from __future__ import annotations

from reactivestreams.operators.definition import Checked, FoldingDefinition, T
from rs_core.operators.reduce import LastStage


class Single(FoldingDefinition):
    """Pass on the only element, and fail where there are more.

    Raises:
        EmptyStreamError: There was no such element.
        MoreThanOneElementError: There was another element.

    Demand: one requested is two elements requested upstream, as the second one is an error.
    Errors: upstream's are passed on; a second element cancels the upstream and becomes MoreThanOneElementError; a
        stream that completes without the element ends with
        EmptyStreamError.
    State: whether there was an element, and the element; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `single`; RxJava `singleOrError`; reactivex `single`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("one").single()
        'one'
    """

    id = "rx://operators/single"
    method = "single"
    if_empty = "use single_or_default(default) if it may"

    @staticmethod
    def parameters() -> Checked[T]:
        """Return the checked parameters."""
        return Checked()

    @staticmethod
    def stage() -> LastStage:
        """Return a new live stage."""
        return LastStage(True, False, None)
