"""time_interval: pass on tuples of the time since the element before, and the element."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import TimestampStage


class TimeInterval(OperatorDefinition):
    """Pass on tuples of the time since the element before, a timedelta, and the element.

    Of the first element it is the time since the start.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on.
    State: when the last element came; version 1.0.0.0.
    Threads: as upstream; the time is that of the scheduler of the host, or else of the process.
    Rules: §1.1.
    Elsewhere: Reactor `elapsed`; RxJava `timeInterval`; reactivex `time_interval`.

    Example:
        >>> from datetime import timedelta
        >>> from reactivestreams import Stream
        >>> waited, word = Stream.just("tea").delay(0.001).time_interval().first()
        >>> waited >= timedelta(milliseconds=1), word
        (True, 'tea')
    """

    id = "rx://operators/time_interval"
    method = "time_interval"
    stateful = True
    serializable = False

    @staticmethod
    def parameters() -> Checked[tuple[timedelta, T]]:
        """Return the checked parameters."""
        return Checked(())

    @staticmethod
    def stage() -> TimestampStage:
        """Return a new live stage."""
        return TimestampStage(True, scheduler_for_delays)
