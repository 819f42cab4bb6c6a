"""A trio run in a thread of its own."""

import threading
from types import TracebackType
from typing import Any, Self

import pytest

from tests.contracts.loop_thread import WAIT_SECONDS


class TrioThread:
    """Run trio in a thread for the length of a block; at its end what still runs is cancelled."""

    def __init__(self) -> None:
        self.token: Any = None
        self._begun = threading.Event()
        self._end: Any = None
        self._thread = threading.Thread(target=self._run, name="trio")

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._begun.wait(WAIT_SECONDS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread.is_alive():
            self.token.run_sync_soon(self._end.set)
            self._thread.join(WAIT_SECONDS)
            assert not self._thread.is_alive()

    def _run(self) -> None:
        trio = pytest.importorskip("trio")

        async def wait() -> None:
            self.token = trio.lowlevel.current_trio_token()
            self._end = trio.Event()
            self._begun.set()
            await self._end.wait()

        trio.run(wait)
