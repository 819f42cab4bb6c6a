"""from_future: the result of a future, of asyncio or of a thread pool, for any number of subscriptions."""

import asyncio
import gc
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError, StreamCancelledError, WrongEventLoopError
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.loop_thread import WAIT_SECONDS, LoopThread
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start


def done(result: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(result)
    return future


def failed(error: BaseException) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


def subscribed(future: Any, **arguments: Any) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(**arguments)
    Stream.from_future(future).subscribe(subscriber)
    return subscriber


# --- futures of threads -----------------------------------------------------------------------------------------------


def test_result_waits_for_demand() -> None:
    subscriber = subscribed(done(3))
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([3], "complete")


def test_demand_waits_for_the_result() -> None:
    future: Future[int] = Future()
    subscriber = subscribed(future, first_request=1)
    assert subscriber.outcome == ([], "open")
    future.set_result(3)
    assert subscriber.outcome == ([3], "complete")


def test_error_needs_no_demand() -> None:
    assert subscribed(failed(OSError("lost"))).outcome == ([], "OSError('lost')")
    future: Future[int] = Future()
    subscriber = subscribed(future)
    future.set_exception(OSError("lost"))
    assert subscriber.outcome == ([], "OSError('lost')")


def test_cancelled_future_is_an_error() -> None:
    future: Future[int] = Future()
    subscriber = subscribed(future)
    future.cancel()
    future.set_running_or_notify_cancel()
    assert isinstance(subscriber.error, StreamCancelledError)
    assert "was cancelled, but not by this stream" in str(subscriber.error)


def test_interrupt_of_a_future_is_the_cause_of_an_error() -> None:
    interrupt = KeyboardInterrupt()
    subscriber = subscribed(failed(interrupt))
    assert isinstance(subscriber.error, StreamCancelledError)
    assert subscriber.error.__cause__ is interrupt


def test_several_subscriptions_get_the_same_result() -> None:
    future: Future[object] = Future()
    stream = Stream.from_future(future)
    subscribers = [RecordingSubscriber(first_request=1) for _ in range(3)]
    for subscriber in subscribers:
        stream.subscribe(subscriber)
    result = object()
    future.set_result(result)
    assert [subscriber.outcome for subscriber in subscribers] == [([result], "complete")] * 3
    assert stream.to_list() == [result]


@pytest.mark.parametrize("cancel_future", [False, True])
def test_cancel_leaves_the_future_to_others_unless_it_is_stated(cancel_future: bool) -> None:
    future: Future[int] = Future()
    stream = Stream.from_future(future, cancel_future=cancel_future)
    one, other = RecordingSubscriber(first_request=1), RecordingSubscriber(first_request=1)
    stream.subscribe(one)
    stream.subscribe(other)
    one.cancel()
    assert future.cancelled() is cancel_future
    if not cancel_future:
        future.set_result(3)
        assert other.outcome == ([3], "complete")
    assert one.outcome == ([], "open")


def test_cancel_inside_of_the_result_leaves_silence() -> None:
    assert subscribed(done(3), first_request=1, cancel_after=1).outcome == ([3], "open")


def test_cancelled_stream_is_not_kept_by_the_future() -> None:
    future: Future[int] = Future()
    subscriber = subscribed(future, first_request=1)
    gone = weakref.ref(subscriber)
    subscriber.cancel()
    del subscriber
    gc.collect()
    assert gone() is None
    with recorded_drops() as drops:
        future.set_exception(OSError("nobody waits"))
    assert drops == []


def test_none_is_a_result() -> None:
    assert Stream.from_future(done(None)).to_list() == [None]


@pytest.mark.parametrize("position", [0, 1])
def test_result_that_was_sent_is_not_sent_after_a_recovery(position: int) -> None:
    before, after = RecordingSubscriber(first_request=position), RecordingSubscriber(first_request=1)
    handle = Stream.from_future(done(3)).bind(before)
    handle.initialize()
    start(Stream.from_future(done(3)).bind(after), save(handle))
    assert before.elements + after.elements == [3]


@pytest.mark.smoke
def test_result_and_demand_that_come_together_bring_one_element() -> None:
    with ThreadPoolExecutor(2) as pool:
        for _ in range(300):
            future: Future[int] = Future()
            subscriber = subscribed(future)
            both = [pool.submit(future.set_result, 3), pool.submit(subscriber.request, 1)]
            for each in both:
                each.result(WAIT_SECONDS)
            assert subscriber.ended.wait(WAIT_SECONDS)
            assert subscriber.outcome == ([3], "complete")


# --- futures of event loops -------------------------------------------------------------------------------------------


def test_task_is_awaited_by_several() -> None:
    async def main() -> None:
        task = asyncio.create_task(asyncio.sleep(0.001, "slept"))
        stream = Stream.from_future(task)
        assert await asyncio.gather(*(stream.to_list_async() for _ in range(3))) == [["slept"]] * 3
        assert await stream.to_list_async() == ["slept"]

    asyncio.run(main())


def test_failed_task_is_an_error() -> None:
    async def main() -> None:
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(future.set_exception, OSError("lost"))
        with pytest.raises(OSError, match="lost"):
            await Stream.from_future(future).to_list_async()

    asyncio.run(main())


@pytest.mark.parametrize("cancel_future", [False, True])
def test_cancelled_wait_leaves_the_task_alone_unless_it_is_stated(cancel_future: bool) -> None:
    async def main() -> None:
        task = asyncio.create_task(asyncio.sleep(3600))
        waiting = asyncio.create_task(Stream.from_future(task, cancel_future=cancel_future).to_list_async())
        for _ in range(3):
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        for _ in range(3):
            await asyncio.sleep(0)
        assert task.cancelled() is cancel_future
        task.cancel()
        with pytest.raises(StreamCancelledError):
            await Stream.from_future(task).to_list_async()

    asyncio.run(main())


def test_future_of_a_loop_in_another_thread_is_waited_for() -> None:
    with LoopThread() as thread:
        future = asyncio.run_coroutine_threadsafe(made_future(), thread.loop).result(WAIT_SECONDS)
        subscriber = subscribed(future, first_request=1)
        assert subscriber.outcome == ([], "open")
        thread.loop.call_soon_threadsafe(future.set_result, 3)
        assert subscriber.ended.wait(WAIT_SECONDS)
        assert subscriber.outcome == ([3], "complete")


async def made_future() -> asyncio.Future[int]:
    return asyncio.get_running_loop().create_future()


def test_loop_that_ends_first_is_an_error() -> None:
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # the task that waits is destroyed with it
    future = loop.run_until_complete(made_future())
    subscriber = subscribed(future, first_request=1)
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    gc.collect()
    assert isinstance(subscriber.error, WrongEventLoopError)
    assert isinstance(subscribed(future).error, WrongEventLoopError)


def test_result_of_a_loop_that_has_ended_is_sent() -> None:
    loop = asyncio.new_event_loop()
    future = loop.run_until_complete(made_future())
    future.set_result(3)
    loop.close()
    assert subscribed(future, first_request=UNBOUNDED).outcome == ([3], "complete")


# --- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [3, None, Future, object(), lambda: 3])
def test_what_is_no_future_is_refused(wrong: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"from_future\(future\) needs a future of asyncio or of concurrent\.fut"
    ):
        Stream.from_future(wrong)


def test_coroutine_is_refused() -> None:
    wrong: Any = made_future()
    with pytest.raises(ArgumentTypeError, match=r"pass what asyncio\.ensure_future"):
        Stream.from_future(wrong)
    wrong.close()


def test_flag_that_is_none_is_refused() -> None:
    wrong: Any = 1
    with pytest.raises(ArgumentTypeError, match=r"from_future\(cancel_future\) needs True or False, got 1 \(int\)"):
        Stream.from_future(done(3), cancel_future=wrong)


def test_call_is_shown_as_it_was_written() -> None:
    assert repr(Stream.from_future(done(3), cancel_future=True)).endswith(", cancel_future=True)")
    assert "cancel_future" not in repr(Stream.from_future(done(3)))
