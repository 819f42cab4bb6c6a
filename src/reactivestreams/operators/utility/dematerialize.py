"""dematerialize: send the signals that the elements stand for."""

from __future__ import annotations

from typing import Any

from reactivestreams.notifications import OnComplete, OnError, OnNext
from reactivestreams.operators.definition import Checked, OperatorDefinition
from rs_core.operators.element import DematerializeStage


class Dematerialize(OperatorDefinition):
    """Pass on the element of each `OnNext`; complete at an `OnComplete`, fail at an `OnError`, and cancel upstream.

    Demand: n requested are n requested upstream.
    Errors: that of an `OnError` and that of upstream are passed on; an ArgumentTypeError where an element is no
        notification.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream.
    Rules: §1.4, §1.7.
    Elsewhere: Reactor `dematerialize`; RxJava `dematerialize`; reactivex `dematerialize`.

    Example:
        >>> from reactivestreams import OnComplete, OnNext, Stream
        >>> Stream.just(OnNext(1), OnComplete(), OnNext(2)).dematerialize().to_list()
        [1]
    """

    id = "rx://operators/dematerialize"
    method = "dematerialize"

    @staticmethod
    def parameters() -> Checked[Any]:
        """Return no parameters."""
        return Checked(())

    @staticmethod
    def stage() -> DematerializeStage:
        """Return a new live stage."""
        return DematerializeStage(OnNext, OnError, OnComplete)
