"""Streams that end in every way there is in an event loop; run by growth.py in a process of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from reactivestreams import Stream
from reactivestreams.schedulers import WorkerScheduler

LOOP = asyncio.new_event_loop()
WORKER = WorkerScheduler(name="reactivestreams-async-leaks")


class Box:
    """An element that the collector knows."""

    def __init__(self, number: int) -> None:
        self.number = number


async def boxes() -> AsyncIterator[Box]:
    for number in range(9):
        await asyncio.sleep(0)
        yield Box(number)


async def boxes_without_end() -> AsyncIterator[Box]:
    yield Box(0)
    await asyncio.Event().wait()


async def copied(box: Box) -> Box:
    await asyncio.sleep(0)
    return Box(box.number)


async def lost(box: Box) -> Box:
    if box.number:
        raise OSError("lost")
    return box


async def all_awaited() -> None:
    stream = Stream.range(9).map(Box)
    assert len(await stream.to_list_async()) == 9
    assert (await stream.first_async()).number == 0
    await stream.for_each_async(copied, prefetch=2)
    assert len([box async for box in stream.observe_on(WORKER, prefetch=2)]) == 9


async def loops_that_are_left() -> None:
    async for _ in Stream.range(9).map(Box):
        break
    async for _ in Stream.range(10**9).map(Box).observe_on(WORKER, prefetch=2):
        break
    aiter(Stream.range(9))


async def asynchronous_sources() -> None:
    assert len(await Stream.from_async_iterable(boxes(), prefetch=2).to_list_async()) == 9
    assert (await Stream.from_async_iterable(boxes_without_end()).first_async()).number == 0


async def calls_of_coroutines() -> None:
    stream = Stream.range(9).map(Box)
    assert len(await stream.map_async(copied, concurrency=3).to_list_async()) == 9
    assert len(await stream.map_async(copied, ordered=False).to_list_async()) == 9
    assert (await stream.map_async(copied).first_async()).number == 0


async def failed_calls_of_coroutines() -> None:
    for stream in (Stream.range(9).map(Box).map_async(lost), Stream.from_async_iterable(boxes()).map_async(lost)):
        try:
            await stream.to_list_async()
        except OSError:
            continue
        raise AssertionError("no error came")


async def cancelled_tasks() -> None:
    for stream in (
        Stream.never(),
        Stream.from_async_iterable(boxes_without_end()),
        Stream.just(Box(0)).map_async(lambda box: asyncio.Event().wait()),
    ):
        task = asyncio.ensure_future(stream.to_list_async())
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


def in_the_loop(scenario: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Return a function that runs a scenario, and what it left in the loop."""

    async def run() -> None:
        await scenario()
        while len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(0)

    return lambda: LOOP.run_until_complete(run())


def settle() -> None:
    """Let the loop finish, and the worker."""
    done = asyncio.Event()
    WORKER.schedule(lambda: LOOP.call_soon_threadsafe(done.set))
    LOOP.run_until_complete(done.wait())


ASYNC_SCENARIOS = {
    scenario.__name__: in_the_loop(scenario)
    for scenario in (
        all_awaited, loops_that_are_left, asynchronous_sources, calls_of_coroutines, failed_calls_of_coroutines,
        cancelled_tasks,
    )
}  # fmt: skip
