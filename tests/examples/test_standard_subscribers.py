"""The standard's example subscribers, written anew, pass the kit and fall into none of the originals' traps."""

import logging
import threading
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import pytest

from examples.standard_examples import AsyncSubscriber, NumberIterablePublisher, RangePublisher, SyncSubscriber
from examples.standard_examples.async_subscriber import MAILBOX_CAPACITY
from examples.standard_examples.subscriber_verifications import (
    AsyncSubscriberBlackboxVerification,
    AsyncSubscriberWhiteboxVerification,
    SyncSubscriberBlackboxVerification,
    SyncSubscriberWhiteboxVerification,
)
from reactivestreams.tck import run
from tests.examples.hand_executor import HandExecutor
from tests.examples.signal_recorder import CallRecorder


class Notes:
    """Hooks that write down what they are told; `limit` elements are wanted, and -1 cannot be dealt with."""

    def __init__(self, *arguments: Any, limit: int = 100) -> None:
        super().__init__(*arguments)
        self.elements: list[int] = []
        self.ends: list[Any] = []
        self.limit = limit

    def when_next(self, element: int) -> bool:
        if element == -1:
            raise LookupError("no -1")
        self.elements.append(element)
        return len(self.elements) < self.limit

    def when_error(self, error: Exception) -> None:
        self.ends.append(error)

    def when_complete(self) -> None:
        self.ends.append("complete")


class SyncNotes(Notes, SyncSubscriber[int]):
    def settle(self) -> None:
        """Nothing waits."""


class AsyncNotes(Notes, AsyncSubscriber[int]):
    def __init__(self, **options: Any) -> None:
        self.executor = HandExecutor()
        super().__init__(self.executor, **options)

    def settle(self) -> None:
        self.executor.run()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verification", "skips"),
    [
        # As many as with the standard's kit.
        (SyncSubscriberBlackboxVerification, 15),
        (AsyncSubscriberBlackboxVerification, 15),
        (SyncSubscriberWhiteboxVerification, 13),
        (AsyncSubscriberWhiteboxVerification, 13),
    ],
)
def test_subscriber_passes_the_kit_whole(verification: type[Any], skips: int) -> None:
    report = run(verification)
    assert [verdict.render() for verdict in report.failed] == []
    assert len([verdict for verdict in report.skipped if verdict.origin == "reference"]) == skips


BOTH = pytest.mark.parametrize("kind", [SyncNotes, AsyncNotes])


@BOTH
def test_subscriber_takes_all_elements_one_request_each(kind: Any) -> None:
    subscriber = kind()
    RangePublisher(0, 3).subscribe(subscriber)
    subscriber.settle()
    assert (subscriber.elements, subscriber.ends) == ([0, 1, 2], ["complete"])


@BOTH
def test_subscriber_cancels_when_it_wants_no_more(kind: Any) -> None:
    subscriber, subscription = kind(limit=2), CallRecorder()
    subscriber.on_subscribe(subscription)
    for element in (5, 6, 7):
        subscriber.on_next(element)
    subscriber.settle()
    assert (subscriber.elements, subscription.calls) == ([5, 6], [1, 1, "cancel"])


@BOTH
@pytest.mark.parametrize("end", ["on_complete", "on_error"])
def test_element_after_the_end_is_ignored_and_nothing_is_requested(kind: Any, end: str) -> None:
    subscriber, subscription = kind(), CallRecorder()
    subscriber.on_subscribe(subscription)
    subscriber.settle()
    getattr(subscriber, end)(*([OSError()] if end == "on_error" else []))
    subscriber.on_next(1)
    subscriber.on_complete()
    subscriber.settle()
    assert (subscriber.elements, len(subscriber.ends), subscription.calls) == ([], 1, [1])


@BOTH
def test_none_raises_before_anything_else(kind: Any) -> None:
    subscriber = kind()
    for signal in (subscriber.on_subscribe, subscriber.on_next, subscriber.on_error):
        with pytest.raises(TypeError, match=r"^§2\.13"):
            signal(None)
    subscriber.settle()
    assert (subscriber.elements, subscriber.ends) == ([], [])


@BOTH
def test_second_subscription_is_cancelled_and_the_first_lives_on(kind: Any) -> None:
    subscriber, first, second, late = kind(limit=2), CallRecorder(), CallRecorder(), CallRecorder()
    subscriber.on_subscribe(first)
    subscriber.on_subscribe(second)
    subscriber.on_next(1)
    subscriber.on_next(2)
    subscriber.settle()
    subscriber.on_subscribe(late)
    subscriber.settle()
    assert (first.calls, second.calls, late.calls) == ([1, 1, "cancel"], ["cancel"], ["cancel"])


