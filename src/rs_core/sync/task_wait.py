"""How a task of an event loop, of asyncio or of trio, waits for what any thread may bring about."""

from typing import TYPE_CHECKING, Any, Protocol

from rs_core.errors import WrongEventLoopError
from rs_core.sync.running_loops import running_loop

if TYPE_CHECKING:
    from asyncio import Future

__all__ = ["TaskWait", "task_wait"]


class TaskWait(Protocol):
    """The wait of one task, over and over: it arms, looks at its condition, sleeps while that is false, arms again."""

    def arm(self) -> None:
        """Have the next `wake` end the sleep that follows; in the thread of the loop."""

    def wake(self) -> None:
        """End the sleep, also one that has yet to begin; by any thread.

        Raises:
            RuntimeError: The loop has ended, and with it the task.
        """

    async def sleep(self, seconds: float) -> None:
        """Sleep until it is woken, no longer than that many seconds."""


def task_wait(who: str) -> TaskWait:
    """Return a wait for the task that calls.

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
    if not woken.done():  # by the timer, by another thread, or cancelled with its task
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
