"""window_timeout: pass on a stream for each part of the input, which ends when it is full or after a time."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from reactivestreams.arguments import checked_count
from reactivestreams.durations import checked_duration
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.buffer import MAX_BUFFER_ELEMENTS
from reactivestreams.operators.transforming.group_by import DEFAULT_GROUP_PREFETCH
from reactivestreams.operators.transforming.window import (
    DEFAULT_MAX_WINDOWS,
    checked_windows,
    windows_stage,
)
from reactivestreams.schedulers.delays import scheduler_for_delays
from rs_core.operators.group import WindowsStage

if TYPE_CHECKING:
    from reactivestreams.stream.grouped import GroupedStream


class WindowTimeout(OperatorDefinition):
    """Pass on a stream, a window, for neighboring elements; it ends when it is full, or a time after its first element.

    Args:
        count: Elements in a full window, from 1 to `MAX_BUFFER_ELEMENTS`.
        duration: The time, in seconds or as a timedelta, 0 or more.
        prefetch: How many elements may wait in the queue of each window, and may be requested upstream and not yet be
            in one, from 1 to 2**24.
        max_windows: How many windows may wait to be requested, from 1. While so many wait, nothing more is taken.

    Demand: as for `window`.
    Errors: as for `window`; those of the scheduler, too.
    State: as for `group_by`: the window, with what waits of it, and when it ends.
    Threads: signals run on the scheduler of the host, or else in the thread that requests or that brings an element.
        Each window may be consumed in a thread of its own.
    Rules: §1.1, §1.3, §1.10.
    Elsewhere: Reactor `windowTimeout`; RxJava `window` with a time; reactivex `window_with_time_or_count`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).window_timeout(2, 60).concat_map(lambda window: window.buffer(9)).to_list()
        [[0, 1], [2, 3], [4]]
    """

    id = "rx://operators/window_timeout"
    method = "window_timeout"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        count: int,
        duration: float | timedelta,
        *,
        prefetch: int = DEFAULT_GROUP_PREFETCH,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> Checked[GroupedStream[int, T]]:
        """Return the checked parameters."""
        return Checked(
            (
                checked_count(count, operator="window_timeout", name="count", at_least=1, at_most=MAX_BUFFER_ELEMENTS),
                checked_duration(duration, operator="window_timeout", name="duration"),
                *checked_windows(prefetch, max_windows, "window_timeout"),
            )
        )

    @staticmethod
    def stage(count: int, duration: timedelta, prefetch: int, max_windows: int) -> WindowsStage:
        """Return a new live stage."""
        return windows_stage(prefetch, max_windows, count=count, span=duration, find_scheduler=scheduler_for_delays)
