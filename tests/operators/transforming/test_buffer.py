"""buffer: lists of neighboring elements."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.operators.transforming.buffer import MAX_BUFFER_ELEMENTS
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import reader_of, subscribe
from tests.contracts.state_contract import SerializableContract, StateContract


class Buffers(OperatorContract, StateContract, SerializableContract):
    count: int

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(self.count)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        whole = len(elements) - len(elements) % self.count
        return [elements[start : start + self.count] for start in range(0, whole, self.count)]

    def left_over(self, elements: list[Any]) -> list[Any]:
        rest = len(elements) % self.count
        return [elements[-rest:]] if rest else []


class TestBufferOfOne(Buffers):
    count = 1


class TestBufferWithoutARest(Buffers):
    count = 3


class TestBufferWithARest(Buffers):
    count = 5


class TestBufferOfMoreThanThereIs(Buffers):
    count = 100


def test_rest_is_passed_on_at_the_completion() -> None:
    assert Stream.range(5).buffer(2).to_list() == [[0, 1], [2, 3], [4]]


def test_rest_is_given_up_at_an_error() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(CountedIterable([1, 2, 3], fails_with=ValueError("why"))).buffer(2).subscribe(subscriber)
    assert subscriber.outcome == ([[1, 2]], "ValueError('why')")


def test_rest_that_fails_below_ends_with_the_error_only() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).buffer(2).map(lambda pair: pair[1]).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, IndexError)


def test_rest_meets_the_operators_below() -> None:
    assert Stream.range(7).buffer(2).buffer(2).map(len).to_list() == [2, 2]
    assert Stream.range(5).buffer(2).take(3).to_list() == [[0, 1], [2, 3], [4]]
    assert Stream.range(5).take(3).buffer(2).to_list() == [[0, 1], [2]]


def test_cancel_in_the_rest_leaves_out_the_completion() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=2)
    Stream.range(3).buffer(2).subscribe(subscriber)
    assert subscriber.outcome == ([[0, 1], [2]], "open")


@pytest.mark.parametrize(("requested", "upstream"), [(1, 4), (3, 12), (UNBOUNDED, UNBOUNDED), (2**61, UNBOUNDED)])
def test_request_for_lists_is_a_request_for_their_elements(requested: int, upstream: int) -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=requested)
    Stream.from_publisher(publisher, prefetch=2**24).buffer(4).subscribe(subscriber)
    assert publisher.requested == min(upstream, 2**24)


def test_lists_are_independent_of_each_other() -> None:
    first, second = Stream.range(4).buffer(2).to_list()
    first.append(99)
    assert (first, second) == ([0, 1, 99], [2, 3])


def test_none_is_an_ordinary_element() -> None:
    assert Stream.just(None, 1, None).buffer(2).to_list() == [[None, 1], [None]]


@pytest.mark.parametrize("count", [0, -1, MAX_BUFFER_ELEMENTS + 1])
def test_count_out_of_bounds_is_refused(count: int) -> None:
    with pytest.raises(
        ArgumentError, match=rf"buffer\(count\) needs a count from 1 to {MAX_BUFFER_ELEMENTS}, got {count}"
    ):
        Stream.just(1).buffer(count)


@pytest.mark.parametrize("count", ["3", 2.0, None, True])
def test_count_that_is_no_integer_is_refused(count: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"buffer\(count\) needs an integer, got {count!r} \("):
        Stream.just(1).buffer(count)


def loaded_with(elements: list[int], stream: Stream[list[int]], subscriber: RecordingSubscriber) -> None:
    """Start a stream whose buffer was saved with these elements in it."""
    handle = stream.bind(subscriber)
    subscribe(handle)
    buffer = handle.inputs[0]
    buffer.load_state(reader_of(False, elements), buffer.version)
    handle.initialize()


def test_loaded_rest_waits_for_demand_before_the_completion() -> None:
    subscriber = RecordingSubscriber()
    loaded_with([1, 2], Stream[int].empty().buffer(5), subscriber)
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([[1, 2]], "complete")


def test_loaded_rest_does_not_hold_up_an_error() -> None:
    subscriber = RecordingSubscriber()
    loaded_with([1, 2], Stream[int].error(ValueError("why")).buffer(5), subscriber)
    assert subscriber.outcome == ([], "ValueError('why')")


def test_loaded_rest_is_given_up_by_cancel() -> None:
    subscriber = RecordingSubscriber()
    loaded_with([1, 2], Stream[int].empty().buffer(5), subscriber)
    subscriber.cancel()
    subscriber.request(1)
    assert subscriber.outcome == ([], "open")


def test_loaded_rest_counts_for_the_first_request() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber()
    loaded_with([1, 2], Stream.from_publisher(publisher).buffer(5), subscriber)
    subscriber.request(2)
    subscriber.request(1)
    assert publisher.requests == [8, 5]


def test_rest_of_longer_lists_is_not_loaded() -> None:
    with pytest.raises(StateError, match="cannot load 5 elements into lists of 5; load the state with the count"):
        loaded_with([1, 2, 3, 4, 5], Stream[int].empty().buffer(5), RecordingSubscriber())
