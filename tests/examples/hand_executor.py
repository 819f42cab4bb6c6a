"""An executor that is run by hand, so that tests decide what happens before what."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any


class HandExecutor(Executor):
    """Keep tasks until `run` is called; refuse them from when `refuses` is set."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.submitted = 0
        self.refuses = False

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> "Future[Any]":
        if self.refuses:
            raise RuntimeError("no room")
        future: Future[Any] = Future()
        self.submitted += 1
        self.waiting.append((future, lambda: function(*arguments, **options)))
        return future

    def run(self, most: int = 1_000_000) -> int:
        """Run tasks until there are none; return how many."""
        count = 0
        while self.waiting and count < most:
            future, task = self.waiting.pop(0)
            future.set_running_or_notify_cancel()
            future.set_result(task())
            count += 1
        return count

    def drop(self) -> None:
        """Drop the tasks that wait, as an executor does that is shut down so."""
        for future, _ in self.waiting:
            assert future.cancel()
        self.waiting.clear()
