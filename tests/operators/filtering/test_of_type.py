"""of_type and cast: the elements of a type, and all elements, which have to be of one."""

from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestOfType(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = [1, "a", 2, 2.5, "b", True, (), 3]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().of_type(int)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element for element in elements if isinstance(element, int)]


class TestOfTypeBehindBuffer(OperatorContract, StateContract, SerializableContract):
    """A list that is dropped is worth several elements of the source."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).map(lambda pair: pair if pair[0] % 4 else tuple(pair)).of_type(tuple)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        pairs = [tuple(elements[start : start + 2]) for start in range(0, len(elements) - 1, 2)]
        return [pair for pair in pairs if pair[0] % 4 == 0]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [tuple(elements[-1:])] if len(elements) % 2 and elements[-1] % 4 == 0 else []


class TestCast(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().cast(int)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


def test_several_types_and_none_are_types_too() -> None:
    elements: list[Any] = [1, "a", None, 2.5]
    assert Stream.from_iterable(elements).of_type((int, float)).to_list() == [1, 2.5]
    assert Stream.from_iterable(elements).of_type(type(None)).to_list() == [None]
    assert Stream.from_iterable(elements).of_type(int | str).to_list() == [1, "a"]  # type: ignore[call-overload]


@pytest.mark.parametrize("position", [0, 1, 3])
def test_element_of_another_type_ends_the_stream_with_a_type_error_that_names_it(position: int) -> None:
    elements: list[Any] = [0, 1, 2, 3, 4]
    elements[position] = "two"
    source, subscriber = CountedIterable(elements), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(source).cast(int).subscribe(subscriber)
    assert subscriber.elements == elements[:position]
    assert isinstance(subscriber.error, TypeError)
    assert str(subscriber.error) == (
        "cast(int) got 'two' (str), which is none; convert it by map() before, or drop what is of another type by "
        "of_type()"
    )
    assert source.is_closed


def test_element_without_a_repr_ends_the_stream_too() -> None:
    class Mute:
        def __repr__(self) -> str:
            raise ValueError("mute")

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1, Mute()).cast((int, str)).subscribe(subscriber)
    assert subscriber.outcome == ([1], "ValueError('mute')")


@pytest.mark.parametrize("method", ["of_type", "cast"])
def test_class_whose_check_raises_ends_the_stream(method: str) -> None:
    class Asking(type):
        def __instancecheck__(cls, instance: object) -> bool:
            if instance is None:
                return False
            raise ValueError("asked")

    class Odd(metaclass=Asking):
        pass

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.just(1), method)(Odd).subscribe(subscriber)
    assert subscriber.outcome == ([], "ValueError('asked')")


@pytest.mark.parametrize("method", ["of_type", "cast"])
@pytest.mark.parametrize("kind", [None, 3, "int", list[int], (int, "str")], ids=repr)
def test_what_is_no_type_is_refused_when_the_stream_is_built(method: str, kind: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=rf"^{method}\(kind\) needs a class, or a tuple of classes, got .*; pass"
    ):
        getattr(Stream.just(1), method)(kind)
