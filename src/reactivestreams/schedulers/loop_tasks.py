"""Coroutines that run in an event loop on behalf of any thread: of asyncio, or of trio."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from reactivestreams.errors import StreamCancelledError, WrongEventLoopError
from reactivestreams.schedulers.loop_closing import LoopClosing
from rs_core.sync.running_loops import running_loop, turns_of
from rs_core.sync.turns import LoopTurns

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

__all__ = ["AsyncioTasks", "Event", "LoopTasks", "TrioTasks", "TrioToken", "loop_tasks", "trio_token"]

Ended = Callable[[Any, Exception | None], object]
"""Called with the result of a coroutine, or with the error that ended it."""


class TrioToken(Protocol):
    """What `trio.lowlevel.current_trio_token()` returns: other threads use it to reach the run."""

    def run_sync_soon(self, sync_fn: Callable[..., object], *args: Any, idempotent: bool = False) -> None:
        """Call a function in the run's thread."""


if TYPE_CHECKING:
    Loop = AbstractEventLoop | TrioToken


class Event(Protocol):
    """An event for coroutines of the loop."""

    def set(self) -> object:
        """End the wait, permanently."""

    async def wait(self) -> object:
        """Wait for `set`."""


class LoopTasks(ABC):
    """Run coroutines in an event loop.

    Args:
        loop: The loop, or the token of a trio run.

    Threads: any thread may call `call`; everything else runs in the thread of the loop.
    """

    def __init__(self, loop: Loop) -> None:
        self.turns: LoopTurns = turns_of(loop)
        """The limit for how long streams use the loop's thread."""

    @abstractmethod
    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the loop's thread: immediately if this is that thread, else soon.

        Raises:
            WrongEventLoopError: The loop has ended.
        """

    @abstractmethod
    def spawn(self, function: Callable[..., Awaitable[Any]], *arguments: Any, ended: Ended) -> Callable[[], object]:
        """Start a task that awaits the result of a function; return a function that cancels it.

        Args:
            function: Called in the task.
            arguments: Its arguments.
            ended: Called in the loop's thread when the task has ended; with a StreamCancelledError if it was cancelled.
        """

    @abstractmethod
    def event(self) -> Event:
        """Return a new event, for coroutines of this loop."""

    @abstractmethod
    async def checkpoint(self) -> None:
        """Give other tasks a turn."""

    @abstractmethod
    async def clean_up(self, function: Callable[[], Awaitable[object]]) -> None:
        """Await the result of a function, also in a task that was cancelled."""


class AsyncioTasks(LoopTasks):
    """Run coroutines in an asyncio event loop.

    Args:
        loop: The loop.
    """

    def __init__(self, loop: AbstractEventLoop) -> None:
        super().__init__(loop)
        self._loop = loop

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the loop's thread."""
        import asyncio

        if asyncio._get_running_loop() is self._loop:
            function(*arguments)
            return
        try:
            self._loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError as error:
            raise _ended_loop(self) from error

    def spawn(self, function: Callable[..., Awaitable[Any]], *arguments: Any, ended: Ended) -> Callable[[], object]:
        """Start a task."""
        self.turns.enter()
        closing = LoopClosing.of(self._loop)

        async def run() -> Any:
            return await function(*arguments)

        def end(task: Task[Any]) -> None:
            closing.remove(task)
            error = _cancelled_task() if task.cancelled() else task.exception()
            if error is None:
                ended(task.result(), None)
            else:  # an interrupt was passed on to the caller that runs the loop
                ended(None, error if isinstance(error, Exception) else _cancelled_task())

        task = self._loop.create_task(run())
        closing.add(task, lambda: ended(None, _ended_loop(self)))
        task.add_done_callback(end)
        return task.cancel

    def event(self) -> Event:
        """Return a new event."""
        import asyncio

        return asyncio.Event()

    async def checkpoint(self) -> None:
        """Give other tasks a turn."""
        import asyncio

        await asyncio.sleep(0)

    async def clean_up(self, function: Callable[[], Awaitable[object]]) -> None:
        """Await the result of a function; a task gets its cancellation only once."""
        await function()

    def __repr__(self) -> str:
        return repr(self._loop)


class TrioTasks(LoopTasks):
    """Run coroutines as system tasks of a trio run.

    Args:
        token: The token of the run.
    """

    def __init__(self, token: TrioToken) -> None:
        super().__init__(token)
        self._token = token

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the run's thread."""
        import trio

        if running_loop() is self._token:
            function(*arguments)
            return
        try:
            self._token.run_sync_soon(function, *arguments)
        except trio.RunFinishedError as error:
            raise _ended_loop(self) from error

    def spawn(self, function: Callable[..., Awaitable[Any]], *arguments: Any, ended: Ended) -> Callable[[], object]:
        """Start a system task."""
        import trio

        self.turns.enter()
        scope = trio.CancelScope()

        async def run() -> None:
            value, error = None, None
            try:
                with scope:
                    value = await function(*arguments)
            except Exception as trouble:
                error = trouble
            except BaseException:  # an interrupt, or the end of the run
                ended(None, _cancelled_task())
                raise
            ended(value, _cancelled_task() if scope.cancelled_caught else error)

        trio.lowlevel.spawn_system_task(run)
        return scope.cancel

    def event(self) -> Event:
        """Return a new event."""
        import trio

        return trio.Event()

    async def checkpoint(self) -> None:
        """Give other tasks a turn."""
        from trio.lowlevel import checkpoint

        await checkpoint()

    async def clean_up(self, function: Callable[[], Awaitable[object]]) -> None:
        """Await the result of a function, shielded from cancellation."""
        import trio

        with trio.CancelScope(shield=True):
            await function()

    def __repr__(self) -> str:
        return "the trio run"


def loop_tasks(loop: Loop | None, *, who: str) -> LoopTasks:
    """Return the `LoopTasks` of a loop; None means the loop that runs in the calling thread.

    Raises:
        WrongEventLoopError: The argument is None, and this thread runs no loop.
    """
    loop = loop or running_loop()
    if loop is None:
        raise WrongEventLoopError(
            f"{who} needs an event loop for its tasks, and this thread runs none; subscribe inside a coroutine, or "
            f"pass loop"
        )
    known = cast("Any", loop)  # only mypy narrows the type by `hasattr`
    return TrioTasks(known) if hasattr(loop, "run_sync_soon") else AsyncioTasks(known)


def trio_token() -> TrioToken:
    """Return the token of the trio run in which this thread is."""
    from trio.lowlevel import current_trio_token

    token: TrioToken = current_trio_token()
    return token


def _ended_loop(tasks: LoopTasks) -> WrongEventLoopError:
    return WrongEventLoopError(
        f"{tasks!r} has ended, and runs nothing more; use a loop that runs as long as the stream"
    )


def _cancelled_task() -> StreamCancelledError:
    return StreamCancelledError("a task of the stream was cancelled, by other code or with its event loop")
