"""first, last, single, element_at, and each of them with a default."""

import asyncio
from typing import Any, ClassVar

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    EmptyStreamError,
    MoreThanOneElementError,
    StateError,
)
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.operators.folding.folds import FoldContract, FoldOfSomething, loaded


class TestFirst(FoldOfSomething):
    method = "first"
    requested = 1
    remedy = "use first_or_default(default) if it may"

    def result(self, elements: list[Any]) -> Any:
        return elements[0]

    def is_finished_by(self, elements: list[Any]) -> bool:
        return bool(elements)


class TestFirstOrDefault(FoldContract):
    method = "first_or_default"
    arguments = (-1,)
    requested = 1

    def result(self, elements: list[Any]) -> Any:
        return elements[0] if elements else -1

    def is_finished_by(self, elements: list[Any]) -> bool:
        return bool(elements)


class TestLast(FoldOfSomething):
    method = "last"
    remedy = "use last_or_default(default) if it may"

    def result(self, elements: list[Any]) -> Any:
        return elements[-1]


class TestLastOrDefault(FoldContract):
    method = "last_or_default"
    arguments = (-1,)

    def result(self, elements: list[Any]) -> Any:
        return elements[-1] if elements else -1


class TestElementAt(FoldOfSomething):
    method = "element_at"
    arguments = (5,)
    requested = 6
    remedy = "use element_at_or_default(index, default) if it may"

    def result(self, elements: list[Any]) -> Any:
        return elements[5]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return []

    def is_finished_by(self, elements: list[Any]) -> bool:
        return len(elements) > 5

    def is_without_result(self, elements: list[Any]) -> bool:
        return len(elements) <= 5

    def test_signals_after_the_end_are_not_passed_on(self) -> None:
        """Two elements are too few for it."""

    def test_second_subscription_is_cancelled(self) -> None:
        """One element is too few for it."""


class TestElementAtOrDefault(FoldContract):
    method = "element_at_or_default"
    arguments = (5, "none")
    requested = 6

    def result(self, elements: list[Any]) -> Any:
        return elements[5] if len(elements) > 5 else "none"

    def is_finished_by(self, elements: list[Any]) -> bool:
        return len(elements) > 5


class TestSingleOrDefault(FoldContract):
    method = "single_or_default"
    arguments = (-1,)
    elements: ClassVar[list[Any]] = [7]
    requested = 2

    def result(self, elements: list[Any]) -> Any:
        return elements[0] if elements else -1


class TestSingle(FoldOfSomething):
    method = "single"
    elements: ClassVar[list[Any]] = [7]
    requested = 2
    remedy = "use single_or_default(default) if it may"

    def result(self, elements: list[Any]) -> Any:
        return elements[0]


@pytest.mark.parametrize("method", ["single", "single_or_default"])
def test_second_element_cancels_and_ends_with_an_error(method: str) -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(publisher).through(getattr(pipeline(), method)()).subscribe(subscriber)
    publisher.send(1, 2)
    assert publisher.cancels == 1
    assert isinstance(subscriber.error, MoreThanOneElementError)
    with pytest.raises(
        LookupError, match=rf"{method}\(\): the stream has more than one element, 1 and then 2; use first"
    ):
        getattr(Stream.just(1, 2), method)()


@pytest.mark.parametrize("method", ["first", "last", "single"])
def test_nothing_names_the_twin_with_a_default(method: str) -> None:
    with pytest.raises(EmptyStreamError, match=rf"use {method}_or_default\(default\) if it may"):
        getattr(Stream.range(0), method)()
    with pytest.raises(EmptyStreamError, match=rf"use {method}_or_default\(default\) if it may"):
        asyncio.run(getattr(Stream.range(0), f"{method}_async")())


@pytest.mark.parametrize("method", ["first", "last", "single"])
def test_none_is_an_ordinary_element(method: str) -> None:
    assert getattr(Stream.just(None), method)() is None
    assert getattr(Stream.just(None), f"{method}_or_default")(3) is None
    assert getattr(Stream.range(0), f"{method}_or_default")() is None


def test_position_before_the_first_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"element_at\(index\) needs a count from 0 to \d+, got -1"):
        Stream.range(3).element_at(-1)
    with pytest.raises(ArgumentTypeError, match=r"element_at_or_default\(index\) needs an integer, got 'x'"):
        Stream.range(3).element_at_or_default("x")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("method", "arguments", "fields"),
    [
        ("element_at", (3,), (4,)),
        ("element_at", (3,), (-1,)),
        ("last", (), (0, 1)),
        ("single", (), ("x", 1)),
        ("first", (), (1,)),
    ],
)
def test_forged_state_is_refused(method: str, arguments: tuple[Any, ...], fields: tuple[Any, ...]) -> None:
    with pytest.raises(StateError):
        loaded(method, arguments, *fields)
