"""count, sum; and what they share with average."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import StateError
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.operators.folding.folds import FoldContract, loaded


class TestCount(FoldContract):
    method = "count"

    def result(self, elements: list[Any]) -> Any:
        return len(elements)


class TestSum(FoldContract):
    method = "sum"

    def result(self, elements: list[Any]) -> Any:
        return sum(elements)


class TestSumFromAStart(FoldContract):
    method = "sum"
    arguments = (0.5,)

    def result(self, elements: list[Any]) -> Any:
        return sum(elements, 0.5)


def test_count_does_not_look_at_the_elements() -> None:
    assert Stream.just(None, object(), None).count() == 3


@pytest.mark.parametrize("elements", [[2**62, 2**62, 2**62], [0.5, 0.25], [Decimal("0.1"), 1], [Fraction(1, 3), 2]])
def test_sum_is_that_of_the_built_in(elements: list[Any]) -> None:
    assert Stream.from_iterable(elements).sum() == sum(elements)


def test_sum_of_lists_leaves_the_start_as_it_is() -> None:
    start: list[int] = []
    stream = Stream.just([1], [2, 3])
    assert (stream.sum(start), stream.sum(start), start) == ([1, 2, 3], [1, 2, 3], [])


@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("method", ["sum", "average"])
def test_addition_that_fails_cancels_and_ends_with_the_error(method: str, position: int) -> None:
    elements: list[Any] = [1, 2, 3]
    elements[position] = "three"
    subscriber = RecordingSubscriber(first_request=1)
    Stream.from_iterable(elements).through(getattr(pipeline(), method)()).subscribe(subscriber)
    assert subscriber.elements == []
    assert isinstance(subscriber.error, TypeError)
    with pytest.raises(TypeError, match="unsupported operand"):
        getattr(Stream.from_iterable(elements), method)()


@pytest.mark.parametrize(("method", "fields"), [("count", [-1]), ("count", ["1"]), ("average", [-1, 0]), ("sum", [])])
def test_forged_state_is_refused(method: str, fields: list[Any]) -> None:
    with pytest.raises(StateError):
        loaded(method, (0,) if method == "sum" else (), *fields)
