"""An asyncio event loop in a thread of its own."""

import asyncio
import threading
from types import TracebackType
from typing import Self

WAIT_SECONDS = 60


class LoopThread:
    """Run an event loop in a thread for the length of a block; at its end all tasks are cancelled, then it closes."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.loop = loop or asyncio.new_event_loop()
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
            self.loop.run_until_complete(asyncio.wait(tasks))
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()
