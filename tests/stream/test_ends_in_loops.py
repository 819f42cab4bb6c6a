"""Ends that block, in a thread that runs an event loop: they send what it can send, and never wait for that loop."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import RunningEventLoopError
from reactivestreams.schedulers import EventLoopScheduler, WorkerScheduler
from reactivestreams.subjects import BroadcastSubject
from tests.contracts.loop_thread import WAIT_SECONDS, LoopThread

ENDS: dict[str, Callable[[Stream[Any]], Any]] = {
    "to_list": lambda stream: stream.to_list(timeout_seconds=WAIT_SECONDS),
    "for_each": lambda stream: stream.for_each(repr, timeout_seconds=WAIT_SECONDS),
    "run": lambda stream: stream.run(timeout_seconds=WAIT_SECONDS),
    "first": lambda stream: stream.first(timeout_seconds=WAIT_SECONDS),
    "reduce": lambda stream: stream.reduce(lambda total, number: total + number, 0, timeout_seconds=WAIT_SECONDS),
    "iterate": list,
}


async def twice(number: int) -> int:
    return 2 * number


async def numbers() -> AsyncIterator[int]:
    yield 1


class Silent:
    def subscribe(self, subscriber: Any) -> None:
        class Nothing:
            def request(self, n: int) -> None:
                pass

            def cancel(self) -> None:
                pass

        subscriber.on_subscribe(Nothing())


SENT_HERE: dict[str, Callable[[], Stream[int]]] = {
    "range": lambda: Stream.range(100_000).filter(lambda number: number % 1000 == 0),
    "iterable": lambda: Stream.from_iterable(iter([1, 2])).flat_map(lambda number: [number, number]),
    "folds of keys": lambda: Stream.range(10).key_by(lambda number: number % 2).count().map(lambda pair: pair[1]),
    "publisher that sends at once": lambda: Stream.from_publisher(Stream.range(1000)),
    "emitter in its callback": lambda: Stream.create(
        lambda emitter: (emitter.emit(1), emitter.complete()), on_overflow="error"
    ),
}

NEEDS_THE_LOOP: dict[str, Callable[[], Stream[int]]] = {
    "coroutines": lambda: Stream.range(3).map_async(twice),
    "asynchronous iterable": lambda: Stream.from_async_iterable(numbers()),
    "scheduler of the loop": lambda: Stream.range(3).observe_on(EventLoopScheduler()),
    "coroutines of a bound stream": lambda: Stream.from_publisher(Stream.range(3).map_async(twice)),
    "subject": lambda: Stream.from_publisher(BroadcastSubject()),
    "publisher of somebody": lambda: Stream.from_publisher(Silent()),
    "emitter": lambda: Stream.create(lambda emitter: None, on_overflow="error"),
    "silence": Stream.never,
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("stream", SENT_HERE)
def test_stream_that_the_thread_can_send_runs_as_outside_of_a_loop(stream: str, end: str) -> None:
    made = SENT_HERE[stream]

    async def main() -> Any:
        return ENDS[end](made())

    assert asyncio.run(main()) == ENDS[end](made())


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("stream", NEEDS_THE_LOOP)
def test_stream_that_may_need_the_loop_is_refused_with_a_remedy(stream: str, end: str) -> None:
    twin = "async for element in stream" if end == "iterate" else f"await stream.{end}_async()"

    async def main() -> None:
        with pytest.raises(RunningEventLoopError) as raised:
            ENDS[end](NEEDS_THE_LOOP[stream]())
        assert str(raised.value).startswith(f"{end} would block the event loop that runs in this thread, and ")
        assert str(raised.value).endswith(f"; use: {twin}")
        assert hasattr(Stream, f"{end}_async")

    asyncio.run(main())


@pytest.mark.parametrize("end", ENDS)
def test_stream_that_may_need_the_run_of_trio_is_refused(end: str) -> None:
    async def main() -> None:
        with pytest.raises(RunningEventLoopError, match="would block the event loop"):
            ENDS[end](Stream.range(3).map_async(twice))

    pytest.importorskip("trio").run(main)


@pytest.mark.parametrize("end", ENDS)
def test_end_waits_in_a_loop_for_the_threads_of_a_scheduler_and_of_another_loop(end: str) -> None:
    async def main() -> list[Any]:
        with WorkerScheduler() as worker, LoopThread() as thread:
            return [
                ENDS[end](Stream.range(100).observe_on(worker)),
                ENDS[end](Stream.range(50).map_async(twice, loop=thread.loop)),
            ]

    expected = [ENDS[end](Stream.range(100)), ENDS[end](Stream.range(50).map(lambda number: 2 * number))]
    assert asyncio.run(main()) == expected


def test_loop_over_a_stream_gets_what_is_there_before_it_is_refused() -> None:
    gotten: list[int] = []

    async def main() -> None:
        emitted = Stream.create(lambda emitter: emitter.emit(1), on_overflow="error")
        with pytest.raises(RunningEventLoopError, match="use: async for element in stream"):
            gotten.extend(emitted)

    asyncio.run(main())
    assert gotten == [1]


def test_stream_that_is_refused_is_cancelled() -> None:
    cancelled = threading.Event()

    def callback(emitter: Any) -> None:
        emitter.on_dispose(cancelled.set)

    async def main() -> None:
        with pytest.raises(RunningEventLoopError):
            Stream.create(callback, on_overflow="error").run()

    asyncio.run(main())
    assert cancelled.is_set()


def test_end_in_a_function_of_a_stream_that_is_awaited_is_not_cut_short_by_the_turn() -> None:
    async def main() -> list[int]:
        return await Stream.range(3).map(lambda n: len(Stream.range(100_000).to_list()) + n).to_list_async()

    assert asyncio.run(main()) == [100_000, 100_001, 100_002]
