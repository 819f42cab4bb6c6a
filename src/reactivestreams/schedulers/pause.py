"""The result of asking a scheduler to pause: done when no task of its tree runs any more."""

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
"""How long `pause` and `Pause.wait` wait for running tasks by default."""


class Pause:
    """A pause that was requested: to be awaited, or waited for.

    Its result is True when the scheduler is paused: no task of it and its children runs, nor will before `continue_`.
    It is False where that was overtaken: the scheduler was continued first, or is disposed.

    Threads: any. Waiting inside a task that the pause waits for raises.
    """

    __slots__ = ("_done", "_loops", "_name", "_result", "pending")

    def __init__(self, name: str) -> None:
        """For schedulers.

        Args:
            name: Of the scheduler, for messages.
        """
        self.pending: PendingPause | None = None
        self._name = name
        self._result = False
        self._loops: list[tuple[AbstractEventLoop, Future[None]]] = []
        self._done = threading.Event()

    @property
    def is_done(self) -> bool:
        """Whether the result is there."""
        return self._done.is_set()

    def wait(self, *, timeout_seconds: float | None = DEFAULT_PAUSE_TIMEOUT_SECONDS) -> bool:
        """Block until the result is there, and return it.

        Args:
            timeout_seconds: The most to wait, from 0; None waits for as long as the running tasks take.

        Raises:
            PauseTimeoutError: A task still runs. The scheduler goes on pausing.
            WouldDeadlockError: The caller is inside a task that the pause waits for.
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
                    f"{remaining}; wait longer, or let them look at their yield token more often"
                )
        return self._result

    def __await__(self) -> Generator[Any, None, bool]:
        """Wait in an asyncio event loop; raises WouldDeadlockError as `wait` does.

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
                self._wake_loops()  # it was done before it could see this one
            try:
                yield from woken
            finally:
                with suppress(ValueError):
                    self._loops.remove(waiter)
        return self._result

    def refuse_own_task(self) -> None:
        """Raise where the calling thread is inside a task that the pause waits for.

        Raises:
            WouldDeadlockError: It is.
        """
        if self.pending is not None and self.pending.holds_this_thread():
            raise WouldDeadlockError(
                f"a task of {self._name} waits for a pause of it, which waits for that task to return; "
                f"call pause_async() and return, or wait in another thread"
            )

    def _refuse_event_loop(self) -> None:
        asyncio = sys.modules.get("asyncio")  # who has not imported it runs no loop
        if asyncio is not None and asyncio._get_running_loop() is not None:
            raise RunningEventLoopError(
                f"waiting for {self._name} to pause would block the event loop that runs in this thread; "
                f"use: await scheduler.pause_async()"
            )

    def complete(self, result: bool) -> None:
        """Set the result and wake who waits; never runs user code. For schedulers."""
        self._result = result
        self._done.set()
        self._wake_loops()

    def _wake_loops(self) -> None:
        for loop, woken in list(self._loops):
            with suppress(RuntimeError):  # the loop is closed: nobody waits there
                loop.call_soon_threadsafe(_wake, woken)


def _wake(woken: "Future[None]") -> None:
    if not woken.done():
        woken.set_result(None)
