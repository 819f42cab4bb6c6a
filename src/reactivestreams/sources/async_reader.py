"""Reads an asynchronous iterable in a task of an event loop, as far as elements are requested.

Roles
    downstream  any thread, one call at a time (§2.7): `request`, `cancel`; forwards them to the loop
    loop        the thread of the event loop: runs the task, which reads and sends; accesses all fields
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from reactivestreams.dropped import dropped
from reactivestreams.errors import SourceUsedTwiceError, StreamCancelledError, WrongEventLoopError
from reactivestreams.schedulers.loop_tasks import Event, LoopTasks, loop_tasks

if TYPE_CHECKING:
    from reactivestreams.schedulers.loop_tasks import Loop
    from rs_core.sources.async_iterable import Feed

__all__ = ["AsyncReader"]


class AsyncReader:
    """The publisher of an asynchronous iterable: one task per subscription reads it.

    Args:
        iterable: The iterable to read.
        loop: The loop of the task; None: the loop that runs in the thread that subscribes.
    """

    def __init__(self, iterable: AsyncIterable[Any], loop: Loop | None) -> None:
        self.iterable = iterable
        self.loop = loop
        self._subscriptions = count()

    def subscribe(self, feed: Feed[Any]) -> None:
        """Start reading for a source, as far as it requests."""
        tasks = loop_tasks(self.loop, who=str(self))
        if hasattr(self.iterable, "__anext__") and next(self._subscriptions):  # atomic: any thread may subscribe
            raise SourceUsedTwiceError(
                f"§1.10: {self.iterable!r} is an iterator and was used by an earlier subscription; pass an "
                f"asynchronous iterable that can be read again, such as an object whose __aiter__ is a generator"
            )
        feed.drain_in_turns(tasks.turns)
        feed.on_subscribe(_Reading(str(self), self.iterable, tasks, feed))

    def __str__(self) -> str:
        return f"from_async_iterable({self.iterable!r})"


class _Reading:
    """The subscription of one source."""

    def __init__(self, name: str, iterable: AsyncIterable[Any], tasks: LoopTasks, feed: Feed[Any]) -> None:
        self._name = name
        self._iterable = iterable
        self._tasks = tasks
        self._feed = feed
        self._demand = 0
        self._is_cancelled = False
        self._cancel_task: Callable[[], object] | None = None
        self._demanded: Event | None = None  # the task waits for it while nothing is requested

    def request(self, n: int, /) -> None:
        """Let the task read n more elements."""
        self._tasks.call(self._add_demand, n)

    def cancel(self) -> None:
        """End the task, immediately if it waits; if its loop has ended, the task has ended too."""
        with suppress(WrongEventLoopError):
            self._tasks.call(self._stop)

    def _add_demand(self, n: int) -> None:
        self._demand += n
        if self._cancel_task is None and not self._is_cancelled:
            self._cancel_task = self._tasks.spawn(self._read, ended=self._end)
        if self._demanded is not None:
            self._demanded.set()

    def _stop(self) -> None:
        self._is_cancelled = True
        if self._cancel_task is not None:
            self._cancel_task()

    async def _read(self) -> None:
        iterator = aiter(self._iterable)
        try:
            await self._hand_over(iterator)
        except GeneratorExit:  # the task is destroyed, its loop closed: nothing can be awaited any more
            raise
        except BaseException:
            await self._close(iterator)
            raise
        await self._close(iterator)

    async def _hand_over(self, iterator: Any) -> None:
        while not self._is_cancelled:
            if not self._demand:
                self._demanded = self._tasks.event()
                await self._demanded.wait()
                self._demanded = None
                continue
            try:
                element = await anext(iterator)
            except StopAsyncIteration:
                return
            self._demand -= 1
            self._feed.on_next(element)
            if self._tasks.turns.is_due():
                await self._tasks.checkpoint()

    async def _close(self, iterator: Any) -> None:
        close = getattr(iterator, "aclose", None)
        if close is not None:
            try:
                await self._tasks.clean_up(close)
            except Exception as error:
                dropped("aclose", error, origin=self._name)

    def _end(self, value: None, error: Exception | None) -> None:
        self._cancel_task = None
        if error is None:
            self._feed.on_complete()
        elif not (self._is_cancelled and isinstance(error, StreamCancelledError)):  # the cancellation was requested
            self._feed.on_error(error)
