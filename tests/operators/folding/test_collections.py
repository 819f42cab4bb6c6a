"""to_list, to_set, to_dict, to_lookup."""

from typing import Any, ClassVar

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.operators.folding.folds import FoldContract, loaded


def mod3(number: int) -> int:
    return number % 3


class TestToList(FoldContract):
    method = "to_list"

    def result(self, elements: list[Any]) -> Any:
        return list(elements)


class TestToListWithABound(FoldContract):
    method = "to_list"
    options: ClassVar[dict[str, Any]] = {"max_elements": 12}

    def result(self, elements: list[Any]) -> Any:
        return list(elements)


class TestToSet(FoldContract):
    method = "to_set"
    elements: ClassVar[list[Any]] = [1, 2, 1, 3, 2, 4, 1, 5]

    def result(self, elements: list[Any]) -> Any:
        return set(elements)


class TestToDict(FoldContract):
    method = "to_dict"
    arguments = (mod3,)

    def result(self, elements: list[Any]) -> Any:
        return {mod3(element): element for element in elements}


class TestToDictOfValues(FoldContract):
    method = "to_dict"
    arguments = (mod3, str)

    def result(self, elements: list[Any]) -> Any:
        return {mod3(element): str(element) for element in elements}


class TestToLookup(FoldContract):
    method = "to_lookup"
    arguments = (mod3, str)
    options: ClassVar[dict[str, Any]] = {"max_elements": 12}

    def result(self, elements: list[Any]) -> Any:
        lookup: dict[int, list[str]] = {}
        for element in elements:
            lookup.setdefault(mod3(element), []).append(str(element))
        return lookup


CALLS: dict[str, tuple[Any, ...]] = {"to_list": (), "to_set": (), "to_dict": (str,), "to_lookup": (mod3,)}


@pytest.mark.parametrize("method", CALLS)
def test_one_more_than_the_bound_ends_the_stream(method: str) -> None:
    def found(count: int) -> Any:
        return getattr(Stream.range(count), method)(*CALLS[method], max_elements=3)

    assert found(3)
    with pytest.raises(CapacityError, match=rf"{method}\(max_elements=3\): one more element came than that; raise"):
        found(4)


@pytest.mark.parametrize("method", ["to_set", "to_dict"])
def test_what_is_there_already_needs_no_room(method: str) -> None:
    assert len(getattr(Stream.just(1, 1, 1, 2), method)(*CALLS[method], max_elements=2)) == 2


@pytest.mark.parametrize("method", CALLS)
@pytest.mark.parametrize("bound", [0, -1, 2**63])
def test_bound_out_of_bounds_is_refused(method: str, bound: int) -> None:
    with pytest.raises(ArgumentError, match=rf"{method}\(max_elements\) needs a count from 1 to"):
        getattr(Stream.range(3), method)(*CALLS[method], max_elements=bound)


@pytest.mark.parametrize("method", ["to_dict", "to_lookup"])
@pytest.mark.parametrize("position", [0, 1])
def test_function_that_cannot_be_called_is_refused(method: str, position: int) -> None:
    arguments = [str, str]
    arguments[position] = 3  # type: ignore[call-overload]
    with pytest.raises(ArgumentTypeError, match=rf"{method}\((key|value)\) needs a callable, got 3"):
        getattr(Stream.range(3), method)(*arguments)


@pytest.mark.parametrize("method", ["to_dict", "to_lookup"])
@pytest.mark.parametrize("position", [0, 2, 4])
@pytest.mark.parametrize("which", [0, 1])
def test_function_that_fails_cancels_and_ends_with_the_error(method: str, position: int, which: int) -> None:
    functions: list[Any] = [str, str]
    functions[which] = lambda number: 1 // (number - position)
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(5).through(getattr(pipeline(), method)(*functions)).subscribe(subscriber)
    assert subscriber.elements == []
    assert isinstance(subscriber.error, ZeroDivisionError)


@pytest.mark.parametrize("method", ["to_set", "to_dict", "to_lookup"])
def test_what_cannot_be_hashed_ends_the_stream(method: str) -> None:
    arguments = () if method == "to_set" else (lambda element: element,)
    with pytest.raises(TypeError, match="unhashable"):
        getattr(Stream.just([1]), method)(*arguments)


def test_none_is_an_ordinary_element() -> None:
    assert Stream.just(None, 1).to_list(max_elements=2) == [None, 1]
    assert Stream.just(None, 1).to_set() == {None, 1}
    assert Stream.just(None).to_lookup(lambda element: element) == {None: [None]}


def test_result_meets_the_operators_below() -> None:
    assert Stream.range(5).through(pipeline().to_list().map(len).buffer(2)).to_list() == [[5]]
    assert Stream.range(5).through(pipeline().to_list().filter(lambda _: False)).to_list() == []
    assert Stream.range(7).through(pipeline().buffer(3).count()).first() == 3
    assert Stream.range(5).through(pipeline().to_list().flat_map(lambda elements: elements).take(2)).to_list() == [0, 1]


def test_result_that_fails_below_ends_with_the_error_only() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(5).through(pipeline().to_list().map(lambda elements: elements[9])).subscribe(subscriber)
    assert subscriber.elements == []
    assert isinstance(subscriber.error, IndexError)


@pytest.mark.parametrize(
    ("method", "arguments", "field"),
    [
        ("to_list", (), {1: 2}),
        ("to_set", (), [1]),
        ("to_dict", (str,), [1]),
        ("to_lookup", (mod3,), {1: 2}),
        ("to_lookup", (mod3,), {1: (2,)}),
    ],
)
def test_forged_state_is_refused(method: str, arguments: tuple[Any, ...], field: Any) -> None:
    with pytest.raises(StateError):
        loaded(method, arguments, field)


@pytest.mark.parametrize(
    ("method", "field"),
    [
        ("to_list", [1, 2, 3]),
        ("to_set", {1, 2, 3}),
        ("to_dict", {"1": 1, "2": 2, "3": 3}),
        ("to_lookup", {0: [3, 6, 9]}),
    ],
)
def test_state_of_a_larger_bound_is_refused(method: str, field: Any) -> None:
    with pytest.raises(StateError, match="cannot load 3 elements with max_elements=2; load the state with the bound"):
        loaded(method, CALLS[method], field, max_elements=2)
