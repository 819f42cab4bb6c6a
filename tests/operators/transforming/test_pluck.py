"""pluck and pluck_attr: the item of each element at a key, and its attribute."""

from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestPluck(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = [{"id": n, "name": str(n)} for n in range(12)]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().pluck("name")

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [each["name"] for each in elements]


class TestPluckOfSeveral(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = [(n, -n, str(n)) for n in range(12)]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().pluck(2, 0, -2)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [(each[2], each[0], each[1]) for each in elements]


class TestPluckAttr(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = [complex(n, -n) for n in range(12)]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().pluck_attr("imag", "real")

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [(each.imag, each.real) for each in elements]


def test_attribute_of_an_attribute_is_written_with_a_dot() -> None:
    element = SimpleNamespace(owner=SimpleNamespace(name="a"), size=3)
    assert Stream.just(element).pluck_attr("owner.name").to_list() == ["a"]
    assert Stream.just(element).pluck_attr("size", "owner.name").to_list() == [(3, "a")]


def test_name_with_a_dot_is_an_ordinary_key_of_pluck() -> None:
    assert Stream.just({"a.b": 1}).pluck("a.b").to_list() == [1]


@pytest.mark.parametrize(
    ("build", "element", "error"),
    [
        (lambda s: s.pluck("x"), {"y": 1}, KeyError),
        (lambda s: s.pluck(3), [1, 2], IndexError),
        (lambda s: s.pluck("x"), 7, TypeError),
        (lambda s: s.pluck([]), {}, TypeError),
        (lambda s: s.pluck_attr("x"), 7, AttributeError),
    ],
)
@pytest.mark.parametrize("position", [0, 1])
def test_element_without_it_ends_the_stream(build: Any, element: Any, error: type[Exception], position: int) -> None:
    fine = SimpleNamespace(x=0) if error is AttributeError else {"x": 0, 3: 0}
    elements = [element] if position == 0 or error is TypeError else [fine, element]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    build(Stream.from_iterable(elements)).subscribe(subscriber)
    assert subscriber.elements == [0] * (len(elements) - 1)
    assert type(subscriber.error) is error


@pytest.mark.parametrize("method", ["pluck", "pluck_attr"])
def test_call_without_a_name_is_refused(method: str) -> None:
    with pytest.raises(ArgumentError, match=rf"{method}\(\) needs at least one (key|name); use map\(\)"):
        getattr(Stream.just(1), method)()


@pytest.mark.parametrize("name", [0, None, b"x"])
def test_name_that_is_no_text_is_refused(name: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"pluck_attr\(names\) needs names of attributes, got .*; use pluck\(\)"
    ):
        Stream.just(1).pluck_attr("real", name)


@pytest.mark.parametrize("name", ["", "a b", "a.", ".a", "1"])
def test_name_that_no_attribute_has_is_refused(name: str) -> None:
    with pytest.raises(
        ArgumentError, match=r"pluck_attr\(names\) needs names of attributes, got .*, which no attribute"
    ):
        Stream.just(1).pluck_attr(name)


def test_calls_are_written_as_one_would_write_them() -> None:
    described = pipeline().pluck("a", 1).pluck_attr("x.y").pluck(2)
    assert str(described) == "pipeline().pluck('a', 1).pluck_attr('x.y').pluck(2)"
