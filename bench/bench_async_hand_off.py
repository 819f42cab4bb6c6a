"""What does an element cost on its way into an asyncio event loop?

A thread emits, a task iterates. The baselines are what one would write by hand: `deque_with_credit` is bounded, and
wakes the loop once for each time that its task sleeps, the best that Python code can do; `asyncio.Queue` with a
`call_soon_threadsafe` for each element is what most programs do. janus and culsans are queues with a side for threads
and one for tasks.

Inside one loop the baselines are an asynchronous generator, for a source that is always ready, and `asyncio.Queue` with
`put_nowait` and `get_nowait`.
"""

import asyncio
import importlib
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams import Stream
from rs_core.sources.emitter import StreamEmitter

ELEMENTS = 50_000
QUEUE_ELEMENTS = 5_000
CAPACITY = 1024
TURN_ELEMENTS = 256
"""How many elements one loop puts before it takes them."""


def in_a_loop(main: Callable[[int], Coroutine[Any, Any, None]], elements: int) -> None:
    asyncio.run(main(elements))


async def through_stream(elements: int) -> None:
    """A thread emits into a bounded stream, and waits where it is full."""

    def start(emitter: StreamEmitter[int]) -> None:
        threading.Thread(target=send, args=(emitter,)).start()

    def send(emitter: StreamEmitter[int]) -> None:
        emit = emitter.emit
        for element in range(elements):
            emit(element)
        emitter.complete()

    stream: Stream[int] = Stream.create(start, on_overflow="block", capacity=CAPACITY)
    async for _ in stream.iterate_async(prefetch=CAPACITY):
        pass


async def through_deque_with_credit(elements: int) -> None:
    """The same by hand: a deque, credit for its producer, one wake-up for each sleep."""
    loop, waiting = asyncio.get_running_loop(), deque[Any]()
    credit = threading.Semaphore(CAPACITY)
    is_asleep, has_news = [False], asyncio.Event()

    def send() -> None:
        acquire, append, wake = credit.acquire, waiting.append, loop.call_soon_threadsafe
        for element in (*range(elements), None):
            acquire()
            append(element)
            if is_asleep[0]:
                is_asleep[0] = False
                wake(has_news.set)

    thread = threading.Thread(target=send)
    thread.start()
    taken = 0
    while True:
        if not waiting:
            has_news.clear()
            is_asleep[0] = True
            if not waiting:
                await has_news.wait()
            is_asleep[0] = False
            continue
        if waiting.popleft() is None:
            break
        taken += 1
        if taken == CAPACITY // 4:
            credit.release(taken)
            taken = 0
    thread.join()


async def through_asyncio_queue(elements: int) -> None:
    """A call in the loop for each element; the queue is not bounded."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[Any]()

    def send() -> None:
        for element in (*range(elements), None):
            loop.call_soon_threadsafe(queue.put_nowait, element)

    await _take_all(queue, send)


async def through_janus(elements: int) -> None:
    """A queue with two sides."""
    queue = importlib.import_module("janus").Queue(CAPACITY)
    await _take_all(queue.async_q, lambda: _put_all(queue.sync_q, elements))
    await queue.aclose()


async def through_culsans(elements: int) -> None:
    """Another one."""
    queue = importlib.import_module("culsans").Queue(CAPACITY)
    await _take_all(queue.async_q, lambda: _put_all(queue.sync_q, elements))
    queue.shutdown()


def _put_all(queue: Any, elements: int) -> None:
    for element in (*range(elements), None):
        queue.put(element)


async def _take_all(queue: Any, send: Callable[[], None]) -> None:
    thread = threading.Thread(target=send)
    thread.start()
    while await queue.get() is not None:
        pass
    thread.join()


# --- inside one loop ----------------------------------------------------------------------------------------------


async def from_ready_stream(elements: int) -> None:
    """A stream whose elements are there when they are asked for."""
    async for _ in Stream.range(elements):
        pass


async def from_ready_stream_ahead(elements: int) -> None:
    """The same, with elements made ahead."""
    async for _ in Stream.range(elements).iterate_async(prefetch=128):
        pass


async def from_async_generator(elements: int) -> None:
    """The baseline."""
    async for _ in _generated(elements):
        pass


async def _generated(elements: int) -> AsyncIterator[int]:
    for element in range(elements):
        yield element


async def within_a_loop_by_stream(elements: int) -> None:
    """Puts and takes in turn, through a stream."""
    kept: list[StreamEmitter[int]] = []
    stream: Stream[int] = Stream.create(kept.append, on_overflow="error", capacity=CAPACITY)
    taken = stream.iterate_async(prefetch=CAPACITY)
    emit = kept[0].emit
    for begin in range(0, elements, TURN_ELEMENTS):
        for element in range(begin, begin + TURN_ELEMENTS):
            emit(element)
        for _ in range(TURN_ELEMENTS):
            await anext(taken)
    await taken.aclose()


async def within_a_loop_by_queue(elements: int) -> None:
    """Puts and takes in turn, through a queue, without waiting."""
    queue = asyncio.Queue[int](CAPACITY)
    put, get = queue.put_nowait, queue.get_nowait
    for begin in range(0, elements, TURN_ELEMENTS):
        for element in range(begin, begin + TURN_ELEMENTS):
            put(element)
        for _ in range(TURN_ELEMENTS):
            get()


CASES: dict[str, tuple[Callable[[int], Coroutine[Any, Any, None]], int]] = {
    "stream": (through_stream, ELEMENTS),
    "deque_with_credit": (through_deque_with_credit, ELEMENTS),
    "asyncio_queue": (through_asyncio_queue, QUEUE_ELEMENTS),
    "janus": (through_janus, QUEUE_ELEMENTS),
    "culsans": (through_culsans, QUEUE_ELEMENTS),
    "ready_stream": (from_ready_stream, ELEMENTS),
    "ready_stream_ahead": (from_ready_stream_ahead, ELEMENTS),
    "async_generator": (from_async_generator, ELEMENTS),
    "one_loop_stream": (within_a_loop_by_stream, ELEMENTS - ELEMENTS % TURN_ELEMENTS),
    "one_loop_queue": (within_a_loop_by_queue, ELEMENTS - ELEMENTS % TURN_ELEMENTS),
}


@pytest.mark.parametrize("name", CASES)
def bench_async_hand_off(benchmark: BenchmarkFixture, name: str) -> None:
    """What does an element cost?"""
    main, elements = CASES[name]
    benchmark.extra_info["operations"] = elements
    benchmark(in_a_loop, main, elements)
