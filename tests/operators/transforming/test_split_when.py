"""split_when: lists of neighbors, split where a predicate says so."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.state import load_tree, save_tree
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


def split(elements: list[Any], divisor: int) -> list[list[Any]]:
    """Return the lists, of which each but the first begins with a multiple."""
    lists: list[list[Any]] = []
    for each in elements:
        if not lists or each % divisor == 0:
            lists.append([])
        lists[-1].append(each)
    return lists


class Splits(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time
    divisor: int

    def subject(self) -> Pipeline[Any, Any]:
        divisor = self.divisor
        return pipeline().split_when(lambda _, following: following % divisor == 0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return split(elements, self.divisor)[:-1]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return split(elements, self.divisor)[-1:]


class TestSplitEverywhere(Splits):
    divisor = 1


class TestSplitNowAndThen(Splits):
    divisor = 5


class TestSplitBehindBuffer(OperatorContract, StateContract, SerializableContract):
    """What ends no list is requested again of a stage that counts differently."""

    reads_ahead = 128

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).split_when(lambda one, other: other[0] % 4 == 0)

    def model(self, elements: list[Any]) -> list[list[Any]]:
        pairs = [elements[at : at + 2] for at in range(0, len(elements), 2)]
        return [pairs[at : at + 2] for at in range(0, len(pairs), 2)]

    def passed_on(self, elements: list[Any]) -> list[Any]:
        whole = elements[: len(elements) - len(elements) % 2]
        return self.model(whole)[:-1]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return self.model(elements)[len(self.passed_on(elements)) :]


def test_predicate_gets_each_element_with_the_next_one() -> None:
    pairs: list[tuple[int, int]] = []
    Stream.range(4).split_when(lambda one, other: pairs.append((one, other))).run()
    assert pairs == [(0, 1), (1, 2), (2, 3)]


def test_none_is_an_ordinary_element() -> None:
    stream = Stream.just(None, None, 1, None).split_when(lambda one, other: one is not other)
    assert stream.to_list() == [[None, None], [1], [None]]


def test_last_list_waits_for_a_request_of_its_own() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=1)
    Stream.from_publisher(publisher).split_when(lambda one, other: True).subscribe(subscriber)
    publisher.send(1, 2)
    publisher.complete()
    assert subscriber.outcome == ([[1]], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([[1], [2]], "complete")


def test_last_list_that_was_requested_comes_with_the_completion() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=2)
    Stream.from_publisher(publisher).split_when(lambda one, other: True).subscribe(subscriber)
    publisher.send(1, 2)
    publisher.complete()
    assert subscriber.outcome == ([[1], [2]], "complete")


def test_list_that_is_dropped_below_is_requested_again() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=1)
    Stream.from_publisher(publisher).split_when(lambda one, other: True).filter(lambda each: each != [1]).subscribe(
        subscriber
    )
    publisher.send(1, 2)
    publisher.complete()
    assert subscriber.outcome == ([[2]], "complete")


def test_error_gives_up_the_list_that_is_being_filled() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    source = CountedIterable([1, 2, 3], fails_with=ValueError("why"))
    Stream.from_iterable(source).split_when(lambda one, other: other == 2).subscribe(subscriber)
    assert subscriber.outcome == ([[1]], "ValueError('why')")


@pytest.mark.parametrize("position", [1, 3, 6])
def test_predicate_that_raises_ends_the_stream_at_any_position(position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(7).split_when(lambda one, other: 1 // (position - other) or True).subscribe(subscriber)
    assert subscriber.elements == [[number] for number in range(position - 1)]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_result_without_a_truth_ends_the_stream() -> None:
    class Neither:
        def __bool__(self) -> bool:
            raise ValueError("neither")

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).split_when(lambda one, other: Neither()).subscribe(subscriber)
    assert subscriber.outcome == ([], "ValueError('neither')")


def test_list_that_grows_beyond_its_bound_ends_the_stream() -> None:
    source, subscriber = CountedIterable(range(9)), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(source).split_when(lambda one, other: other == 3, max_elements=3).subscribe(subscriber)
    assert subscriber.elements == [[0, 1, 2]]
    assert isinstance(subscriber.error, CapacityError)
    assert str(subscriber.error).startswith("split_when(max_elements=3): 6 would be one element more in a list; raise")
    assert source.is_closed


def test_last_list_that_fails_below_ends_with_the_error_only() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).split_when(lambda one, other: other == 2).map(lambda each: each[1]).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, IndexError)


def test_last_lists_of_two_in_a_row_go_out_one_for_each_request() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=1)
    stream = Stream.from_publisher(publisher).split_when(lambda one, other: True)
    stream.split_when(lambda one, other: True).flat_map(lambda each: [each], prefetch=1).subscribe(subscriber)
    publisher.send(1, 2)
    publisher.complete()
    subscriber.request(1)
    assert subscriber.outcome == ([[[1]], [[2]]], "complete")


def test_state_of_a_longer_list_is_refused() -> None:
    handle = Stream.range(3).concat_with(Stream.never()).split_when(lambda *_: False).bind(RecordingSubscriber())
    handle.initialize()
    handle.request(1)
    other = Stream.range(3).concat_with(Stream.never()).split_when(lambda *_: False, max_elements=2)
    with pytest.raises(StateError, match="cannot load 3 elements into lists of 2; load the state with the bound"):
        load_tree(other.bind(RecordingSubscriber()), save_tree(handle))


@pytest.mark.parametrize("predicate", [None, 3])
def test_predicate_that_is_not_callable_is_refused(predicate: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"split_when\(predicate\) needs a callable, got "):
        Stream.just(1).split_when(predicate)


def test_bound_out_of_bounds_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"split_when\(max_elements\) needs a count from 1 to 16777216, got 0"):
        Stream.just(1).split_when(max, max_elements=0)
    with pytest.raises(ArgumentTypeError, match=r"split_when\(max_elements\) needs an integer, got None"):
        Stream.just(1).split_when(max, max_elements=None)  # type: ignore[arg-type]


def test_call_is_written_as_one_would_write_it() -> None:
    described = pipeline().split_when(max).split_when(max, max_elements=5)
    assert str(described) == "pipeline().split_when(max).split_when(max, max_elements=5)"
