"""Where elements are made and where they are taken: the two ends of a hop, each in a place of its own."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

import pytest

from reactivestreams import Stream
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.loop_thread import WAIT_SECONDS, LoopThread
from tests.contracts.trio_thread import TrioThread

__all__ = ["MADE", "TAKEN", "WAIT_SECONDS", "Source"]


@dataclass
class Source:
    """What is made: numbers, up to an end or a failure; notes how many, and that it was let go."""

    stop: int
    failing_at: int = -1
    made: int = 0
    released: threading.Event = field(default_factory=threading.Event)

    def numbers(self) -> Iterator[int]:
        """Make the numbers."""
        try:
            for number in range(self.stop):
                if number == self.failing_at:
                    raise OSError("lost")
                self.made += 1
                yield number
        finally:
            self.released.set()

    async def numbers_async(self, checkpoint: Callable[[], Awaitable[object]]) -> AsyncIterator[int]:
        """Make the numbers; other tasks of the loop get a turn now and then."""
        try:
            for number in range(self.stop):
                if number == self.failing_at:
                    raise OSError("lost")
                if number % 7 == 0:
                    await checkpoint()
                self.made += 1
                yield number
        finally:
            self.released.set()


Place = Callable[[Source, int], AbstractContextManager[Stream[int]]]
"""Gives a stream of what a source makes, in a place; the integer is how much may be made ahead."""


@contextmanager
def in_the_caller(source: Source, prefetch: int) -> Iterator[Stream[int]]:
    yield Stream.from_iterable(source.numbers())


@contextmanager
def in_a_thread(source: Source, prefetch: int) -> Iterator[Stream[int]]:
    with WorkerScheduler(name="makes") as worker:
        yield Stream.from_iterable(source.numbers()).observe_on(worker, prefetch=prefetch)


@contextmanager
def in_a_loop(source: Source, prefetch: int) -> Iterator[Stream[int]]:
    with LoopThread() as thread:
        numbers = source.numbers_async(lambda: asyncio.sleep(0))
        yield Stream.from_async_iterable(numbers, prefetch=prefetch, loop=thread.loop)


@contextmanager
def in_uvloop(source: Source, prefetch: int) -> Iterator[Stream[int]]:
    uvloop = pytest.importorskip("uvloop")
    with LoopThread(uvloop.new_event_loop()) as thread:
        numbers = source.numbers_async(lambda: asyncio.sleep(0))
        yield Stream.from_async_iterable(numbers, prefetch=prefetch, loop=thread.loop)


@contextmanager
def in_trio(source: Source, prefetch: int) -> Iterator[Stream[int]]:
    trio = pytest.importorskip("trio")
    with TrioThread() as thread:
        numbers = source.numbers_async(trio.lowlevel.checkpoint)
        yield Stream.from_async_iterable(numbers, prefetch=prefetch, loop=thread.token)


MADE: dict[str, Place] = {
    "caller": in_the_caller,
    "thread": in_a_thread,
    "asyncio": in_a_loop,
    "uvloop": in_uvloop,
    "trio": in_trio,
}

Take = Callable[[int], object]
"""Called with each element; returns whether to go on, or raises."""


def taken_by_the_caller(stream: Stream[int], take: Take, prefetch: int) -> None:
    with stream.iterate(prefetch=prefetch) as elements:
        for element in elements:
            if not take(element):
                return


def taken_by_a_thread(stream: Stream[int], take: Take, prefetch: int) -> None:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            taken_by_the_caller(stream, take, prefetch)
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(WAIT_SECONDS)
    assert not thread.is_alive()
    for failure in failures:
        raise failure


async def taken_by_a_task(stream: Stream[int], take: Take, prefetch: int) -> None:
    async with stream.iterate_async(prefetch=prefetch) as elements:
        async for element in elements:
            if not take(element):
                return


def taken_by_a_loop(stream: Stream[int], take: Take, prefetch: int) -> None:
    asyncio.run(asyncio.wait_for(taken_by_a_task(stream, take, prefetch), WAIT_SECONDS))


def taken_by_uvloop(stream: Stream[int], take: Take, prefetch: int) -> None:
    uvloop = pytest.importorskip("uvloop")
    uvloop.run(asyncio.wait_for(taken_by_a_task(stream, take, prefetch), WAIT_SECONDS))


def taken_by_trio(stream: Stream[int], take: Take, prefetch: int) -> None:
    trio = pytest.importorskip("trio")

    async def run() -> None:
        with trio.fail_after(WAIT_SECONDS):
            await taken_by_a_task(stream, take, prefetch)

    trio.run(run)


TAKEN: dict[str, Callable[[Stream[int], Take, int], None]] = {
    "caller": taken_by_the_caller,
    "thread": taken_by_a_thread,
    "asyncio": taken_by_a_loop,
    "uvloop": taken_by_uvloop,
    "trio": taken_by_trio,
}
