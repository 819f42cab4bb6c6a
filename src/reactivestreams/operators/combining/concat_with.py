"""concat_with: pass on the elements of other streams behind those of the stream."""

from __future__ import annotations

from typing import Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described_all
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.sequence import SequenceStage, Successor
from rs_core.stream.description import Description


class ConcatWith(OperatorDefinition):
    """Pass on the elements of the stream, then those of each source, one after the other.

    Args:
        sources: Streams, publishers, iterables or asynchronous iterables; each is subscribed to when the one before has
            completed.

    Demand: what was requested and not yet delivered is requested of the input at hand, at most 128 elements at a time.
    Errors: the error of an input is passed on; the sources behind it are never subscribed to.
    State: which input is active, and what waits of it; version 1.0.0.0.
    Threads: each source as it sends; the elements are passed on in the thread that drains the stream.
    Rules: §1.1, §1.3.
    Elsewhere: Reactor `concatWith`; RxJava `concatWith`; reactivex `concat`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 2).concat_with([3], Stream.range(2)).to_list()
        [1, 2, 3, 0, 1]
    """

    id = "rx://operators/concat_with"
    method = "concat_with"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(*sources: Source[U]) -> Checked[T | U]:
        """Return the descriptions of the sources."""
        if not sources:
            raise ArgumentError("concat_with() needs at least one source; pass streams, publishers or iterables")
        return Checked(described_all(sources, operator="concat_with"))

    @staticmethod
    def stage(*sources: Description) -> Any:
        """Return a new live stage."""

        def following(ended: int, _passed: int, error: Exception | None) -> Description | Successor:
            return sources[ended] if error is None and ended < len(sources) else Successor.END

        return SequenceStage(DEFAULT_PREFETCH, following)
