"""window: pass on a stream for each part of the input; what all windows share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from reactivestreams.operators.transforming.buffer import MAX_BUFFER_ELEMENTS
from reactivestreams.operators.transforming.group_by import DEFAULT_GROUP_PREFETCH
from rs_core.operators.group import WindowsStage

if TYPE_CHECKING:
    from reactivestreams.stream.grouped import GroupedStream

DEFAULT_MAX_WINDOWS = 4096
"""How many windows may be open, or wait to be requested, unless the operator is told otherwise."""


def checked_windows(prefetch: object, max_windows: object, operator: str) -> tuple[int, int]:
    """Return the checked parameters that all these operators have."""
    return (
        checked_count(prefetch, operator=operator, name="prefetch", at_least=1, at_most=2**24),
        checked_count(max_windows, operator=operator, name="max_windows", at_least=1),
    )


def windows_stage(
    prefetch: int,
    max_windows: int,
    *,
    boundary: Any = None,
    count: int = 0,
    skip: int = 0,
    span: Any = None,
    find_scheduler: Any = None,
    is_last: Any = None,
) -> WindowsStage:
    """Return their new live stage."""
    return WindowsStage(boundary, prefetch, count, skip, span, find_scheduler, max_windows, is_last)


class Window(OperatorDefinition):
    """Pass on a stream for each `count` neighboring elements, a window; the last ones may be shorter.

    Use `buffer` where lists will do: it needs no subscriptions, and saves its state. A window passes with its first
    element, and what subscribes to it gets the elements as they come; its `.key` is its number, from 0.

    An element waits in the queue of its window until it is requested. One for a queue that is full waits, too, and with
    it everything that comes after it: so windows that overlap have to be consumed at a time, as `flat_map` does with up
    to `concurrency` of them, or `prefetch` has to be `count`. A window whose stream is dropped or cancelled is closed:
    its other elements are dropped.

    Args:
        count: Elements in a window, from 1 to `MAX_BUFFER_ELEMENTS`.
        skip: After how many elements the next window begins, from 1. Less than `count`: windows overlap; more: elements
            between them are left out; None: as many as `count`, so that each element is in one window.
        prefetch: How many elements may wait in the queue of each window, and may be requested upstream and not yet be
            in one, from 1 to 2**24.
        max_windows: How many windows may be open at a time, and how many may wait to be requested, from 1. While so
            many wait, nothing more is taken.

    Demand: from the first request on, `prefetch` requested upstream, replenished when 75 % of them are in the queues;
        windows that were not requested wait.
    Errors: upstream's go to all open windows, after what waits in them, and to the subscriber; a stream of windows that
        is cancelled ends the open ones with StateError. ArgumentError where more than `max_windows` would be open.
        WouldDeadlockError, with the number, or a RuntimeWarning, where a queue is full and nobody can make room, as for
        `group_by`.
    State: as for `group_by`: the windows, with what waits of each.
    Threads: the thread that drains the stream. Each window may be consumed in a thread of its own.
    Rules: §1.1, §1.3, §1.10.
    Elsewhere: Reactor `window`; RxJava `window`; reactivex `window_with_count`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(5).window(2).concat_map(lambda window: window.map(lambda n: (window.key, n))).to_list()
        [(0, 0), (0, 1), (1, 2), (1, 3), (2, 4)]
    """

    id = "rx://operators/window"
    method = "window"
    stateful = True
    serializable = False

    @staticmethod
    def parameters(
        count: int,
        skip: int | None = None,
        *,
        prefetch: int = DEFAULT_GROUP_PREFETCH,
        max_windows: int = DEFAULT_MAX_WINDOWS,
    ) -> Checked[GroupedStream[int, T]]:
        """Return the checked parameters."""
        size = checked_count(count, operator="window", name="count", at_least=1, at_most=MAX_BUFFER_ELEMENTS)
        step = size if skip is None else checked_count(skip, operator="window", name="skip", at_least=1)
        ahead, most = checked_windows(prefetch, max_windows, "window")
        if -(-size // step) > most:
            raise ArgumentError(
                f"window({size}, {step}) has {-(-size // step)} windows open at a time, and max_windows={most} allows "
                f"{most}; raise max_windows, or let windows overlap less"
            )
        return Checked((size, step, ahead, most))

    @staticmethod
    def stage(count: int, skip: int, prefetch: int, max_windows: int) -> WindowsStage:
        """Return a new live stage."""
        return windows_stage(prefetch, max_windows, count=count, skip=skip)

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        count, skip, *others = parameters
        return super().written((count, None if skip == count else skip, *others), show)
