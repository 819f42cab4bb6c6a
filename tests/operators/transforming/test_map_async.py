"""map_async: several calls of a coroutine function at once, their results in order or as they come."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StreamCancelledError, WrongEventLoopError
from tests.contracts.loop_thread import WAIT_SECONDS, LoopThread
from tests.contracts.operator_contract import OperatorContract, OperatorSubject
from tests.contracts.state_contract import StateContract
from tests.contracts.stepped_loop import SteppedLoop
from tests.rs_core.recording_subscriber import RecordingSubscriber


class Calls:
    """A coroutine function whose calls end when this test lets them."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.cancelled: list[int] = []
        self.results: dict[int, asyncio.Future[int]] = {}

    async def __call__(self, number: int) -> int:
        self.begun.append(number)
        self.results[number] = asyncio.get_running_loop().create_future()
        try:
            return await self.results[number]
        except asyncio.CancelledError:
            self.cancelled.append(number)
            raise

    def end(self, number: int) -> None:
        self.results[number].set_result(10 * number)


async def rounds(count: int = 20) -> None:
    """Let the loop's callbacks run."""
    for _ in range(count):
        await asyncio.sleep(0)


async def negated(number: int) -> int:
    await asyncio.sleep(0)
    return -number


class InASteppedLoop(OperatorSubject):
    """The operator, whose loop runs when the test lets it."""

    stepped: SteppedLoop

    @pytest.fixture(autouse=True)
    def loop_of_the_test(self) -> Iterator[None]:
        with SteppedLoop() as self.stepped:
            yield

    def settle(self) -> None:
        self.stepped.settle()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [-element for element in elements]

    def start_settling(self, stream: Stream[Any], subscriber: Any) -> None:
        stream.subscribe(subscriber)
        while not subscriber.ended.wait(0.001):
            self.settle()


class TestMapAsync(InASteppedLoop, OperatorContract, StateContract):
    reads_ahead = 8  # half of them in the queue, half of them in calls

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_async(negated, concurrency=4, loop=self.stepped.loop)


class TestMapAsyncOneByOne(InASteppedLoop, OperatorContract, StateContract):
    reads_ahead = 2

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_async(negated, concurrency=1, loop=self.stepped.loop)


class TestMapAsyncAsTheyCome(InASteppedLoop, OperatorContract, StateContract):
    """All calls take as long as each other, so that results come in order here, too."""

    reads_ahead = 8

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_async(negated, concurrency=4, ordered=False, loop=self.stepped.loop)


@pytest.mark.parametrize("concurrency", [1, 2, 16, 1000])
@pytest.mark.parametrize("elements", [0, 1, 50])
def test_results_come_in_the_order_of_the_elements(concurrency: int, elements: int) -> None:
    async def main() -> list[int]:
        return await Stream.range(elements).map_async(negated, concurrency=concurrency).to_list_async()

    assert asyncio.run(main()) == [-number for number in range(elements)]


def test_results_that_are_ready_wait_for_those_before_them_unless_order_is_waived() -> None:
    async def main(*, ordered: bool) -> list[int]:
        calls, subscriber = Calls(), RecordingSubscriber(demand=10)
        Stream.range(3).map_async(calls, ordered=ordered).subscribe(subscriber)
        await rounds()
        for number in (2, 0):
            calls.end(number)
            await rounds()
        seen = list(subscriber.elements)
        calls.end(1)
        await rounds()
        assert sorted(subscriber.elements) == [0, 10, 20]
        assert subscriber.names[-1] == "on_complete"
        return seen

    assert asyncio.run(main(ordered=True)) == [0]
    assert asyncio.run(main(ordered=False)) == [20, 0]


def test_no_more_calls_run_than_are_allowed_and_requested() -> None:
    async def main() -> None:
        calls, subscriber = Calls(), RecordingSubscriber(demand=None)
        Stream.range(100).map_async(calls, concurrency=3).subscribe(subscriber)
        await rounds()
        assert calls.begun == []
        subscriber.subscription.request(2)
        await rounds()
        assert calls.begun == [0, 1]
        subscriber.subscription.request(10)
        await rounds()
        assert calls.begun == [0, 1, 2]
        calls.end(1)
        await rounds()
        assert calls.begun == [0, 1, 2]  # the result of 1 waits for that of 0
        calls.end(0)
        await rounds()
        assert (subscriber.elements, calls.begun) == ([0, 10], [0, 1, 2, 3, 4])
        subscriber.subscription.cancel()
        await rounds()
        assert calls.cancelled == [2, 3, 4]

    asyncio.run(main())


