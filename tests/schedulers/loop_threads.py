"""Event loops in threads of their own, so that a test can use the schedulers of a loop from outside."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from reactivestreams.schedulers import AnyioLoop, EventLoopScheduler, LogicalScheduler
from tests.contracts.scheduler_contract import WAIT_SECONDS


class OwnLoop(EventLoopScheduler):
    """A scheduler of an asyncio loop that runs in a thread until the scheduler is disposed."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.unhandled: list[dict[str, Any]] = []
        self.loop.set_exception_handler(lambda loop, context: self.unhandled.append(context))
        self._thread = threading.Thread(target=self._run, name="event-loop")
        self._thread.start()
        super().__init__(self.loop)

    def _run(self) -> None:
        self.loop.run_forever()
        self.loop.close()

    def dispose(self) -> None:
        super().dispose()
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(WAIT_SECONDS)


class OwnAnyioLoop(LogicalScheduler):
    """A scheduler of a loop that anyio runs in a thread until the scheduler is disposed.

    Args:
        backend: "asyncio" or "trio".
    """

    def __init__(self, backend: str) -> None:
        self.raised: list[BaseException] = []
        self._entered = threading.Event()
        self._thread = threading.Thread(target=self._run, args=[backend], name=f"{backend}-loop")
        self._thread.start()
        assert self._entered.wait(WAIT_SECONDS)
        super().__init__(self.anyio_loop)

    def _run(self, backend: str) -> None:
        import anyio

        async def main() -> None:
            self._ended = anyio.Event()
            async with AnyioLoop() as self.anyio_loop:
                self._entered.set()
                await self._ended.wait()

        try:
            anyio.run(main, backend=backend)
        except BaseExceptionGroup as group:
            self.raised.extend(group.exceptions)

    def dispose(self) -> None:
        super().dispose()
        self.anyio_loop.call_soon(self._ended.set)
        self._thread.join(WAIT_SECONDS)


def held(scheduler: LogicalScheduler) -> Callable[[], None]:
    """Keep the thread of a scheduler busy; return what lets it go on."""
    is_held, may_go_on = threading.Event(), threading.Event()

    def hold() -> None:
        is_held.set()
        assert may_go_on.wait(WAIT_SECONDS)

    LogicalScheduler(scheduler._physical, name="holding").schedule(hold)
    assert is_held.wait(WAIT_SECONDS)
    return may_go_on.set
