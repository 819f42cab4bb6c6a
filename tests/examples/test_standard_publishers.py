"""The standard's example publishers, written anew, pass the kit and fall into none of the originals' traps."""

import gc
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from examples.standard_examples import (
    AsyncIterablePublisher,
    InfiniteIncrementNumberPublisher,
    NumberIterablePublisher,
    RangePublisher,
)
from examples.standard_examples.verifications import (
    AsyncIterableVerification,
    InfiniteIncrementNumberVerification,
    NumberIterableVerification,
    RangeVerification,
)
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import PublisherVerification, run
from tests.examples.hand_executor import HandExecutor
from tests.examples.signal_recorder import SignalRecorder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verification", "skips"),
    [
        # The numbers of the standard's kit: 7 entries without a test, 2 that need a publisher that has failed, and 11
        # that need an end.
        (AsyncIterableVerification, 7),
        (NumberIterableVerification, 9),
        (RangeVerification, 9),
        (InfiniteIncrementNumberVerification, 20),
    ],
)
def test_publisher_passes_the_kit_whole(verification: type[PublisherVerification], skips: int) -> None:
    report = run(verification)
    assert [verdict.render() for verdict in report.failed] == []
    assert len([verdict for verdict in report.skipped if verdict.origin == "reference"]) == skips


# --- asynchronous ---


def subscribed(publisher: Any, executor: HandExecutor, *, request: int | None = None, **options: Any) -> SignalRecorder:
    recorder = SignalRecorder(request=request, **options)
    publisher.subscribe(recorder)
    executor.run()
    return recorder


@pytest.mark.parametrize(("request_size", "batch_size"), [(1024, 1024), (10_240, 1024), (5, 1), (7, 3)])
def test_full_batch_counts_against_the_demand(request_size: int, batch_size: int) -> None:
    executor = HandExecutor()
    recorder = subscribed(
        AsyncIterablePublisher(range(20_000), executor=executor, batch_size=batch_size), executor, request=request_size
    )
    assert recorder.elements == list(range(request_size))


def test_task_sends_one_batch_at_most() -> None:
    executor = HandExecutor()
    recorder = SignalRecorder(request=MAX_DEMAND)
    AsyncIterablePublisher(range(100), executor=executor, batch_size=10).subscribe(recorder)
    assert (executor.run(most=3), recorder.elements) == (3, list(range(30)))


def test_subscribe_signals_nothing_on_the_thread_of_the_caller() -> None:
    executor = HandExecutor()
    recorder = SignalRecorder(request=1)
    NumberIterablePublisher(0, 5, executor=executor).subscribe(recorder)
    assert recorder.signals == []
    executor.run()
    assert recorder.names == ["on_subscribe", "on_next"]
    recorder.subscription.request(1)
    assert recorder.names == ["on_subscribe", "on_next"]


def test_end_follows_the_last_element_and_an_empty_source_without_demand() -> None:
    executor = HandExecutor()
    assert subscribed(NumberIterablePublisher(3, 5, executor=executor), executor, request=2).names[-1] == "on_complete"
    assert subscribed(NumberIterablePublisher(3, 3, executor=executor), executor).names == [
        "on_subscribe",
        "on_complete",
    ]


class FailsAtFirst:
    def __iter__(self) -> Iterator[int]:
        raise OSError("the source is closed")


def fails_at(position: int) -> Iterator[int]:
    yield from range(position)
    raise OSError("the source is broken")


def test_source_that_fails_at_subscription_signals_the_error_and_no_end() -> None:
    for source in (FailsAtFirst(), fails_at(0)):
        executor = HandExecutor()
        recorder = subscribed(AsyncIterablePublisher(source, executor=executor), executor, request=5)
        assert recorder.names == ["on_subscribe", "on_error"]
        assert isinstance(recorder.error, OSError)


def test_source_that_fails_later_signals_what_came_before() -> None:
    executor = HandExecutor()
    recorder = subscribed(AsyncIterablePublisher(fails_at(2), executor=executor), executor, request=5)
    assert recorder.elements == [0, 1]
    assert isinstance(recorder.error, OSError)


def test_subscriber_that_raises_in_on_subscribe_gets_nothing_from_an_empty_source(
    caplog: pytest.LogCaptureFixture,
) -> None:
    executor = HandExecutor()
    recorder = subscribed(AsyncIterablePublisher([], executor=executor), executor, raises_in="on_subscribe")
    assert recorder.names == ["on_subscribe"]
    assert "§2.13" in caplog.text


