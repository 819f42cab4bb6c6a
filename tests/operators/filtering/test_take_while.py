"""take_while and skip_while: the elements up to the first for which a predicate is false, and from there on."""

import itertools
from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import fields_of
from tests.contracts.state_contract import SerializableContract, StateContract


def below_7(element: int) -> bool:
    return element < 7


class TestTakeWhile(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take_while(below_7)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(itertools.takewhile(below_7, elements))

    def is_finished_by(self, elements: list[Any]) -> bool:
        return not all(map(below_7, elements))


class TestTakeWhileInclusive(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take_while(below_7, inclusive=True)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements[: elements.index(7) + 1] if 7 in elements else elements

    def is_finished_by(self, elements: list[Any]) -> bool:
        return 7 in elements


class TestTakeWhileBehindBuffer(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).take_while(lambda pair: pair[0] < 7)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        pairs = [elements[start : start + 2] for start in range(0, len(elements) - 1, 2)]
        return [pair for pair in pairs if pair[0] < 7]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [elements[-1:]] if len(elements) % 2 and elements[-1] < 7 else []

    def is_finished_by(self, elements: list[Any]) -> bool:
        return len(elements) >= 10


class TestSkipWhile(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = [0, 3, 6, 7, 1, 2, 8, 3]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().skip_while(below_7)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(itertools.dropwhile(below_7, elements))


class TestSkipWhileBehindBuffer(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).skip_while(lambda pair: pair[0] < 4)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        pairs = [elements[start : start + 2] for start in range(0, len(elements) - 1, 2)]
        return [pair for pair in pairs if pair[0] >= 4]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [elements[-1:]] if len(elements) % 2 and elements[-1] >= 4 else []


def test_first_false_result_reads_no_further() -> None:
    source = CountedIterable(list(range(12)))
    assert Stream.from_iterable(source).take_while(below_7).to_list() == list(range(7))
    assert (source.taken, source.is_closed) == (8, True)


def test_end_by_a_false_result_needs_no_more_demand() -> None:
    subscriber = RecordingSubscriber(first_request=8)
    Stream.range(12).take_while(below_7).subscribe(subscriber)
    assert subscriber.outcome == (list(range(7)), "complete")


@pytest.mark.parametrize("method", ["take_while", "skip_while"])
def test_result_counts_by_its_truth(method: str) -> None:
    results: list[Any] = [[0], 1, "", None]
    passed = {"take_while": [0, 1], "skip_while": [2, 3]}[method]
    assert getattr(Stream.range(4), method)(results.__getitem__).to_list() == passed


@pytest.mark.parametrize("method", ["take_while", "skip_while"])
@pytest.mark.parametrize("position", [0, 1, 3])
def test_predicate_that_raises_ends_the_stream(method: str, position: int) -> None:
    def predicate(element: int) -> bool:
        if element == position:
            raise ValueError("mine")
        return True

    source, subscriber = CountedIterable(list(range(4))), RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.from_iterable(source), method)(predicate).subscribe(subscriber)
    passed = list(range(position)) if method == "take_while" else []
    assert subscriber.outcome == (passed, "ValueError('mine')")
    assert source.is_closed


@pytest.mark.parametrize("method", ["take_while", "skip_while"])
def test_result_without_a_truth_ends_the_stream(method: str) -> None:
    class Neither:
        def __bool__(self) -> bool:
            raise ValueError("neither true nor false")

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.range(4), method)(lambda element: Neither()).subscribe(subscriber)
    assert subscriber.outcome == ([], "ValueError('neither true nor false')")


def test_first_element_may_decide() -> None:
    assert Stream.just(9, 1).take_while(below_7).to_list() == []
    assert Stream.just(9, 1).skip_while(below_7).to_list() == [9, 1]


def test_predicate_is_not_called_once_elements_pass() -> None:
    seen: list[int] = []
    assert Stream.just(1, 9, 1, 9).skip_while(lambda n: bool(seen.append(n)) or n < 5).to_list() == [9, 1, 9]
    assert seen == [1, 9]


def test_one_requested_element_is_found_behind_many_dropped_ones() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(100_000).skip_while(lambda element: element < 99_998).subscribe(subscriber)
    assert subscriber.outcome == ([99_998], "open")


def test_that_elements_pass_is_saved() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    handle = Stream.range(12).skip_while(below_7).bind(subscriber)
    handle.initialize()
    assert fields_of(handle.inputs[0]) == [False, True]
