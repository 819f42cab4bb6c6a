"""sorted: all elements in their order."""

from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.operators.transforming.sorted import MAX_SORTED
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.contracts.saved_state import reader_of, subscribe
from tests.contracts.state_contract import SerializableContract, StateContract

SHUFFLED = [5, 3, 8, 1, 9, 1, 9, 4, 0, 7, 0, 2]


class Sorting(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = SHUFFLED
    options: ClassVar[dict[str, Any]] = {}

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().sorted(**self.options)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return sorted(elements, key=self.options.get("key"), reverse=self.options.get("reverse", False))

    def test_input_is_read_as_far_as_demand_needs(self) -> None:
        """The first request needs all of it, which the model of other operators cannot say."""


class TestSorted(Sorting):
    pass


class TestSortedByAKeyInReverse(Sorting):
    options: ClassVar[dict[str, Any]] = {"key": lambda number: number % 3, "reverse": True, "max_elements": 12}


def test_one_more_than_the_bound_ends_the_stream() -> None:
    assert Stream.range(3, 0, -1).sorted(max_elements=3).to_list() == [1, 2, 3]
    with pytest.raises(CapacityError, match=r"sorted\(max_elements=3\): one more element came than that; raise"):
        Stream.range(4).sorted(max_elements=3).to_list()


@pytest.mark.parametrize("position", [0, 2, 4])
def test_key_that_fails_ends_with_the_error(position: int) -> None:
    subscriber = RecordingSubscriber(first_request=9)
    Stream.range(5).sorted(lambda number: 1 // (number - position)).subscribe(subscriber)
    assert subscriber.elements == []
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_elements_that_cannot_be_compared_end_the_stream() -> None:
    with pytest.raises(TypeError, match="not supported between"):
        Stream.just(1, "a").sorted().to_list()


@pytest.mark.parametrize("bound", [0, MAX_SORTED + 1])
def test_bound_out_of_bounds_is_refused(bound: int) -> None:
    with pytest.raises(
        ArgumentError, match=rf"sorted\(max_elements\) needs a count from 1 to {MAX_SORTED}, got {bound}"
    ):
        Stream.range(3).sorted(max_elements=bound)


def test_key_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"sorted\(key\) needs a callable, got 3"):
        Stream.range(3).sorted(3)  # type: ignore[arg-type]


def test_text_leaves_defaults_out() -> None:
    assert repr(pipeline().sorted()) == "pipeline().sorted()"
    assert repr(pipeline().sorted(len, reverse=True, max_elements=3)) == (
        "pipeline().sorted(len, reverse=True, max_elements=3)"
    )


def test_sorted_elements_meet_the_operators_below() -> None:
    assert Stream.from_iterable(SHUFFLED).sorted().take(3).to_list() == [0, 0, 1]


@pytest.mark.parametrize("field", [(1, 2), [1, 2, 3]])
def test_forged_state_is_refused(field: Any) -> None:
    handle = Stream[int].empty().sorted(max_elements=2).bind(RecordingSubscriber())
    subscribe(handle)
    stage = handle.inputs[0]
    with pytest.raises(StateError):
        stage.load_state(reader_of(False, field, [], [], 0, None), stage.version)
