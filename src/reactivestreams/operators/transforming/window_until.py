"""window_until: pass on a stream for neighbors, which ends with an element that a predicate picks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.group_by import DEFAULT_GROUP_PREFETCH
from reactivestreams.operators.transforming.window import (
    DEFAULT_MAX_WINDOWS,
    checked_windows,
    windows_stage,
)
from rs_core.operators.group import WindowsStage

if TYPE_CHECKING:
    from reactivestreams.stream.grouped import GroupedStream


class WindowUntil(OperatorDefinition):
    """Pass on a stream, a window, for neighboring elements, each of which ends with one for which a predicate is true.

    A window passes with its first element, before it is known which one is its last; so it may be of any length, while
    the lists of `buffer_until` are bounded. The completion of the upstream ends the open window.

    Args:
        predicate: Called with each element, before it is in a window; true: it is the last of its window.
        prefetch: How many elements may wait in the queue of each window, and may be requested upstream and not yet be
            in one, from 1 to 2**24.
        max_windows: How many windows may wait to be requested, from 1. While so many wait, nothing more is taken.

    Demand: as for `window`.
    Errors: as for `window`; an exception of the predicate cancels the upstream, and goes to the open window and to the
        subscriber.
    State: as for `group_by`: the window, with what waits of it.
    Threads: the predicate runs in the thread that drains the stream. Each window may be consumed in a thread of its
        own.
    Rules: §1.1, §1.3, §1.5, §1.10.
    Elsewhere: Reactor `windowUntil`; RxJava none; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> lines = Stream.just("a", "b.", "c.", "d")
        >>> sentences = lines.window_until(lambda line: line.endswith("."))
        >>> sentences.concat_map(lambda window: window.map(lambda line: (window.key, line))).to_list()
        [(0, 'a'), (0, 'b.'), (1, 'c.'), (2, 'd')]
    """

    id = "rx://operators/window_until"
    method = "window_until"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        predicate: Callable[[T], object],
        *,
        prefetch: int = DEFAULT_GROUP_PREFETCH,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> Checked[GroupedStream[int, T]]:
        """Return the checked parameters."""
        return Checked(
            (
                checked_callable(predicate, operator="window_until", name="predicate"),
                *checked_windows(prefetch, max_windows, "window_until"),
            )
        )

    @staticmethod
    def stage(predicate: Callable[[Any], object], prefetch: int, max_windows: int) -> WindowsStage:
        """Return a new live stage."""
        return windows_stage(prefetch, max_windows, is_last=predicate)
