"""all, any, contains, is_empty, sequence_equal."""

from typing import Any, ClassVar

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.operators.folding.folds import FoldContract, loaded


def below_five(number: int) -> bool:
    return number < 5


def below_hundred(number: int) -> bool:
    return number < 100


def above_five(number: int) -> bool:
    return number > 5


class TestAllThatDecidesEarly(FoldContract):
    method = "all"
    arguments = (below_five,)

    def result(self, elements: list[Any]) -> Any:
        return all(map(below_five, elements))

    def is_finished_by(self, elements: list[Any]) -> bool:
        return not all(map(below_five, elements))


class TestAllThatHolds(FoldContract):
    method = "all"
    arguments = (below_hundred,)

    def result(self, elements: list[Any]) -> Any:
        return True


class TestAnyThatDecidesEarly(FoldContract):
    method = "any"
    arguments = (above_five,)

    def result(self, elements: list[Any]) -> Any:
        return any(map(above_five, elements))

    def is_finished_by(self, elements: list[Any]) -> bool:
        return any(map(above_five, elements))


class TestAnyOfNone(FoldContract):
    method = "any"
    arguments = (callable,)

    def result(self, elements: list[Any]) -> Any:
        return False


class TestAnyElement(FoldContract):
    method = "any"
    requested = 1

    def result(self, elements: list[Any]) -> Any:
        return bool(elements)

    def is_finished_by(self, elements: list[Any]) -> bool:
        return bool(elements)


class TestIsEmpty(FoldContract):
    method = "is_empty"
    requested = 1

    def result(self, elements: list[Any]) -> Any:
        return not elements

    def is_finished_by(self, elements: list[Any]) -> bool:
        return bool(elements)


class TestContains(FoldContract):
    method = "contains"
    arguments = (7,)

    def result(self, elements: list[Any]) -> Any:
        return 7 in elements

    def is_finished_by(self, elements: list[Any]) -> bool:
        return 7 in elements


class TestContainsNot(FoldContract):
    method = "contains"
    arguments = (None,)

    def result(self, elements: list[Any]) -> Any:
        return False


class TestSequenceEqual(FoldContract):
    method = "sequence_equal"
    arguments = (list(range(12)),)

    def result(self, elements: list[Any]) -> Any:
        return elements == list(range(12))


class TestSequenceThatDiffers(FoldContract):
    method = "sequence_equal"
    arguments = ([0, 1, 2, 7],)

    def result(self, elements: list[Any]) -> Any:
        return False

    def is_finished_by(self, elements: list[Any]) -> bool:
        return len(elements) >= 4


class TestSequenceThatIsShorter(FoldContract):
    method = "sequence_equal"
    arguments = (range(5),)

    def result(self, elements: list[Any]) -> Any:
        return elements == [0, 1, 2, 3, 4]

    def is_finished_by(self, elements: list[Any]) -> bool:
        return len(elements) >= 6


class TestSequenceThatIsLonger(FoldContract):
    method = "sequence_equal"
    arguments = (range(13),)
    elements: ClassVar[list[Any]] = list(range(12))

    def result(self, elements: list[Any]) -> Any:
        return False


def test_any_element_may_count_as_false() -> None:
    assert Stream.just(0).any()
    assert Stream.just(None).any()
    assert not Stream.just(0).any(bool)


def test_contains_looks_for_the_same_object_too() -> None:
    nan = float("nan")
    assert Stream.just(nan).contains(nan)
    assert Stream.just(1, None).contains(None)


def test_what_a_predicate_returns_counts_as_true_or_false() -> None:
    assert Stream.just("a", "b").all(lambda text: text)
    assert not Stream.just("a", "").all(lambda text: text)


@pytest.mark.parametrize("method", ["all", "any"])
@pytest.mark.parametrize("position", [0, 2, 4])
def test_predicate_that_fails_cancels_and_ends_with_the_error(method: str, position: int) -> None:
    def predicate(number: int) -> bool:
        if number == position:
            raise ZeroDivisionError("why")
        return method == "all"

    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(5).through(getattr(pipeline(), method)(predicate)).subscribe(subscriber)
    assert subscriber.outcome == ([], "ZeroDivisionError('why')")


class Incomparable:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError("why")


def test_comparison_that_fails_ends_the_stream() -> None:
    with pytest.raises(ZeroDivisionError):
        Stream.just(Incomparable()).contains(1)
    with pytest.raises(ZeroDivisionError):
        Stream.just(Incomparable()).sequence_equal([1])


class FailingIterable:
    """Fails where it is iterated, or at a position."""

    def __init__(self, position: int) -> None:
        self.position = position

    def __iter__(self) -> Any:
        if self.position < 0:
            raise ZeroDivisionError("why")
        yield from range(self.position)
        raise ZeroDivisionError("why")


@pytest.mark.parametrize("position", [-1, 0, 1, 3])
def test_iterable_that_fails_ends_the_stream(position: int) -> None:
    with pytest.raises(ZeroDivisionError):
        Stream.range(3).sequence_equal(FailingIterable(position))


def test_iterator_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"sequence_equal\(iterable\) .* got the iterator .*; pass a list"):
        Stream.range(3).sequence_equal(iter([1]))


def test_what_cannot_be_iterated_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"sequence_equal\(iterable\) needs an iterable, got 3 \(int\)"):
        Stream.range(3).sequence_equal(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", ["all", "any"])
def test_predicate_that_cannot_be_called_is_refused(method: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{method}\(predicate\) needs a callable, got 3"):
        getattr(Stream.range(3), method)(3)


@pytest.mark.parametrize("field", [-1, "1", None])
def test_forged_count_is_refused(field: Any) -> None:
    with pytest.raises(StateError):
        loaded("sequence_equal", ([1],), field)


def test_more_equal_elements_than_the_iterable_has_are_not_equal() -> None:
    handle = loaded("sequence_equal", ([1],), 5)
    handle.initialize()
    handle.request(1)
    assert handle.is_disposed
