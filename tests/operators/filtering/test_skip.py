"""skip: all but the first elements."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestSkip(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().skip(4)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements[4:]


class TestSkipOfNothing(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().skip(0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


def test_more_than_there_is_leaves_nothing() -> None:
    assert Stream.range(3).skip(4).to_list() == []


def test_skipped_elements_bring_the_completion() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(3).skip(3).subscribe(subscriber)
    assert subscriber.outcome == ([], "complete")


def test_skip_behind_take_and_before() -> None:
    assert Stream.range(10).take(5).skip(3).to_list() == [3, 4]
    assert Stream.range(10).skip(3).take(2).to_list() == [3, 4]


def test_none_counts_as_an_element() -> None:
    assert Stream.just(None, None, 1).skip(1).to_list() == [None, 1]


@pytest.mark.parametrize("count", [-1, 2**63])
def test_count_out_of_bounds_is_refused(count: int) -> None:
    with pytest.raises(ArgumentError, match=rf"skip\(count\) needs a count from 0 to {2**63 - 1}, got {count}"):
        Stream.just(1).skip(count)


@pytest.mark.parametrize("count", ["3", 2.0, None, False])
def test_count_that_is_no_integer_is_refused(count: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"skip\(count\) needs an integer, got {count!r} \("):
        Stream.just(1).skip(count)
