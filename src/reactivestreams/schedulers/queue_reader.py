"""Reads a queue of the standard library in a thread of its own, as far as elements are requested.

Roles
    downstream  any thread, one call at a time (§2.7): `request`, `cancel`; neither waits for the other thread
    worker      the thread of the subscription: waits for elements and sends them
"""

from __future__ import annotations

import queue
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.schedulers.action_task import ActionTask
from reactivestreams.schedulers.worker import WorkerScheduler

if TYPE_CHECKING:
    from rs_core.sources.async_iterable import Feed

__all__ = ["BlockingQueue", "QueueReader", "is_shut_down"]

CANCEL_SECONDS = 0.1
"""The time after which a thread that waits for an element notices the cancellation of its stream."""


class BlockingQueue(Protocol):
    """A queue with a blocking `get`, such as `queue.Queue`."""

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Return the next element; raise `queue.Empty` if none arrived in time."""


class QueueReader:
    """The publisher of the elements of a queue: one thread per subscription reads.

    Args:
        elements: The queue.
        sentinel: The object that means the end.
    """

    def __init__(self, elements: BlockingQueue, sentinel: object) -> None:
        self.elements = elements
        self.sentinel = sentinel

    def subscribe(self, feed: Feed[Any]) -> None:
        """Start reading for a source, as far as it requests."""
        feed.on_subscribe(_Reading(self.elements, self.sentinel, feed))

    def __str__(self) -> str:
        return f"from_queue({self.elements!r})"


class _Reading:
    """The subscription of one source."""

    def __init__(self, elements: BlockingQueue, sentinel: object, feed: Feed[Any]) -> None:
        self._elements = elements
        self._sentinel = sentinel
        self._feed = feed
        self._is_over = False
        self._wanted = 0  # requested and not yet read; only the worker accesses it
        self._worker = WorkerScheduler(name="from_queue")

    def request(self, n: int, /) -> None:
        """Let the thread take n more elements."""
        if self._worker.is_current():  # inside a signal
            self._wanted += n
            return
        with suppress(SchedulerDisposedError):  # it has ended in the meantime
            self._worker.schedule(ActionTask(self._read, n))

    def cancel(self) -> None:
        """End the thread: immediately, or when it next checks."""
        self._is_over = True
        with suppress(SchedulerDisposedError):
            self._worker.schedule(ActionTask(self._worker.dispose))

    def _read(self, n: int) -> None:
        self._wanted += n
        while self._wanted:
            self._wanted -= 1
            if not self._read_one():
                self._worker.dispose()
                return

    def _read_one(self) -> bool:
        """Send an element; return False if there are no more."""
        while not self._is_over:
            try:
                element = self._elements.get(timeout=CANCEL_SECONDS)
            except queue.Empty:
                continue
            except Exception as error:
                self._end(None if is_shut_down(error) else error)
            else:
                if element is self._sentinel:
                    self._end(None)
                else:
                    self._feed.on_next(element)
                    return True
        return False

    def _end(self, error: Exception | None) -> None:
        self._is_over = True
        if error is None:
            self._feed.on_complete()
        else:
            self._feed.on_error(error)


def is_shut_down(error: Exception) -> bool:
    """Return whether a queue raised this because it was shut down and is empty: `ShutDown` of `queue` or asyncio."""
    return any(kind.__name__ in ("ShutDown", "QueueShutDown") for kind in type(error).__mro__)
