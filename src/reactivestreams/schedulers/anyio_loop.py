"""The physical scheduler of the event loop on which anyio runs, asyncio's or trio's. Needs the extra `anyio`."""

import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from reactivestreams.schedulers.event_loop import LoopPhysical
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException
from rs_core.scheduling.serial_queue import SerialQueue
from rs_core.sync.running_loops import turns_of
from rs_core.sync.turns import LoopTurns

if TYPE_CHECKING:
    from anyio.abc import TaskGroup


class AnyioLoop(LoopPhysical):
    """Run tasks in the event loop that runs in this thread, asyncio's or trio's, as long as its block lasts.

    Args:
        name: The name in messages.

    Raises:
        ModuleNotFoundError: anyio is not installed; it comes with `reactive-streams-core[anyio]`.

    Errors: an exception of a task that no handler has handled ends the block, which raises it like a task group.

    Threads: tasks run in the loop's thread; any thread may call any method. Tasks are refused before and after the
        block.

    Example:
        >>> import anyio
        >>> from reactivestreams.schedulers import AnyioLoop, LogicalScheduler
        >>> async def main():
        ...     done = anyio.Event()
        ...     async with AnyioLoop() as loop:
        ...         LogicalScheduler(loop).schedule(done.set)
        ...         await done.wait()
        ...     return "done"
        >>> anyio.run(main)
        'done'
    """

    _group: "TaskGroup"
    _block: AsyncExitStack
    _run_in_loop: Callable[..., object]
    loop_turns: LoopTurns | None

    def __init__(self, *, name: str = "anyio loop") -> None:
        import anyio

        super().__init__(name=name)
        self._anyio = anyio
        self._thread_id: int | None = None

    async def __aenter__(self) -> Self:
        """Start running tasks, in a task group that ends with the block."""
        from anyio.lowlevel import current_token

        async with AsyncExitStack() as block:
            self._group = await block.enter_async_context(self._anyio.create_task_group())
            token: Any = current_token().native_token
            self._run_in_loop = getattr(token, "run_sync_soon", None) or token.call_soon_threadsafe
            self.loop_turns = turns_of(token)
            self._thread_id = threading.get_ident()
            self._block = block.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        """Dispose this scheduler, and end the block."""
        self.dispose()
        self._thread_id = None
        self._group.cancel_scope.cancel()
        return await self._block.__aexit__(kind, error, traceback)

    @property
    def is_open(self) -> bool:
        """Whether the block is entered."""
        return self._thread_id is not None

    def is_current(self) -> bool:
        """Return whether the calling thread is the loop's; never runs user code."""
        return self._thread_id == threading.get_ident()

    def call_soon(self, callback: Callable[..., object], *arguments: Any) -> None:
        """Call a function in the loop."""
        try:
            self._run_in_loop(self._call, callback, *arguments)
        except RuntimeError:  # the loop has ended, so nothing waits for the call
            if self.is_open:
                raise

    def call_later(
        self, delay_seconds: float, callback: Callable[[SerialQueue], object], queue: SerialQueue
    ) -> Callable[[], object]:
        """Call a function with a queue after a delay, in a task of the group."""
        scope = self._anyio.CancelScope()

        async def wait() -> None:
            with scope:
                await self._anyio.sleep(delay_seconds)
                callback(queue)

        self._group.start_soon(wait)
        return scope.cancel

    def give_up(self, unhandled: SchedulerUnhandledException) -> None:
        """Raise the exception in the block."""
        error = unhandled.exception

        async def fail() -> NoReturn:
            raise error

        self._group.start_soon(fail)

    def _call(self, callback: Callable[..., object], *arguments: Any) -> None:
        if self.is_open:  # else the callback was still waiting in the loop when the block ended
            callback(*arguments)

    def __repr__(self) -> str:
        return f"AnyioLoop(name={self.name!r})"
