"""An asyncio event loop that runs when the test lets it."""

import asyncio
from types import TracebackType
from typing import Self

TURNS = 100
"""More turns of the loop than the work of any contract test needs."""


class SteppedLoop:
    """A loop of the test's own thread; at the end of the block what still runs is cancelled, then it closes."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.settle()
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()

    def settle(self) -> None:
        """Run the loop until what waits for no time has run."""
        self.loop.run_until_complete(_turns())


async def _turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)
