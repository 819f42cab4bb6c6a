"""map_indexed and filter_indexed: functions of an element and its index."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import fields_of
from tests.contracts.state_contract import SerializableContract, StateContract


class TestMapIndexed(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_indexed(lambda element, index: (index, -element))

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [(index, -element) for index, element in enumerate(elements)]


class TestFilterIndexed(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().skip(1).filter_indexed(lambda element, index: index % 3 == 0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements[1::3]


class TestFilterIndexedBehindBuffer(OperatorContract, StateContract, SerializableContract):
    """A list that is dropped is worth several elements of the source."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).filter_indexed(lambda pair, index: index % 2 == 0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [elements[start : start + 2] for start in range(0, len(elements) - 1, 2)][::2]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [elements[-1:]] if len(elements) % 4 == 1 else []


def test_index_counts_the_elements_that_come() -> None:
    stream = Stream.just("a", "b", "c", "d")
    assert stream.filter_indexed(lambda element, index: index in (1, 3)).to_list() == ["b", "d"]
    assert stream.skip(2).map_indexed(lambda element, index: f"{index}{element}").to_list() == ["0c", "1d"]


@pytest.mark.parametrize("method", ["map_indexed", "filter_indexed"])
@pytest.mark.parametrize("position", [0, 1, 3])
def test_function_that_raises_ends_the_stream(method: str, position: int) -> None:
    def function(element: int, index: int) -> int:
        return 1 // (index - position) or 1

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = getattr(Stream.range(4), method)(function).bind(subscriber)
    handle.initialize()
    assert len(subscriber.elements) == position
    assert isinstance(subscriber.error, ZeroDivisionError)
    assert fields_of(handle.inputs[0]) == [True, position + 1]


@pytest.mark.parametrize("method", ["map_indexed", "filter_indexed"])
def test_function_of_another_number_of_arguments_ends_the_stream(method: str) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.range(4), method)(lambda element: element).subscribe(subscriber)
    assert isinstance(subscriber.error, TypeError)
    assert subscriber.elements == []


def test_one_requested_element_is_found_behind_many_dropped_ones() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(100_000).filter_indexed(lambda element, index: index == 99_998).subscribe(subscriber)
    assert subscriber.outcome == ([99_998], "open")
