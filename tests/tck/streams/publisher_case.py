"""A publisher of ours as a case for the compatibility kit."""

from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from reactivestreams import Stream, WorkerScheduler
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import PublisherVerification
from tests.contracts.loop_thread import LoopThread


class Workers:
    """Makes schedulers, event loops and executors with threads, for who needs one, and ends all of them at the end."""

    def __init__(self) -> None:
        self._workers: list[WorkerScheduler] = []
        self._loops: list[LoopThread] = []
        self._executors: list[ThreadPoolExecutor] = []

    def new(self) -> WorkerScheduler:
        """Return a scheduler of one publisher alone, since some checks hold its thread for a while."""
        worker = WorkerScheduler()
        self._workers.append(worker)
        return worker

    def new_loop(self) -> AbstractEventLoop:
        """Return an event loop of one publisher or subscriber alone."""
        thread = LoopThread()
        self._loops.append(thread)
        return thread.__enter__().loop

    def new_executor(self) -> ThreadPoolExecutor:
        """Return an executor of one publisher alone."""
        executor = ThreadPoolExecutor(2)
        self._executors.append(executor)
        return executor

    def dispose(self) -> None:
        for worker in self._workers:
            worker.dispose()
        for thread in self._loops:
            thread.__exit__(None, None, None)
        for executor in self._executors:
            executor.shutdown(cancel_futures=True)


@dataclass(frozen=True)
class PublisherCase:
    """What the kit is given for one publisher.

    Attributes:
        name: Of the case.
        covers: Names of what is under the kit here, as `test_completeness` enumerates them.
        create: Makes a publisher of so many elements.
        create_failed: Makes one that has failed, if there can be one.
        create_failing_at: Makes one whose source fails at a position, if there can be one.
        longest: The longest stream that `create` can make; `MAX_DEMAND` for one that never completes.
        ignored: Checks that cannot be run on it, each with the reason.
    """

    name: str
    covers: tuple[str, ...]
    create: Callable[[int, Workers], Any]
    create_failed: Callable[[Workers], Any] = lambda workers: None
    create_failing_at: Callable[[int, Workers], Any] = lambda position, workers: None
    longest: int = MAX_DEMAND - 1
    ignored: Mapping[str, str] = field(default_factory=dict)


class CaseVerification(PublisherVerification):
    """Judge the publishers of a case."""

    def __init__(self, case: PublisherCase, workers: Workers) -> None:
        self._case = case
        self._workers = workers

    def create_publisher(self, elements: int) -> Any:
        return self._case.create(elements, self._workers)

    def create_failed_publisher(self) -> Any:
        return self._case.create_failed(self._workers)

    def create_publisher_failing_at(self, position: int) -> Any:
        return self._case.create_failing_at(position, self._workers)

    def max_elements_from_publisher(self) -> int:
        return self._case.longest

    def ignored_checks(self) -> dict[str, str]:
        return dict(self._case.ignored)


def numbers_failing_at(position: int) -> Stream[int]:
    """Return a stream of numbers of which the one at a position cannot be made."""

    def made(number: int) -> int:
        if number == position:
            raise OSError(f"number {number} cannot be made")
        return number

    return Stream.range(position + 1).map(made)


def failed_source() -> Stream[int]:
    """Return a stream that has failed."""
    return Stream.error(RuntimeError("the source has failed"))
