"""then: wait for the completion of the stream, then pass on the elements of another."""

from __future__ import annotations

from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, U
from rs_core.operators.sequence import SequenceStage, Successor
from rs_core.stream.description import Description


class Then(OperatorDefinition):
    """Ignore the elements of the stream; when it completes, pass on those of a source.

    Args:
        source: A stream, a publisher, an iterable or an asynchronous iterable.

    Demand: upstream's elements are requested at the start, 128 at a time, without demand; the source's as they are
        requested, at most 128 at a time.
    Errors: upstream's are passed on, and the source is not used; then those of the source.
    State: whether upstream has completed, and what waits of the source; version 1.0.0.0.
    Threads: as upstream; the source begins in the thread that drains the stream.
    Rules: §1.1.
    Elsewhere: Reactor `thenMany`; RxJava `Completable.andThen`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> written = []
        >>> Stream.just("a", "b").do(on_next=written.append).then(["done"]).to_list()
        ['done']
        >>> written
        ['a', 'b']
    """

    id = "rx://operators/then"
    method = "then"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(source: Source[U]) -> Checked[U]:
        """Return the description of the source."""
        return Checked((described(source, where="then(source)"),))

    @staticmethod
    def stage(source: Description) -> SequenceStage:
        """Return a new live stage."""

        def following(ended: int, _passed: int, error: Exception | None) -> Description | Successor:
            return source if error is None and ended == 0 else Successor.END

        return SequenceStage(DEFAULT_PREFETCH, following, ignores_first=True)
