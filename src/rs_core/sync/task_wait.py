"""How a task of an event loop, of asyncio or trio, waits for a condition that any thread can make true."""

from typing import TYPE_CHECKING, Any, Protocol

from rs_core.errors import WrongEventLoopError
from rs_core.sync.running_loops import running_loop

if TYPE_CHECKING:
    from asyncio import Future

__all__ = ["TaskWait", "task_wait"]


class TaskWait(Protocol):
    """The repeated wait of one task: it arms, checks its condition, sleeps while that is false, and arms again."""

    def arm(self) -> None:
        """Let the next `wake` end the following sleep; in the thread of the loop."""

    def wake(self) -> None:
        """End the sleep, also one that has not begun yet; from any thread.

        Raises:
            RuntimeError: The loop has ended, and with it the task.
        """

    async def sleep(self, seconds: float) -> None:
        """Sleep until woken, at most that many seconds."""


def task_wait(who: str) -> TaskWait:
    """Return a wait for the calling task.

    Raises:
        WrongEventLoopError: This thread runs no event loop; the message begins with `who`.
    """
    loop = running_loop()
    if loop is None:
        raise WrongEventLoopError(
            f"{who} waits in a task of an event loop, and this thread runs none; await it in a coroutine that "
            f"asyncio.run() or trio.run() runs, or call emit(element)"
        )
    return _TrioWait() if hasattr(loop, "run_sync_soon") else _AsyncioWait()


class _AsyncioWait:
    def __init__(self) -> None:
        from asyncio import get_running_loop

        self._loop = get_running_loop()

    def arm(self) -> None:
        self._woken: Future[None] = self._loop.create_future()

    def wake(self) -> None:
        self._loop.call_soon_threadsafe(_set, self._woken)

    async def sleep(self, seconds: float) -> None:
        timer = self._loop.call_later(seconds, _set, self._woken)
        try:
            await self._woken
        finally:
            timer.cancel()


def _set(woken: "Future[None]") -> None:
    if not woken.done():  # done by the timer, by another thread, or cancelled with its task
        woken.set_result(None)


class _TrioWait:
    def __init__(self) -> None:
        from trio.lowlevel import current_trio_token

        self._token: Any = current_trio_token()

    def arm(self) -> None:
        from trio import Event

        self._woken: Any = Event()

    def wake(self) -> None:
        self._token.run_sync_soon(self._woken.set)

    async def sleep(self, seconds: float) -> None:
        from trio import move_on_after

        with move_on_after(seconds):
            await self._woken.wait()
