"""first: the first element."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_timeout
from reactivestreams.errors import EmptyStreamError
from reactivestreams.operators.definition import Checked, FoldingDefinition, T
from rs_core.ends.blocking import FirstEnd


class First(FoldingDefinition):
    """Pass on the first element, then cancel the upstream and complete.

    Raises:
        EmptyStreamError: There was no such element.

    Demand: one requested is one element requested upstream, which is cancelled when it comes.
    Errors: upstream's are passed on; a stream that completes without the element ends with
        EmptyStreamError.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.1, §1.5.
    Elsewhere: Reactor `next`; RxJava `firstOrError`; reactivex `first`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(10**9).first()
        0
    """

    id = "rx://operators/first"
    method = "first"
    if_empty = "use first_or_default(default) if it may"

    @staticmethod
    def parameters() -> Checked[T]:
        """Return the checked parameters."""
        return Checked()

    @staticmethod
    def stage() -> Any:
        """Return a new live stage."""
        from rs_core.operators.reduce import ElementAtStage

        return ElementAtStage(0, False, None)

    @classmethod
    def run(cls, stream: Any, timeout_seconds: float | None) -> Any:
        """Run a stream and return the result."""
        end: FirstEnd[Any] = FirstEnd(stream)
        element = end.wait(timeout_seconds=checked_timeout(timeout_seconds, operator="first"))
        if end.is_empty:
            raise EmptyStreamError(
                f"first() of {stream!r}: the stream completed without the element that was wanted; {cls.if_empty}"
            )
        return element
