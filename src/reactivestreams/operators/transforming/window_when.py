"""window_when: pass on a stream for what comes between two elements of another stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reactivestreams.operators.combining.inputs import Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.group_by import DEFAULT_GROUP_PREFETCH
from reactivestreams.operators.transforming.window import (
    DEFAULT_MAX_WINDOWS,
    checked_windows,
    windows_stage,
)
from rs_core.operators.group import WindowsStage
from rs_core.stream.description import Description

if TYPE_CHECKING:
    from reactivestreams.stream.grouped import GroupedStream


class WindowWhen(OperatorDefinition):
    """Pass on a stream, a window, for the elements between two elements of another stream.

    A window passes with its first element, and ends when the other stream has one; if that has one while no window is
    open, an empty window passes. So the lists of its windows are those of `buffer_when`. When one of both inputs
    completes, the open window ends, and the stream completes.

    Args:
        boundary: A stream, a publisher, an iterable or an asynchronous iterable; its elements themselves are dropped.
        prefetch: How many elements may wait in the queue of each window, and may be requested of each input and not yet
            be taken, from 1 to 2**24.
        max_windows: How many windows may wait to be requested, from 1. While so many wait, nothing more is taken.

    Demand: from the first request on, `prefetch` requested of each input, replenished when 75 % of them were taken.
        Windows that were not requested wait.
    Errors: those of both inputs go to the open window, after what waits in it, and to the subscriber; else as for
        `window`.
    State: as for `group_by`: the window, with what waits of it.
    Threads: the thread that drains the stream, or that of the input that brings an element. Each window may be consumed
        in a thread of its own.
    Rules: §1.1, §1.3, §1.10.
    Elsewhere: Reactor `window` of a publisher; RxJava `window` of a publisher; reactivex `window`, `window_when`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subjects import SimpleSubject
        >>> numbers, ticks = SimpleSubject(), SimpleSubject()
        >>> windows = Stream.from_publisher(numbers).window_when(ticks)
        >>> sums = []
        >>> running = windows.flat_map(lambda window: window.scan(max, 0)).subscribe(on_next=sums.append)
        >>> for subject, element in ((numbers, 3), (numbers, 1), (ticks, "tick"), (numbers, 2)):
        ...     subject.on_next(element)
        >>> sums
        [3, 3, 2]
    """

    id = "rx://operators/window_when"
    method = "window_when"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        boundary: Source[object],
        *,
        prefetch: int = DEFAULT_GROUP_PREFETCH,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> Checked[GroupedStream[int, T]]:
        """Return the checked parameters."""
        return Checked(
            (
                described(boundary, where="window_when(boundary)"),
                *checked_windows(prefetch, max_windows, "window_when"),
            )
        )

    @staticmethod
    def stage(boundary: Description, prefetch: int, max_windows: int) -> WindowsStage:
        """Return a new live stage."""
        return windows_stage(prefetch, max_windows, boundary=boundary)