def test_executor_that_refuses_leads_to_on_error_after_on_subscribe() -> None:
    executor = HandExecutor()
    executor.refuses = True
    recorder = subscribed(NumberIterablePublisher(0, 5, executor=executor), executor)
    assert recorder.names == ["on_subscribe", "on_error"]
    assert str(recorder.error) == "the executor takes no work: no room"


def test_executor_that_refuses_later_leads_to_on_error() -> None:
    executor = HandExecutor()
    recorder = subscribed(NumberIterablePublisher(0, 5, executor=executor), executor, request=1)
    executor.refuses = True
    recorder.subscription.request(1)
    assert recorder.names == ["on_subscribe", "on_next", "on_error"]


def test_executor_that_drops_the_task_leads_to_on_error() -> None:
    executor = HandExecutor()
    recorder = subscribed(NumberIterablePublisher(0, 5, executor=executor), executor)
    recorder.subscription.request(1)
    executor.drop()
    assert recorder.names == ["on_subscribe", "on_error"]


def test_executor_that_refuses_after_the_cancellation_is_not_noticed() -> None:
    executor = HandExecutor()
    recorder = subscribed(NumberIterablePublisher(0, 5, executor=executor), executor, request=1)
    executor.refuses = True
    recorder.subscription.cancel()
    submitted = executor.submitted
    recorder.subscription.request(1)
    assert (recorder.names, executor.submitted) == (["on_subscribe", "on_next"], submitted)


def test_none_in_the_source_becomes_an_error() -> None:
    executor = HandExecutor()
    recorder = subscribed(AsyncIterablePublisher([1, None, 3], executor=executor), executor, request=5)
    assert recorder.elements == [1]
    assert isinstance(recorder.error, TypeError)
    assert str(recorder.error).startswith("§2.13")


def test_cancel_takes_effect_within_the_batch() -> None:
    executor = HandExecutor()
    recorder = subscribed(
        InfiniteIncrementNumberPublisher(executor),
        executor,
        request=MAX_DEMAND,
        on_element=lambda recorder, element: recorder.subscription.cancel(),
    )
    assert recorder.elements == [0]


def test_nothing_is_read_for_a_subscriber_that_has_cancelled() -> None:
    executor, read = HandExecutor(), []

    class Numbers:
        def __iter__(self) -> Iterator[int]:
            for number in range(10):
                read.append(number)
                yield number

    subscribed(
        AsyncIterablePublisher(Numbers(), executor=executor),
        executor,
        request=5,
        on_element=lambda recorder, element: recorder.subscription.cancel(),
    )
    assert read == [0]


def test_cancel_closes_the_generator() -> None:
    closed = []

    class Numbers:
        def __iter__(self) -> Iterator[int]:
            try:
                yield from range(10)
            finally:
                closed.append(True)

    executor = HandExecutor()
    recorder = subscribed(AsyncIterablePublisher(Numbers(), executor=executor), executor, request=1)
    recorder.subscription.cancel()
    executor.run()
    gc.collect()
    assert closed == [True]


def test_many_subscribers_get_all_elements_each() -> None:
    executor = HandExecutor()
    publisher = NumberIterablePublisher(0, 3, executor=executor)
    recorders = [SignalRecorder(request=5) for _ in range(3)]
    for recorder in recorders:
        publisher.subscribe(recorder)
    executor.run()
    assert [recorder.elements for recorder in recorders] == [[0, 1, 2]] * 3


def test_arguments_of_the_publishers_are_checked() -> None:
    executor = HandExecutor()
    nothing: Any = None
    for error, call in (
        (TypeError, lambda: AsyncIterablePublisher(nothing, executor=executor)),
        (TypeError, lambda: AsyncIterablePublisher([], executor=nothing)),
        (ValueError, lambda: AsyncIterablePublisher([], executor=executor, batch_size=0)),
        (ValueError, lambda: NumberIterablePublisher(2, 1, executor=executor)),
        (ValueError, lambda: RangePublisher(0, -1)),
        (TypeError, lambda: RangePublisher(0, 1).subscribe(nothing)),
        (TypeError, lambda: NumberIterablePublisher(0, 1, executor=executor).subscribe(nothing)),
    ):
        with pytest.raises(error):
            call()


def test_bad_request_while_a_task_looks_for_work_brings_no_element(monkeypatch: pytest.MonkeyPatch) -> None:
    executor = HandExecutor()
    recorder = subscribed(NumberIterablePublisher(0, 5, executor=executor), executor)
    link: Any = recorder.subscription
    receiver = link.receiver

    def receiver_and_then_a_bad_request() -> Any:
        monkeypatch.undo()
        found = receiver()
        link.request(0)
        return found

    monkeypatch.setattr(link, "receiver", receiver_and_then_a_bad_request)
    link.when_requested(0)
    executor.run()
    assert recorder.names == ["on_subscribe", "on_error"]