@BOTH
def test_element_that_cannot_be_dealt_with_cancels_and_is_reported(kind: Any) -> None:
    subscriber, subscription = kind(), CallRecorder()
    subscriber.on_subscribe(subscription)
    subscriber.on_next(-1)
    subscriber.on_next(2)
    subscriber.settle()
    assert subscription.calls == [1, "cancel"]
    assert subscriber.elements == []
    assert [str(error) for error in subscriber.ends] == ["no -1"]


@BOTH
def test_subscription_that_raises_is_made_known_and_raises_no_further(
    kind: Any, caplog: pytest.LogCaptureFixture
) -> None:
    subscriber = kind(limit=1)
    subscriber.on_subscribe(CallRecorder(raises=True))
    subscriber.on_next(1)
    subscriber.settle()
    assert [record.message[:5] for record in caplog.records] == ["§3.16", "§3.15"]


@BOTH
def test_hook_that_raises_is_made_known_and_raises_no_further(kind: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Raising(kind):  # type: ignore[misc]
        def when_complete(self) -> None:
            raise LookupError("not now")

    subscriber = Raising()
    RangePublisher(0, 0).subscribe(subscriber)
    subscriber.settle()
    assert "not now" in caplog.text


@BOTH
def test_signals_before_on_subscribe_are_made_known_and_an_error_is_not_lost(
    kind: Any, caplog: pytest.LogCaptureFixture
) -> None:
    subscriber, late = kind(), CallRecorder()
    with caplog.at_level(logging.ERROR):
        subscriber.on_next(1)
        subscriber.on_error(OSError("rejected"))
        subscriber.settle()
        subscriber.on_subscribe(late)
        subscriber.settle()
    assert [record.message[:5] for record in caplog.records] == ["§1.9:", "§1.9:"]
    assert (subscriber.elements, [str(end) for end in subscriber.ends]) == ([], ["rejected"])
    assert late.calls == ["cancel"]


# --- asynchronous ---


def test_signals_return_before_anything_is_done() -> None:
    subscriber, subscription = AsyncNotes(), CallRecorder()
    subscriber.on_subscribe(subscription)
    subscriber.on_next(1)
    subscriber.on_complete()
    assert (subscription.calls, subscriber.elements, subscriber.ends) == ([], [], [])  # §2.2; §2.7: tasks call alone
    subscriber.settle()
    assert (subscription.calls, subscriber.elements, subscriber.ends) == ([1, 1], [1], ["complete"])


def test_executor_that_refuses_cancels_and_is_reported() -> None:
    subscriber, subscription = AsyncNotes(), CallRecorder()
    subscriber.executor.refuses = True
    subscriber.on_subscribe(subscription)
    subscriber.on_next(1)
    assert (subscription.calls, subscriber.elements) == (["cancel"], [])
    assert [str(end) for end in subscriber.ends] == ["the executor takes no work: no room"]


def test_executor_that_drops_the_task_cancels_and_is_reported() -> None:
    subscriber, subscription = AsyncNotes(), CallRecorder()
    subscriber.on_subscribe(subscription)
    subscriber.executor.drop()
    assert subscription.calls == ["cancel"]
    assert len(subscriber.ends) == 1


def test_publisher_that_sends_without_limit_is_cancelled() -> None:
    subscriber, subscription = AsyncNotes(), CallRecorder()
    subscriber.on_subscribe(subscription)
    for element in range(10 * MAILBOX_CAPACITY):
        subscriber.on_next(element)
    subscriber.settle()
    assert len(subscriber.elements) == MAILBOX_CAPACITY - 1  # the subscription waited, too
    assert subscription.calls[-1] == "cancel"
    assert str(subscriber.ends[0]).startswith("§1.1")


def test_subscriber_needs_an_executor() -> None:
    nothing: Any = None
    with pytest.raises(TypeError, match="executor"):
        SumOf(nothing)


class SumOf(AsyncSubscriber[int]):
    """Add up, from a number that shows whether anything was added."""

    def __init__(self, executor: Executor) -> None:
        super().__init__(executor)
        self.sum = 1_000
        self.completed = threading.Event()

    def when_next(self, element: int) -> bool:
        self.sum += element
        return True

    def when_complete(self) -> None:
        self.completed.set()


def test_accumulation() -> None:
    with ThreadPoolExecutor(2) as executor:
        subscriber = SumOf(executor)
        NumberIterablePublisher(0, 10, executor=executor).subscribe(subscriber)
        assert subscriber.completed.wait(10)
    assert subscriber.sum == 1_045
