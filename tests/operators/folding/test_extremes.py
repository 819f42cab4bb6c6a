"""min, max."""

from itertools import permutations
from typing import Any, ClassVar

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import ArgumentTypeError, EmptyStreamError, StateError
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.operators.folding.folds import FoldContract, FoldOfSomething, loaded

SHUFFLED = [5, 3, 8, 1, 9, 1, 9, 4, 0, 7, 0, 2]


def to_seven(number: int) -> int:
    return abs(number - 7)


class TestMin(FoldOfSomething):
    method = "min"
    elements: ClassVar[list[Any]] = SHUFFLED
    remedy = "use min(default=...) if it may"

    def result(self, elements: list[Any]) -> Any:
        return min(elements)


class TestMax(FoldOfSomething):
    method = "max"
    elements: ClassVar[list[Any]] = SHUFFLED
    remedy = "use max(default=...) if it may"

    def result(self, elements: list[Any]) -> Any:
        return max(elements)


class TestMinOfAKey(FoldContract):
    method = "min"
    elements: ClassVar[list[Any]] = SHUFFLED
    arguments = (to_seven,)
    options: ClassVar[dict[str, Any]] = {"default": "none"}

    def result(self, elements: list[Any]) -> Any:
        return min(elements, key=to_seven, default="none")


class TestMaxOfAKey(FoldContract):
    method = "max"
    elements: ClassVar[list[Any]] = SHUFFLED
    arguments = (to_seven,)
    options: ClassVar[dict[str, Any]] = {"default": "none"}

    def result(self, elements: list[Any]) -> Any:
        return max(elements, key=to_seven, default="none")


@pytest.mark.parametrize("method", ["min", "max"])
def test_first_of_equal_ones_wins(method: str) -> None:
    words = ["bee", "ant", "fly"]
    assert getattr(Stream.from_iterable(words), method)(key=len) == "bee"


@pytest.mark.parametrize("method", ["min", "max"])
def test_key_is_called_once_for_each_element(method: str) -> None:
    seen: list[int] = []

    def key(number: int) -> int:
        seen.append(number)
        return number

    getattr(Stream.range(5), method)(key=key)
    assert seen == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("position", [0, 2, 4])
@pytest.mark.parametrize("method", ["min", "max"])
def test_key_that_fails_cancels_and_ends_with_the_error(method: str, position: int) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    operator = getattr(pipeline(), method)(key=lambda number: 1 // (number - position))
    Stream.range(5).through(operator).subscribe(subscriber)
    assert subscriber.elements == []
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_elements_that_cannot_be_compared_end_the_stream() -> None:
    with pytest.raises(TypeError, match="not supported between"):
        Stream.just(1, "a").min()


@pytest.mark.parametrize("numbers", list(permutations([1.0, float("nan"), 0.0])), ids=repr)
def test_what_is_not_a_number_is_compared_as_the_built_ins_do(numbers: tuple[float, ...]) -> None:
    assert repr(Stream.from_iterable(numbers).min()) == repr(min(numbers))
    assert repr(Stream.from_iterable(numbers).max()) == repr(max(numbers))


def test_default_none_is_a_result() -> None:
    assert Stream.range(0).max(default=None) is None


def test_nothing_names_the_remedy() -> None:
    with pytest.raises(EmptyStreamError, match=r"max\(\): .*; use max\(default=\.\.\.\) if it may"):
        Stream.range(0).max()


@pytest.mark.parametrize("method", ["min", "max", "min_async", "max_async"])
def test_key_that_cannot_be_called_is_refused(method: str) -> None:
    with pytest.raises(ArgumentTypeError, match=r"m..\(key\) needs a callable, got 3"):
        getattr(Stream.range(3), method)(key=3)


def test_text_leaves_defaults_out() -> None:
    assert repr(pipeline().min()) == "pipeline().min()"
    assert repr(pipeline().max(len, default=0)) == "pipeline().max(len, default=0)"


@pytest.mark.parametrize("fields", [(1, 2, 3), (), (True,)])
def test_forged_state_is_refused(fields: tuple[Any, ...]) -> None:
    with pytest.raises(StateError):
        loaded("min", (), *fields)
