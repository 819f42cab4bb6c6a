"""from_queue: the elements of a queue, of threads or of tasks, as they are requested."""

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError, WrongEventLoopError
from reactivestreams.state import load_tree, save_tree
from tests.contracts.loop_thread import WAIT_SECONDS, LoopThread
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.stepped_loop import SteppedLoop

QUEUES: dict[str, Callable[[], Any]] = {"Queue": queue.Queue, "SimpleQueue": queue.SimpleQueue}
of_threads = pytest.mark.parametrize("make", QUEUES.values(), ids=QUEUES)


def filled(make: Callable[[], Any], *elements: Any) -> Any:
    made = make()
    for element in elements:
        made.put_nowait(element)
    return made


@pytest.fixture(autouse=True)
def threads_end() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        if thread.name == "from_queue":
            thread.join(WAIT_SECONDS)


@of_threads
@pytest.mark.parametrize("prefetch", [1, 2, 64])
def test_elements_come_until_the_sentinel(make: Callable[[], Any], prefetch: int) -> None:
    jobs = filled(make, *range(100), None, 7)
    assert Stream.from_queue(jobs, prefetch=prefetch).to_list() == list(range(100))
    assert jobs.get_nowait() == 7


@of_threads
def test_sentinel_is_compared_by_identity(make: Callable[[], Any]) -> None:
    stop = [1]
    assert Stream.from_queue(filled(make, [1], None, stop), sentinel=stop).to_list() == [[1], None]


@of_threads
def test_no_more_is_taken_than_was_requested(make: Callable[[], Any]) -> None:
    jobs = filled(make, *range(10))
    arrived = threading.Semaphore(0)
    subscriber = RecordingSubscriber()
    Stream.from_queue(jobs).do(on_next=lambda _: arrived.release()).subscribe(subscriber)
    subscriber.request(3)
    for _ in range(3):
        assert arrived.acquire(timeout=WAIT_SECONDS)
    subscriber.cancel()
    assert jobs.qsize() == 7


@of_threads
def test_element_that_comes_later_is_waited_for(make: Callable[[], Any]) -> None:
    jobs = make()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_queue(jobs).subscribe(subscriber)
    assert subscriber.outcome == ([], "open")
    for element in (1, 2, None):
        jobs.put(element)
    assert subscriber.ended.wait(WAIT_SECONDS)
    assert subscriber.outcome == ([1, 2], "complete")


@of_threads
def test_cancelled_stream_lets_its_thread_go(make: Callable[[], Any]) -> None:
    before = set(threading.enumerate())
    subscriber = RecordingSubscriber(first_request=1)
    Stream.from_queue(make()).subscribe(subscriber)
    (thread,) = set(threading.enumerate()) - before
    assert thread.daemon
    subscriber.cancel()
    thread.join(WAIT_SECONDS)
    assert not thread.is_alive()


def test_stream_that_requests_nothing_has_no_thread() -> None:
    before = threading.enumerate()
    subscriber = RecordingSubscriber()
    Stream.from_queue(queue.Queue()).subscribe(subscriber)
    assert threading.enumerate() == before
    subscriber.cancel()


def test_several_subscriptions_share_the_elements() -> None:
    jobs = filled(queue.Queue, *range(50), None, None)
    stream = Stream.from_queue(jobs)
    subscribers = [RecordingSubscriber(first_request=UNBOUNDED) for _ in range(2)]
    for subscriber in subscribers:
        stream.subscribe(subscriber)
    for subscriber in subscribers:
        assert subscriber.ended.wait(WAIT_SECONDS)
    assert sorted(subscribers[0].elements + subscribers[1].elements) == list(range(50))


def test_what_get_raises_is_the_streams_error() -> None:
    class Broken(queue.Queue[int]):
        def get(self, block: bool = True, timeout: float | None = None) -> int:
            raise OSError("the broker is gone")

    with pytest.raises(OSError, match="the broker is gone"):
        Stream.from_queue(Broken()).to_list()


class ShutDown(Exception):  # noqa: N818 - its name is what is looked at
    """As of Python 3.13 raised by a queue that was shut down."""


def test_queue_that_was_shut_down_ends_the_stream() -> None:
    class Closing(queue.Queue[int]):
        def get(self, block: bool = True, timeout: float | None = None) -> int:
            if self.empty():
                raise ShutDown
            return super().get(block, timeout)

    assert Stream.from_queue(filled(Closing, 1, 2)).to_list() == [1, 2]


@pytest.mark.skipif(not hasattr(queue, "ShutDown"), reason="Python 3.13 can shut a queue down")
def test_shut_down_of_the_standard_library_ends_the_stream() -> None:
    jobs: Any = filled(queue.Queue, 1, 2)
    jobs.shutdown()
    assert Stream.from_queue(jobs).to_list() == [1, 2]

    async def main() -> list[int]:
        tasks: Any = filled(asyncio.Queue, 1, 2)
        tasks.shutdown()
        return await Stream.from_queue(tasks).to_list_async()

    assert asyncio.run(main()) == [1, 2]


