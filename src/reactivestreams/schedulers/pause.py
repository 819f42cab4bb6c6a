"""The result of `pause_async`: done when no task of the scheduler's tree is running."""

import sys
import threading
from collections.abc import Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_timeout
from reactivestreams.errors import RunningEventLoopError, WouldDeadlockError
from reactivestreams.schedulers.errors import PauseTimeoutError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

    from rs_core.scheduling.serial_queue import PendingPause

DEFAULT_PAUSE_TIMEOUT_SECONDS = 30.0
"""The default timeout of `pause` and `Pause.wait`."""


class Pause:
    """A requested pause, which can be awaited or waited for.

    Its result is True if the scheduler is paused: no task of it and its children is running or will run before
    `continue_`. It is False if the scheduler was continued before that, or is disposed.

    Threads: any. Waiting inside a task for which the pause waits raises.
    """

    __slots__ = ("_done", "_loops", "_name", "_result", "pending")

    def __init__(self, name: str) -> None:
        """Create a pause; only schedulers do.

        Args:
            name: The name of the scheduler, for messages.
        """
        self.pending: PendingPause | None = None
        self._name = name
        self._result = False
        self._loops: list[tuple[AbstractEventLoop, Future[None]]] = []
        self._done = threading.Event()

    @property
    def is_done(self) -> bool:
        """Whether there is a result."""
        return self._done.is_set()

    def wait(self, *, timeout_seconds: float | None = DEFAULT_PAUSE_TIMEOUT_SECONDS) -> bool:
        """Block until there is a result, and return it.

        Args:
            timeout_seconds: The maximum time to wait, from 0; None waits as long as the running tasks take.

        Raises:
            PauseTimeoutError: A task is still running. The scheduler continues to pause.
            WouldDeadlockError: The caller is inside a task for which the pause waits.
            RunningEventLoopError: The calling thread runs an event loop, which would be blocked.
            ArgumentTypeError: The timeout is not a number.
            ArgumentError: It is negative.
        """
        timeout = checked_timeout(timeout_seconds, operator="wait")
        if not self.is_done:
            self.refuse_own_task()
            self._refuse_event_loop()
            if not self._done.wait(timeout if timeout is None else min(timeout, threading.TIMEOUT_MAX)):
                remaining = 0 if self.pending is None else self.pending.remaining
                raise PauseTimeoutError(
                    f"tasks of {self._name} still run {timeout_seconds} s after a pause was requested: "
                    f"{remaining}; wait longer, or let them read their yield token more often"
                )
        return self._result

    def __await__(self) -> Generator[Any, None, bool]:
        """Wait in an asyncio event loop; raises WouldDeadlockError like `wait`.

        Elsewhere: `await anyio.to_thread.run_sync(pause.wait)`.
        """
        if not self.is_done:
            self.refuse_own_task()
            import asyncio

            loop = asyncio.get_running_loop()
            woken: Future[None] = loop.create_future()
            waiter = (loop, woken)
            self._loops.append(waiter)
            if self._done.is_set():
                self._wake_loops()  # it was done before this loop was registered
            try:
                yield from woken
            finally:
                with suppress(ValueError):
                    self._loops.remove(waiter)
        return self._result

    def refuse_own_task(self) -> None:
        """Raise if the calling thread is inside a task for which the pause waits.

        Raises:
            WouldDeadlockError: The calling thread is inside such a task.
        """
        if self.pending is not None and self.pending.holds_this_thread():
            raise WouldDeadlockError(
                f"a task of {self._name} waits for a pause of it, which waits for that task to return; "
                f"call pause_async() and return, or wait in another thread"
            )

    def _refuse_event_loop(self) -> None:
        asyncio = sys.modules.get("asyncio")  # a program that has not imported it runs no loop
        if asyncio is not None and asyncio._get_running_loop() is not None:
            raise RunningEventLoopError(
                f"waiting for {self._name} to pause would block the event loop that runs in this thread; "
                f"use: await scheduler.pause_async()"
            )

    def complete(self, result: bool) -> None:
        """Set the result and wake the waiters; never runs user code. For schedulers."""
        self._result = result
        self._done.set()
        self._wake_loops()

    def _wake_loops(self) -> None:
        for loop, woken in list(self._loops):
            with suppress(RuntimeError):  # the loop is closed, so nothing waits in it
                loop.call_soon_threadsafe(_wake, woken)


def _wake(woken: "Future[None]") -> None:
    if not woken.done():
        woken.set_result(None)
