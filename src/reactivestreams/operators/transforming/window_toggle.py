"""window_toggle: streams of elements that one stream opens, and each of which a stream of its own ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.combining.inputs import Source, described
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.operators.transforming.flat_map import describing
from reactivestreams.operators.transforming.group_by import DEFAULT_GROUP_PREFETCH
from reactivestreams.operators.transforming.window import DEFAULT_MAX_WINDOWS, checked_windows
from rs_core.operators.group import WindowToggleStage
from rs_core.stream.description import Description

if TYPE_CHECKING:
    from reactivestreams.stream.grouped import GroupedStream


class WindowToggle(OperatorDefinition):
    """Pass on a stream, a window, for each element of another stream: of what comes then, until a third one ends it.

    A window passes when it is opened. Several may be open at a time, and each gets every element, so they have to be
    consumed at a time, as `flat_map` does. What comes while none is open is dropped. When the upstream completes, the
    open windows end; when the openings have, the stream completes with the end of the last open window. So the lists of
    its windows are those of `buffer_toggle`.

    Args:
        openings: A stream, a publisher, an iterable or an asynchronous iterable; each of its elements opens a window.
        closing: Called with that element; returns one, too, whose first element or completion ends the window.
        prefetch: How many elements may wait in the queue of each window, and may be requested of each input and not yet
            be taken, from 1 to 2**24.
        max_windows: How many windows may be open at a time, and how many may wait to be requested, from 1. While so
            many wait, nothing more is taken; one more open one ends the stream with CapacityError.

    Demand: from the first request on, `prefetch` requested of each input, replenished when 75 % of them were taken.
        Windows that were not requested wait. An element for a queue that is full holds up all inputs.
    Errors: those of all inputs, and an exception of `closing`, go to the open windows, after what waits in them, and to
        the subscriber; else as for `window`.
    State: as for `group_by`; what waits of the streams that end windows, for which `closing` is called again when it
        is loaded.
    Threads: the thread that drains the stream, or that of the input that brings an element. Each window may be consumed
        in a thread of its own.
    Rules: §1.1, §1.3, §1.10.
    Elsewhere: Reactor `windowWhen`; RxJava `window` of openings; reactivex `window_toggle`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subjects import SimpleSubject
        >>> numbers, doors, ends = SimpleSubject(), SimpleSubject(), SimpleSubject()
        >>> windows = Stream.from_publisher(numbers).window_toggle(doors, lambda door: Stream.from_publisher(ends))
        >>> largest = []
        >>> running = windows.flat_map(lambda window: window.scan(max, 0)).subscribe(on_next=largest.append)
        >>> for subject, element in ((numbers, 9), (doors, "open"), (numbers, 2), (numbers, 3), (ends, "shut")):
        ...     subject.on_next(element)
        >>> largest
        [2, 3]
    """

    id = "rx://operators/window_toggle"
    method = "window_toggle"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        openings: Source[U],
        closing: Callable[[U], Source[object]],
        *,
        prefetch: int = DEFAULT_GROUP_PREFETCH,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> Checked[GroupedStream[int, T]]:
        """Return the checked parameters."""
        return Checked(
            (
                described(openings, where="window_toggle(openings)"),
                checked_callable(closing, operator="window_toggle", name="closing"),
                *checked_windows(prefetch, max_windows, "window_toggle"),
            )
        )

    @staticmethod
    def stage(
        openings: Description, closing: Callable[[Any], Any], prefetch: int, max_windows: int
    ) -> WindowToggleStage:
        """Return a new live stage."""
        return WindowToggleStage(openings, prefetch, closing, describing("window_toggle", "closing"), max_windows)
