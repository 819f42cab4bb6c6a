"""switch_if_empty: pass on the elements of another stream where the stream has none."""

from __future__ import annotations

from typing import Any

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.sequence import SequenceStage, Successor
from rs_core.stream.description import Description


class SwitchIfEmpty(OperatorDefinition):
    """Pass on the elements of the stream, or those of a source if it completes without one.

    Args:
        source: A stream, a publisher, an iterable or an asynchronous iterable; it is subscribed to only when needed.

    Demand: n requested are n requested of the input at hand, at most 128 at a time.
    Errors: upstream's are passed on, and those of the source; the source does not take the place of an error.
    State: which input is active, and what waits of it; version 1.0.0.0.
    Threads: the source as it sends; the elements are passed on in the thread that drains the stream.
    Rules: §1.1.
    Elsewhere: Reactor `switchIfEmpty`; RxJava `switchIfEmpty`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.empty().switch_if_empty(Stream.range(3)).to_list()
        [0, 1, 2]
    """

    id = "rx://operators/switch_if_empty"
    method = "switch_if_empty"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(source: Source[U]) -> Checked[T | U]:
        """Return the description of the source."""
        return Checked((described(source, where="switch_if_empty(source)"),))

    @staticmethod
    def stage(source: Description) -> Any:
        """Return a new live stage."""

        def following(ended: int, passed: int, error: Exception | None) -> Description | Successor:
            return source if error is None and ended == 0 and passed == 0 else Successor.END

        return SequenceStage(DEFAULT_PREFETCH, following)
