"""from_async_iterable: an asynchronous iterable is read as it is requested, and closed in every case."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from itertools import pairwise
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    SourceUsedTwiceError,
    StreamCancelledError,
    WrongEventLoopError,
)
from rs_core.sync.turns import TURN_ELEMENTS
from tests.contracts.loop_thread import WAIT_SECONDS, LoopThread
from tests.rs_core.recording_subscriber import RecordingSubscriber


class Numbers:
    """An asynchronous iterable that counts, notes how far it was read and that it was closed."""

    def __init__(self, stop: int = 10**9, *, failing_at: int = -1, is_ready: bool = False) -> None:
        self.stop = stop
        self.failing_at = failing_at
        self.is_ready = is_ready
        self.made = 0
        self.closed = threading.Event()

    async def __aiter__(self) -> AsyncIterator[int]:
        try:
            for number in range(self.stop):
                if number == self.failing_at:
                    raise OSError("lost")
                if not self.is_ready:
                    await asyncio.sleep(0)
                self.made += 1
                yield number
        finally:
            await asyncio.sleep(0)  # is awaited, too
            self.closed.set()


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    with LoopThread() as thread:
        yield thread.loop


@pytest.mark.parametrize("elements", [0, 1, 31, 32, 33, 3000])
@pytest.mark.parametrize("is_ready", [False, True])
def test_elements_come_in_order_and_then_the_end(elements: int, is_ready: bool) -> None:
    numbers = Numbers(elements, is_ready=is_ready)

    async def main() -> list[int]:
        return await Stream.from_async_iterable(numbers).to_list_async()

    assert asyncio.run(main()) == list(range(elements))
    assert numbers.closed.is_set()


def test_none_is_an_element() -> None:
    async def nothing() -> AsyncIterator[None]:
        yield None

    async def main() -> list[None]:
        return await Stream.from_async_iterable(nothing()).to_list_async()

    assert asyncio.run(main()) == [None]


def test_no_more_is_read_than_is_requested_and_may_wait() -> None:
    async def main() -> None:
        numbers = Numbers()
        subscriber = RecordingSubscriber(demand=None)
        Stream.from_async_iterable(numbers, prefetch=4).subscribe(subscriber)
        for requested, made in ((0, 0), (1, 1), (2, 3), (100, 103)):
            if requested:
                subscriber.subscription.request(requested)
            for _ in range(5 * made + 20):
                await asyncio.sleep(0)
            assert len(subscriber.elements) == made
            assert numbers.made == made
        subscriber.subscription.cancel()

    asyncio.run(main())


def test_stream_in_one_thread_is_read_in_the_loop_of_another(loop: asyncio.AbstractEventLoop) -> None:
    numbers = Numbers(5000)
    assert Stream.from_async_iterable(numbers, loop=loop).to_list(timeout_seconds=WAIT_SECONDS) == list(range(5000))


def test_other_callbacks_get_a_turn_while_the_iterable_is_ready() -> None:
    turns: list[int] = []

    async def main() -> None:
        numbers = Numbers(3 * TURN_ELEMENTS, is_ready=True)
        loop = asyncio.get_running_loop()

        def note() -> None:
            turns.append(numbers.made)
            loop.call_soon(note)

        loop.call_soon(note)
        await Stream.from_async_iterable(numbers, prefetch=10**6).run_async(prefetch=10**6)

    asyncio.run(main())
    assert max(after - before for before, after in pairwise(turns)) <= TURN_ELEMENTS


# --- errors, and cancellation from either side --------------------------------------------------------------------


def test_error_of_the_iterable_comes_after_its_elements() -> None:
    seen = []
    numbers = Numbers(failing_at=3)

    async def main() -> None:
        async for number in Stream.from_async_iterable(numbers):
            seen.append(number)  # noqa: PERF401 - what came before the error is kept

    with pytest.raises(OSError, match="lost"):
        asyncio.run(main())
    assert (seen, numbers.closed.is_set()) == ([0, 1, 2], True)


def test_error_of_aiter_ends_the_stream() -> None:
    class Broken:
        def __aiter__(self) -> AsyncIterator[int]:
            raise OSError("no iterator")

    with pytest.raises(OSError, match="no iterator"):
        asyncio.run(_list(Stream.from_async_iterable(Broken())))


async def _list(stream: Stream[Any]) -> list[Any]:
    return await stream.to_list_async()


def test_error_of_aclose_is_said_and_ends_nothing(dropped_signals: list[tuple[str, Any, str]]) -> None:
    class Fussy:
        def __aiter__(self) -> Any:
            return self

        async def __anext__(self) -> int:
            raise StopAsyncIteration

        async def aclose(self) -> None:
            raise OSError("not closed")

    assert asyncio.run(_list(Stream.from_async_iterable(Fussy()))) == []
    ((signal, error, origin),) = dropped_signals
    assert (signal, str(error), origin[:20]) == ("aclose", "not closed", "from_async_iterable(")


def test_cancelled_stream_cancels_the_wait_and_closes_the_iterable(dropped_signals: list[Any]) -> None:
    closed = []

    async def silent() -> AsyncIterator[int]:
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            closed.append(True)

    async def main() -> None:
        async for _ in Stream.from_async_iterable(silent()).iterate_async(prefetch=2):
            break
        for _ in range(10):
            await asyncio.sleep(0)
        assert closed == [True]
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())
    assert dropped_signals == []


def test_task_that_somebody_else_cancels_ends_the_stream() -> None:
    async def silent() -> AsyncIterator[int]:
        await asyncio.Event().wait()
        yield 1

    async def main() -> None:
        task = asyncio.ensure_future(Stream.from_async_iterable(silent()).to_list_async())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        (reader,) = asyncio.all_tasks() - {task, asyncio.current_task()}
        reader.cancel()
        with pytest.raises(StreamCancelledError, match="was cancelled, by other code or with its event loop"):
            await task

    asyncio.run(main())


# --- bad input ----------------------------------------------------------------------------------------------------


def test_iterator_serves_one_subscription() -> None:
    async def main() -> list[int]:
        stream = Stream.from_async_iterable(aiter(Numbers(3)))
        first = await stream.to_list_async()
        with pytest.raises(SourceUsedTwiceError, match=r"§1\.10"):
            await stream.to_list_async()
        return first

    assert asyncio.run(main()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [([1], "use from_iterable"), (1, "use from_iterable"), (Numbers.__aiter__, "call the function")],
)
def test_what_is_no_asynchronous_iterable_is_refused(wrong: Any, remedy: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"needs an asynchronous iterable, got .*; {remedy}"):
        Stream.from_async_iterable(wrong)


@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(prefetch: int) -> None:
    with pytest.raises(ArgumentError, match=r"from_async_iterable\(prefetch\) needs a count"):
        Stream.from_async_iterable(Numbers(), prefetch=prefetch)


def test_loop_of_the_wrong_kind_is_refused() -> None:
    wrong: Any = "loop"
    needed = r"from_async_iterable\(loop\) needs an asyncio event loop or the token of a trio run, got 'loop'"
    with pytest.raises(ArgumentTypeError, match=needed):
        Stream.from_async_iterable(Numbers(), loop=wrong)


def test_without_a_loop_the_stream_fails_with_a_remedy() -> None:
    with pytest.raises(WrongEventLoopError, match="subscribe inside a coroutine, or pass loop"):
        Stream.from_async_iterable(Numbers()).to_list()


def test_loop_that_is_closed_ends_the_stream_with_a_remedy() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    with pytest.raises(WrongEventLoopError, match="runs nothing more; use a loop that runs as long as the stream"):
        Stream.from_async_iterable(Numbers(), loop=loop).to_list(timeout_seconds=WAIT_SECONDS)


def test_description_shows_what_was_given() -> None:
    numbers = Numbers()
    assert repr(Stream.from_async_iterable(numbers, prefetch=2)).endswith(", prefetch=2)")
