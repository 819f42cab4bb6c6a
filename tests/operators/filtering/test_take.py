"""take: the first elements, then the end."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestTake(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take(5)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements[:5]

    def is_finished_by(self, elements: list[Any]) -> bool:
        return len(elements) >= 5


class TestTakeOfMoreThanThereIs(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take(100)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class TestTakeAboveFilter(OperatorContract, StateContract, SerializableContract):
    """What is dropped below was taken all the same."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take(7).filter(lambda element: element % 2 == 0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element for element in elements[:7] if element % 2 == 0]

    def is_finished_by(self, elements: list[Any]) -> bool:
        return len(elements) >= 7


def test_zero_completes_without_a_subscription_upstream() -> None:
    class Unwanted:
        def subscribe(self, subscriber: Any, /) -> None:
            raise AssertionError("subscribed")

    subscriber = RecordingSubscriber()
    Stream.from_publisher(Unwanted()).take(0).subscribe(subscriber)
    assert subscriber.outcome == ([], "complete")


def test_zero_never_reads_an_iterator() -> None:
    iterator = iter([1, 2])
    assert Stream.from_iterable(iterator).take(0).to_list() == []
    assert next(iterator) == 1


def test_end_comes_with_the_last_element() -> None:
    subscriber = RecordingSubscriber(first_request=2)
    Stream.from_iterable(CountedIterable([1, 2, 3])).take(2).subscribe(subscriber)
    assert subscriber.outcome == ([1, 2], "complete")


def test_no_more_is_requested_upstream_than_may_pass() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(publisher).take(3).subscribe(subscriber)
    assert publisher.requests == [3]
    publisher.send(1, 2, 3)
    assert (subscriber.outcome, publisher.cancels) == (([1, 2, 3], "complete"), 1)


def test_upstream_is_cancelled_with_the_last_element() -> None:
    source = CountedIterable([1, 2, 3])
    assert Stream.from_iterable(source).take(2).to_list() == [1, 2]
    assert (source.taken, source.is_closed) == (2, True)


def test_infinite_input_ends() -> None:
    assert Stream.range(2**63 - 1).take(4).take(2).to_list() == [0, 1]


def test_none_counts_as_an_element() -> None:
    assert Stream.just(None, None, 1).take(2).to_list() == [None, None]


def test_subscriber_that_cancels_in_the_last_element_gets_no_completion() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=2)
    Stream.range(5).take(2).subscribe(subscriber)
    assert subscriber.outcome == ([0, 1], "open")


def test_error_below_at_the_last_element_takes_the_place_of_the_completion() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1, 0).take(2).map(lambda element: 1 // element).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, ZeroDivisionError)


@pytest.mark.parametrize("count", [-1, 2**63])
def test_count_out_of_bounds_is_refused(count: int) -> None:
    with pytest.raises(ArgumentError, match=rf"take\(count\) needs a count from 0 to {2**63 - 1}, got {count}"):
        Stream.just(1).take(count)


@pytest.mark.parametrize("count", ["3", 2.0, None, True])
def test_count_that_is_no_integer_is_refused(count: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"take\(count\) needs an integer, got {count!r} \("):
        Stream.just(1).take(count)
