"""The publisher that a test drives: signals, demand, and what its assertions say."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.errors import ArgumentTypeError, DemandExceededError, InvalidRequestError, NullElementError
from reactivestreams.testing import TestPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


def subscribed(source: TestPublisher[Any], request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=request)
    source.subscribe(subscriber)
    return subscriber


def test_each_subscriber_gets_the_signals() -> None:
    source = TestPublisher[int]()
    first, second = subscribed(source), subscribed(source)
    assert source.next(1, 2).complete() is source
    assert first.outcome == second.outcome == ([1, 2], "complete")
    source.assert_no_subscribers()


def test_late_subscriber_gets_the_end() -> None:
    source, failed = TestPublisher[int](), TestPublisher[int]()
    source.emit()
    assert subscribed(source).outcome == ([], "complete")
    error = ValueError("no")
    assert subscribed(failed.error(error).complete()).error is error


def test_what_was_not_requested_is_refused_and_nothing_of_it_sent() -> None:
    source = TestPublisher[int]()
    willing, slow = subscribed(source), subscribed(source, request=1)
    source.next(1)
    with pytest.raises(DemandExceededError, match=r"^§1\.1: next\(2\): .* has requested nothing more; let it request"):
        source.next(2)
    assert (willing.elements, slow.elements) == ([1], [1])
    slow.subscription.request(1)
    source.next(2)
    assert (willing.elements, slow.elements) == ([1, 2], [1, 2])


def test_cancelled_subscriber_gets_nothing_more() -> None:
    source = TestPublisher[int]()
    subscriber, other = subscribed(source), subscribed(source)
    subscriber.subscription.cancel()
    subscriber.subscription.cancel()
    source.assert_cancelled()
    source.emit(1)
    assert subscriber.outcome == ([], "open")
    assert other.outcome == ([1], "complete")


def test_bad_request_ends_the_subscription_with_an_error() -> None:
    source = TestPublisher[int]()
    subscriber = subscribed(source, request=1)
    subscriber.subscription.request(0)
    assert isinstance(subscriber.error, InvalidRequestError)
    source.assert_no_subscribers()


@pytest.mark.parametrize(
    ("send", "error"),
    [
        (lambda source: source.subscribe(None), NullElementError),
        (lambda source: source.next(None), NullElementError),
        (lambda source: source.error("text"), ArgumentTypeError),
    ],
)
def test_what_is_no_signal_is_refused(send: Callable[[Any], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        send(TestPublisher())


def test_assertions_pass_or_say_what_there_is() -> None:
    source = TestPublisher[int]()
    for assertion in (source.assert_was_subscribed, source.assert_was_requested, source.assert_cancelled):
        with pytest.raises(AssertionError, match=r"^expected .* of a TestPublisher with 0 of 0 subscribers"):
            assertion()
    source.assert_not_cancelled()
    subscribed(source, request=3)
    source.assert_was_subscribed()
    source.assert_was_requested()
    source.assert_subscribers(1)
    source.assert_min_requested(3)
    source.assert_max_requested(3)
    with pytest.raises(AssertionError, match=r"at least 4 .* whose demand is \[3\], after 1 requests"):
        source.assert_min_requested(4)
    with pytest.raises(AssertionError, match="at most 2"):
        source.assert_max_requested(2)
    assert (source.subscribe_count, source.was_subscribed, source.was_requested, source.was_cancelled) == (
        1,
        True,
        True,
        False,
    )


def test_who_is_cancelled_by_the_element_of_another_one_does_not_get_it() -> None:
    publisher, last = TestPublisher[int](), RecordingSubscriber(first_request=UNBOUNDED)

    class Cancelling(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            last.cancel()

    first = Cancelling(first_request=UNBOUNDED)
    publisher.subscribe(first)
    publisher.subscribe(last)
    publisher.next(1)
    assert (first.elements, last.elements) == ([1], [])
