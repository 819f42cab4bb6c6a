"""materialize: pass on the signals of the stream as elements."""

from __future__ import annotations

from typing import Any

from reactivestreams.notifications import Notification, OnComplete, OnError, OnNext
from reactivestreams.operators.combining.inputs import DEFAULT_PREFETCH, described
from reactivestreams.operators.definition import Checked, OperatorDefinition
from rs_core.operators.sequence import MaterializeStage, Successor


class Materialize(OperatorDefinition):
    """Pass on an `OnNext` for each element, an `OnComplete` or an `OnError` for the end, then complete.

    They are frozen dataclasses, and may be part of saved state.

    Demand: n requested are n requested upstream, at most 128 at a time; what stands for the end waits for demand.
    Errors: upstream's becomes an element.
    State: what ended upstream, and what waits of it; version 1.0.0.0. Of an error the message and the notes are saved;
        one whose class is neither built in nor registered is loaded as a `RecoveredError`.
    Threads: as upstream; the last element is passed on in the thread that drains the stream.
    Rules: §1.1, §1.4.
    Elsewhere: Reactor `materialize`; RxJava `materialize`; reactivex `materialize`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just(1, 0).map(lambda n: 1 // n).materialize().to_list()
        [on_next(1), on_error(ZeroDivisionError('integer division or modulo by zero'))]
    """

    id = "rx://operators/materialize"
    method = "materialize"
    stateful = True

    @staticmethod
    def parameters() -> Checked[Notification]:
        """Return no parameters."""
        return Checked(())

    @staticmethod
    def stage() -> MaterializeStage:
        """Return a new live stage."""
        return MaterializeStage(DEFAULT_PREFETCH, _end_as_element, OnNext, "element")


def _end_as_element(ended: int, _passed: int, error: Exception | None) -> Any:
    if ended:
        return Successor.END
    last = OnComplete() if error is None else OnError(error)
    return described((last,), where="materialize()")