def test_calls_run_in_the_loop_of_another_thread() -> None:
    threads: set[int | None] = set()

    async def noted(number: int) -> int:
        threads.add(threading.get_ident())
        return await negated(number)

    with LoopThread() as thread:
        stream = Stream.range(200).map_async(noted, loop=thread.loop)
        assert stream.to_list(timeout_seconds=WAIT_SECONDS) == [-number for number in range(200)]
    assert len(threads) == 1
    assert threading.get_ident() not in threads


# --- errors and cancellation --------------------------------------------------------------------------------------


def test_failed_call_ends_the_stream_in_its_place_and_cancels_the_others() -> None:
    async def main() -> None:
        calls, subscriber = Calls(), RecordingSubscriber(demand=10)
        Stream.range(4).map_async(calls).subscribe(subscriber)
        await rounds()
        calls.results[1].set_exception(OSError("lost"))
        await rounds()
        assert subscriber.errors == []
        calls.end(0)
        await rounds()
        assert (subscriber.elements, [str(error) for error in subscriber.errors]) == ([0], ["lost"])
        assert calls.cancelled == [2, 3]

    asyncio.run(main())


def test_error_of_the_upstream_comes_behind_the_results() -> None:
    def raising(number: int) -> int:
        if number == 2:
            raise OSError("lost")
        return number

    async def main() -> None:
        async for number in Stream.range(4).map(raising).map_async(negated):
            seen.append(number)  # noqa: PERF401 - what came before the error is kept

    seen: list[int] = []
    with pytest.raises(OSError, match="lost"):
        asyncio.run(main())
    assert seen == [0, -1]


def test_call_that_somebody_else_cancels_ends_the_stream() -> None:
    async def cancelling(number: int) -> int:
        raise asyncio.CancelledError

    async def main() -> None:
        await Stream.range(4).map_async(cancelling).to_list_async()

    with pytest.raises(StreamCancelledError, match="a task of the stream was cancelled, by other code"):
        asyncio.run(main())


def test_leaving_the_loop_early_cancels_the_calls() -> None:
    async def main() -> None:
        calls = Calls()

        async def one_of(number: int) -> int:
            return 0 if number == 0 else await calls(number)

        async for _ in Stream.range(10).map_async(one_of).iterate_async(prefetch=8):
            break
        await rounds()
        assert calls.begun == calls.cancelled != []

    asyncio.run(main())


# --- bad input ----------------------------------------------------------------------------------------------------


def test_function_that_is_no_coroutine_function_ends_the_stream_with_a_remedy() -> None:
    wrong: Any = str

    async def main() -> None:
        await Stream.range(1).map_async(wrong).to_list_async()

    with pytest.raises(ArgumentTypeError, match=r"for 0 it returned '0' \(str\); define it with async def, or use map"):
        asyncio.run(main())


@pytest.fixture
def coroutine() -> Iterator[Any]:
    coroutine = negated(1)
    yield coroutine
    coroutine.close()


def test_coroutine_instead_of_a_function_is_refused(coroutine: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"map_async\(function\) needs a callable, got <coroutine object"):
        Stream.range(1).map_async(coroutine)


@pytest.mark.parametrize("concurrency", [0, -1, 2**16 + 1])
def test_concurrency_out_of_bounds_is_refused(concurrency: int) -> None:
    with pytest.raises(ArgumentError, match=r"map_async\(concurrency\) needs a count from 1 to 65536"):
        Stream.range(1).map_async(negated, concurrency=concurrency)


def test_without_a_loop_the_stream_fails_with_a_remedy() -> None:
    with pytest.raises(WrongEventLoopError, match="subscribe inside a coroutine, or pass loop"):
        Stream.range(1).map_async(negated).to_list()


def test_description_shows_what_was_given() -> None:
    stream = Stream.range(1).map_async(negated, concurrency=2, ordered=False)
    assert repr(stream) == "Stream.range(0, 1).map_async(negated, concurrency=2, ordered=False)"