# --- synchronous ---


def test_range_sends_on_the_thread_that_requests() -> None:
    recorder = SignalRecorder()
    RangePublisher(1, 3).subscribe(recorder)
    requesting = threading.Thread(target=recorder.subscription.request, args=(3,))
    requesting.start()
    requesting.join()
    assert recorder.threads == {threading.get_ident(), requesting.ident}
    assert recorder.names == ["on_subscribe", "on_next", "on_next", "on_next", "on_complete"]


def test_range_completes_at_once_where_it_is_empty() -> None:
    recorder = SignalRecorder()
    RangePublisher(1, 0).subscribe(recorder)
    assert recorder.names == ["on_subscribe", "on_complete"]


@pytest.mark.parametrize("n", [0, -1, "3", None])
def test_bad_request_after_cancel_is_ignored(n: Any) -> None:
    recorder = SignalRecorder()
    RangePublisher(1, 3).subscribe(recorder)
    recorder.subscription.cancel()
    recorder.subscription.request(n)
    assert recorder.names == ["on_subscribe"]


@pytest.mark.parametrize(("n", "error"), [(0, ValueError), (-(2**70), ValueError), ("3", TypeError), (None, TypeError)])
def test_bad_request_becomes_an_error_also_where_the_range_is_empty(n: Any, error: type[Exception]) -> None:
    for count in (0, 3):
        recorder = SignalRecorder()
        recorder.on_subscribe = lambda subscription, recorder=recorder: subscription.request(n)  # type: ignore[method-assign,misc]
        RangePublisher(1, count).subscribe(recorder)
        assert recorder.names == ["on_error"]
        assert isinstance(recorder.error, error)
        assert str(recorder.error).startswith("§3.9")


def test_bad_request_inside_on_next_ends_the_stream_after_that_element() -> None:
    recorder = SignalRecorder(request=2, on_element=lambda recorder, element: recorder.subscription.request(0))
    RangePublisher(1, 3).subscribe(recorder)
    assert recorder.names == ["on_subscribe", "on_next", "on_error"]


def test_range_counts_beyond_32_and_64_bits() -> None:
    for start in (2**31 - 2, 2**63 - 2):
        recorder = SignalRecorder(request=2**64)
        RangePublisher(start, 4).subscribe(recorder)
        assert recorder.elements == [start, start + 1, start + 2, start + 3]
    recorder = SignalRecorder(request=3)
    RangePublisher(0, 2**64).subscribe(recorder)
    assert recorder.elements == [0, 1, 2]


class OverlapRecorder(SignalRecorder):
    """Also write down elements that came while another one was being taken, and wait for a number of them."""

    def __init__(self, awaited: int) -> None:
        super().__init__(request=1)
        self.overlaps: list[Any] = []
        self.first = threading.Event()
        self.all = threading.Event()
        self._awaited = awaited
        self._inside = threading.Lock()

    def on_next(self, element: Any, /) -> None:
        if self._inside.acquire(blocking=False):
            super().on_next(element)
            self._inside.release()
        else:
            self.overlaps.append(element)
        self.first.set()
        if len(self.signals) > self._awaited:
            self.all.set()


def test_requests_of_many_threads_add_up() -> None:
    def request_often(subscription: Any) -> None:
        for _ in range(500):
            subscription.request(1)

    with ThreadPoolExecutor(2) as executor:
        for publisher in (RangePublisher(0, 10_000), NumberIterablePublisher(0, 10_000, executor=executor)):
            recorder = OverlapRecorder(2001)
            publisher.subscribe(recorder)
            assert recorder.first.wait(10)
            threads = [threading.Thread(target=request_often, args=(recorder.subscription,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert recorder.all.wait(10)
            recorder.subscription.cancel()
            assert (recorder.elements, recorder.overlaps) == (list(range(2001)), [])


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_complete"])
def test_subscriber_that_raises_is_left_alone_and_made_known(signal: str, caplog: pytest.LogCaptureFixture) -> None:
    recorder = SignalRecorder(request=5, raises_in=signal)
    with caplog.at_level(logging.ERROR):
        RangePublisher(1, 1).subscribe(recorder)
    assert recorder.names[-1] == signal
    assert f"raised in {signal}" in caplog.text
