"""filter: the elements for which a predicate is true."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestFilter(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().filter(lambda element: element % 3 == 1)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element for element in elements if element % 3 == 1]


class TestFilterBehindBuffer(OperatorContract, StateContract, SerializableContract):
    """A dropped list is worth several elements of the source."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).filter(lambda pair: pair[0] % 4 == 0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        pairs = [elements[start : start + 2] for start in range(0, len(elements) - 1, 2)]
        return [pair for pair in pairs if pair[0] % 4 == 0]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [elements[-1:]] if len(elements) % 2 and elements[-1] % 4 == 0 else []


def test_result_counts_by_its_truth() -> None:
    assert Stream.just("", "a", [], [0], 0, None).filter(lambda element: element).to_list() == ["a", [0]]


def test_predicate_that_returns_none_drops_everything() -> None:
    assert Stream.range(3).filter(lambda element: None).to_list() == []


def test_predicate_that_is_always_true_lets_everything_pass() -> None:
    assert Stream.just(1, None, "").filter(lambda element: True).to_list() == [1, None, ""]


def test_none_is_an_ordinary_element() -> None:
    assert Stream.just(1, None, 2).filter(lambda element: element is None).to_list() == [None]


def test_result_without_a_truth_ends_the_stream() -> None:
    class Neither:
        def __bool__(self) -> bool:
            raise ValueError("neither true nor false")

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1, 2).filter(lambda element: Neither() if element == 2 else True).subscribe(subscriber)
    assert subscriber.outcome == ([1], "ValueError('neither true nor false')")


def test_predicate_that_raises_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1, "a").filter(lambda element: element > 0).subscribe(subscriber)  # type: ignore[operator]
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, TypeError)


def test_one_requested_element_is_found_behind_many_dropped_ones() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(100_000).filter(lambda element: element == 99_998).subscribe(subscriber)
    assert subscriber.outcome == ([99_998], "open")


def test_dropped_elements_at_the_end_bring_the_completion() -> None:
    subscriber = RecordingSubscriber(first_request=2)
    Stream.just(1, 2, 3).filter(lambda element: element == 1).subscribe(subscriber)
    assert subscriber.outcome == ([1], "complete")


def test_second_predicate_sees_what_the_first_one_lets_pass() -> None:
    seen: list[int] = []

    def note(element: int) -> bool:
        seen.append(element)
        return element != 4

    assert Stream.range(7).filter(lambda element: element % 2 == 0).filter(note).to_list() == [0, 2, 6]
    assert seen == [0, 2, 4, 6]


def test_second_predicate_that_raises_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(9).filter(lambda element: element % 2 == 0).filter(lambda element: 1 // (4 - element) >= 0).subscribe(
        subscriber
    )
    assert subscriber.elements == [0, 2]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_predicate_may_see_the_number_of_its_element() -> None:
    numbered = Stream.from_iterable("abcd").enumerate().filter(lambda pair: pair[0] % 2 == 1).pluck(1)
    assert numbered.to_list() == ["b", "d"]


def test_predicate_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"filter\(predicate\) needs a callable, got 'x' \(str\)"):
        Stream.just(1).filter("x")  # type: ignore[arg-type]
