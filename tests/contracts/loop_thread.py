"""An asyncio event loop in a thread of its own."""

import asyncio
import threading
from types import TracebackType
from typing import Self

WAIT_SECONDS = 60
LOST_AFTER_SECONDS = 5


class LoopThread:
    """Run an event loop in a thread for the length of a block; at its end all tasks are cancelled, then it closes.

    Args:
        loop: The loop; a new one of asyncio by default.
        may_lose_tasks: Whether tasks may be left that do not end, since asyncio itself has lost their wake-up: it does
            where it gets no memory to run a callback.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None, *, may_lose_tasks: bool = False) -> None:
        self.loop = loop or asyncio.new_event_loop()
        self._patience: float | None = LOST_AFTER_SECONDS if may_lose_tasks else None
        self._thread = threading.Thread(target=self._run, name="event-loop")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(WAIT_SECONDS)
            assert not self._thread.is_alive()

    def _run(self) -> None:
        self.loop.run_forever()
        tasks = asyncio.all_tasks(self.loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self.loop.run_until_complete(asyncio.wait(tasks, timeout=self._patience))
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()
