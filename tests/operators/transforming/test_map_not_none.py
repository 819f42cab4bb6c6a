"""map_not_none: what a function returns, where it is not None."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestMapNotNone(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_not_none(lambda element: element * 10 if element % 3 == 1 else None)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element * 10 for element in elements if element % 3 == 1]


class TestMapNotNoneBehindBuffer(OperatorContract, StateContract, SerializableContract):
    """A list for which nothing passes is worth several elements of the source."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).map_not_none(lambda pair: pair[:1] if pair[0] % 4 == 0 else None)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        firsts = elements[: len(elements) // 2 * 2 : 2]
        return [[element] for element in firsts if element % 4 == 0]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [elements[-1:]] if len(elements) % 2 and elements[-1] % 4 == 0 else []


def test_only_none_is_dropped_not_what_is_false() -> None:
    results = ["", None, 0, [], None, False, ()]
    assert Stream.range(7).map_not_none(results.__getitem__).to_list() == ["", 0, [], False, ()]


def test_none_as_element_comes_to_the_function() -> None:
    assert Stream.just(1, None).map_not_none(lambda element: "none" if element is None else None).to_list() == ["none"]


def test_what_is_equal_to_none_passes() -> None:
    class Equal:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            return True

    element = Equal()
    (passed,) = Stream.just(1).map_not_none(lambda _: element).to_list()
    assert passed is element


def test_function_that_raises_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1, 0, 2).map_not_none(lambda element: 1 // element).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_one_requested_element_is_found_behind_many_dropped_ones() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(100_000).map_not_none({99_998: "found"}.get).subscribe(subscriber)
    assert subscriber.outcome == (["found"], "open")


def test_dropped_elements_at_the_end_bring_the_completion() -> None:
    subscriber = RecordingSubscriber(first_request=2)
    Stream.just(1, 2, 3).map_not_none({1: "one"}.get).subscribe(subscriber)
    assert subscriber.outcome == (["one"], "complete")


def test_function_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"map_not_none\(function\) needs a callable, got 3 \(int\)"):
        Stream.just(1).map_not_none(3)  # type: ignore[arg-type]