def test_event_loop_runs_on_while_a_thread_waits() -> None:
    async def main() -> list[int]:
        jobs: queue.Queue[Any] = queue.Queue()
        reading = asyncio.create_task(Stream.from_queue(jobs).to_list_async())
        for element in (1, 2, None):
            await asyncio.sleep(0.001)
            jobs.put(element)
        return await reading

    assert asyncio.run(main()) == [1, 2]


# --- queues of event loops --------------------------------------------------------------------------------------------


def test_queue_of_a_loop_is_read_in_it() -> None:
    async def main() -> None:
        jobs = filled(asyncio.Queue, 1, 2, None, 4)
        assert await Stream.from_queue(jobs).to_list_async() == [1, 2]
        assert jobs.qsize() == 1
        reading = asyncio.create_task(Stream.from_queue(jobs).to_list_async())
        for element in (5, None):
            await asyncio.sleep(0)
            jobs.put_nowait(element)
        assert await reading == [4, 5]

    asyncio.run(main())


def test_cancelled_wait_loses_nothing() -> None:
    async def main() -> None:
        jobs: asyncio.Queue[Any] = asyncio.Queue()
        reading = asyncio.create_task(Stream.from_queue(jobs).to_list_async())
        for _ in range(5):
            await asyncio.sleep(0)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        jobs.put_nowait(3)
        await asyncio.sleep(0)
        assert jobs.get_nowait() == 3

    asyncio.run(main())


def test_loop_may_be_that_of_another_thread() -> None:
    with LoopThread() as thread:
        jobs = filled(asyncio.Queue, 1, 2, None)
        assert Stream.from_queue(jobs, loop=thread.loop).to_list() == [1, 2]


def test_error_and_shut_down_of_an_awaited_queue() -> None:
    class Ending(asyncio.Queue[int]):
        error: Exception

        async def get(self) -> int:
            if self.empty():
                raise self.error
            return await super().get()

    async def main() -> None:
        for error in (ShutDown(), OSError("gone")):
            jobs = filled(Ending, 1)
            jobs.error = error
            stream = Stream.from_queue(jobs).on_error_return(-1)
            assert await stream.to_list_async() == ([1] if type(error) is ShutDown else [1, -1])

    asyncio.run(main())


def test_without_a_loop_an_awaited_queue_is_an_error() -> None:
    with pytest.raises(WrongEventLoopError, match="from_queue"):
        Stream.from_queue(asyncio.Queue()).to_list()


# --- state ------------------------------------------------------------------------------------------------------------


def test_element_that_was_taken_and_not_passed_on_is_saved() -> None:
    with SteppedLoop() as stepped:
        jobs = filled(asyncio.Queue, 1, 2, 3, None)
        parked = RecordingSubscriber()

        def stream() -> Stream[int]:
            return Stream.from_queue(jobs, loop=stepped.loop, recovery="exact")

        handle = stream().bind(parked)
        handle.initialize()
        parked.request(1)
        handle.inputs[0].pause()
        stepped.settle()
        assert (parked.elements, jobs.qsize()) == ([], 3)
        state = save_tree(handle)
        handle.cancel()
        stepped.settle()
        after = RecordingSubscriber(first_request=UNBOUNDED)
        again = stream().bind(after)
        load_tree(again, state)
        again.initialize()
        stepped.settle()
        assert after.outcome == ([1, 2, 3], "complete")


def test_live_queue_is_saved_with_a_statement_only() -> None:
    handle = Stream.from_queue(queue.Queue()).bind(RecordingSubscriber())
    handle.initialize()
    with pytest.raises(StateError, match="does not give again what it gave"):
        save_tree(handle)
    handle.cancel()


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [3, None, {}, [], queue.Queue, iter(())])
def test_what_is_no_queue_is_refused(wrong: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"from_queue\(queue\) needs a queue, got .*; pass a queue\.Queue or an"
    ):
        Stream.from_queue(wrong)


def test_loop_of_a_queue_that_blocks_is_refused() -> None:
    loop = asyncio.new_event_loop()
    with pytest.raises(ArgumentError, match=r"from_queue\(loop\) is for a queue whose get\(\) is awaited"):
        Stream.from_queue(queue.Queue(), loop=loop)
    loop.close()


@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(prefetch: int) -> None:
    with pytest.raises(ArgumentError, match=r"from_queue\(prefetch\) needs a count from 1 to 16777216"):
        Stream.from_queue(queue.Queue(), prefetch=prefetch)


def test_call_is_shown_as_it_was_written() -> None:
    text = repr(Stream.from_queue(asyncio.Queue(), sentinel="end", prefetch=3, recovery="exact"))
    assert text.startswith("Stream.from_queue(<Queue ")
    assert text.endswith(", sentinel='end', prefetch=3, recovery='exact')")
    assert "sentinel" not in repr(Stream.from_queue(queue.Queue()))
