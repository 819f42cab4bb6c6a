"""repeat: the stream again."""

import asyncio
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.operators.recovering.contracts import resumes_everywhere


@pytest.mark.parametrize("count", [1, 2, 3])
def test_runs_follow_each_other(count: int) -> None:
    resumes_everywhere(Stream.just(1, 2).repeat(count), [1, 2] * count)


def test_repetition_is_repeated() -> None:
    resumes_everywhere(Stream.just(1).repeat(2).map(str).repeat(2), ["1"] * 4)


def test_demand_is_carried_over_exactly() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=3)
    Stream.from_publisher(publisher).repeat().subscribe(subscriber)
    publisher.send(1)
    publisher.complete()
    assert publisher.requests == [3, 2]
    subscriber.cancel()
    assert publisher.cancels == 1


def test_run_for_ever_ends_by_cancel() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=100_000)
    Stream.just(1).repeat().subscribe(subscriber)
    assert subscriber.outcome == ([1] * 100_000, "open")


@pytest.mark.parametrize("position", range(3))
def test_error_ends_the_repetition(position: int) -> None:
    failing = CountedIterable([5, 6][:position], fails_with=OSError("x"))
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(failing).repeat().subscribe(subscriber)
    assert subscriber.outcome == ([5, 6][:position], "OSError('x')")


@pytest.mark.parametrize("stream", [Stream.empty().repeat(), Stream.just(1).filter(lambda _: False).repeat()])
def test_empty_stream_for_ever_lets_the_loop_go_on(stream: Stream[Any]) -> None:
    async def iterate() -> None:
        async for _ in stream:
            raise AssertionError("an element")

    async def run() -> None:
        task = asyncio.create_task(iterate())
        for _ in range(20):
            await asyncio.sleep(0.001)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(asyncio.wait_for(run(), 20))


def test_many_empty_runs_do_not_nest() -> None:
    assert Stream.empty().repeat(20_000).to_list() == []


@pytest.mark.parametrize("count", [0, -1])
def test_count_below_one_is_refused(count: int) -> None:
    with pytest.raises(ArgumentError, match=rf"repeat\(count\) needs a count from 1 to {2**63 - 1}, got {count}"):
        Stream.just(1).repeat(count)


def test_count_that_is_no_integer_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"repeat\(count\) needs an integer"):
        Stream.just(1).repeat("2")  # type: ignore[arg-type]
