"""starmap: a function that is called with the parts of each element."""

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestStarMap(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = [(n, n * n) for n in range(12)]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().starmap(lambda one, other: one - other)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [one - other for one, other in elements]


class Triple(tuple[int, ...]):
    pass


def generated() -> Iterator[int]:
    yield from (1, 2, 3)


@pytest.mark.parametrize("element", [(1, 2, 3), [1, 2, 3], Triple((1, 2, 3)), {1: 0, 2: 0, 3: 0}, range(1, 4)])
def test_parts_of_any_iterable_are_the_arguments(element: Any) -> None:
    assert Stream.just(element).starmap(lambda *parts: parts).to_list() == [(1, 2, 3)]


def test_parts_of_an_iterator_are_read_once() -> None:
    assert Stream.just(generated()).starmap(lambda *parts: parts).to_list() == [(1, 2, 3)]


@pytest.mark.parametrize("function", [pow, divmod, max, complex, "{}-{}".format])
def test_functions_of_every_kind_are_called(function: Callable[..., Any]) -> None:
    assert Stream.just((2, 3)).starmap(function).to_list() == [function(2, 3)]


def test_element_without_parts_calls_the_function_with_nothing() -> None:
    assert Stream.just((), []).starmap(lambda *parts: len(parts)).to_list() == [0, 0]


@pytest.mark.parametrize("position", [0, 3, 6])
def test_function_that_raises_ends_the_stream_at_any_position(position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(7).enumerate().starmap(lambda number, _: 1 // (position - number)).subscribe(subscriber)
    assert len(subscriber.elements) == position
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_wrong_number_of_parts_ends_the_stream_with_its_type_error() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just((1, 2), (1, 2, 3)).starmap(lambda one, other: one).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, TypeError)
    assert "takes 2 positional arguments but 3 were given" in str(subscriber.error)


@pytest.mark.parametrize("element", [7, None, object])
def test_element_that_has_no_parts_is_an_error_with_a_remedy(element: Any) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(element).starmap(print).subscribe(subscriber)
    assert isinstance(subscriber.error, ArgumentTypeError)
    assert str(subscriber.error).startswith("starmap(function) needs elements with parts, such as tuples, got ")
    assert "use map(function) for a single argument" in str(subscriber.error)


def test_iterable_that_fails_ends_the_stream_with_its_own_error() -> None:
    class Failing:
        def __iter__(self) -> Iterator[int]:
            raise TypeError("mine")

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(Failing()).starmap(print).subscribe(subscriber)
    assert repr(subscriber.error) == "TypeError('mine')"


@pytest.mark.parametrize("function", [None, 3, "text"])
def test_function_that_is_not_callable_is_refused_when_the_stream_is_built(function: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"starmap\(function\) needs a callable, got "):
        Stream.just((1, 2)).starmap(function)
