"""timestamp: pass on tuples of the time and the element."""

from __future__ import annotations

from datetime import datetime

from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import TimestampStage


class Timestamp(OperatorDefinition):
    """Pass on tuples of the time at which an element came, an aware datetime, and the element.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: as upstream; the time is that of the scheduler of the host, or else of the process.
    Rules: §1.1.
    Elsewhere: Reactor `timestamp`; RxJava `timestamp`; reactivex `timestamp`.

    Example:
        >>> from reactivestreams import Stream
        >>> when, word = Stream.just("tea").timestamp().first()
        >>> when.tzinfo is not None, word
        (True, 'tea')
    """

    id = "rx://operators/timestamp"
    method = "timestamp"
    stateful = False
    serializable = False

    @staticmethod
    def parameters() -> Checked[tuple[datetime, T]]:
        """Return the checked parameters."""
        return Checked(())

    @staticmethod
    def stage() -> TimestampStage:
        """Return a new live stage."""
        return TimestampStage(False, scheduler_for_delays)
