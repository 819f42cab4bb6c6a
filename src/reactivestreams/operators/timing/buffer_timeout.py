"""buffer_timeout: pass on lists when they are full, or a time after their first element."""

from __future__ import annotations

from datetime import timedelta

from reactivestreams.arguments import checked_count
from reactivestreams.durations import checked_duration
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.buffer import MAX_BUFFER_ELEMENTS
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.timed import BufferTimeoutStage


class BufferTimeout(OperatorDefinition):
    """Pass on lists of neighboring elements: when a list is full, or a time after its first element came.

    Args:
        count: Elements in a full list, from 1 to `MAX_BUFFER_ELEMENTS`.
        duration: The time, in seconds or as a timedelta, 0 or more.

    Demand: the elements of one list are requested, at most 256 at a time, whatever is requested. A list that is due and
        not requested is filled up meanwhile, and then no more is requested upstream.
    Errors: upstream's come after a list that is full; the elements of one that is not are given up.
    State: the elements of that list, when it is due, and what waits of the upstream; version 1.0.0.0. A time that has
        passed when the state is loaded has come.
    Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
    Rules: §1.1, §1.3, §1.5.
    Elsewhere: Reactor `bufferTimeout`; RxJava `buffer` with a time; reactivex `buffer_with_time_or_count`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).buffer_timeout(2, 60).to_list()
        [[0, 1], [2, 3], [4]]
    """

    id = "rx://operators/buffer_timeout"
    method = "buffer_timeout"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(count: int, duration: float | timedelta) -> Checked[list[T]]:
        """Return the checked parameters."""
        size = checked_count(count, operator="buffer_timeout", name="count", at_least=1, at_most=MAX_BUFFER_ELEMENTS)
        return Checked((size, checked_duration(duration, operator="buffer_timeout", name="duration")))

    @staticmethod
    def stage(count: int, duration: timedelta) -> BufferTimeoutStage:
        """Return a new live stage."""
        return BufferTimeoutStage(count, duration, scheduler_for_delays)
