"""enumerate: each element with its number."""

import gc
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.operators.transforming.enumerate import MAX_START
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.contracts.saved_state import fields_of, reader_of, subscribe
from tests.contracts.state_contract import SerializableContract, StateContract


class TestEnumerate(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().enumerate()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(enumerate(elements))


class TestEnumerateFromANumber(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().filter(lambda n: n % 3 != 1).enumerate(-3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(enumerate((each for each in elements if each % 3 != 1), -3))


@pytest.mark.parametrize("start", [-MAX_START, -1, 0, 7, 2**40, MAX_START])
def test_numbers_count_up_from_any_start(start: int) -> None:
    assert Stream.from_iterable("abc").enumerate(start).to_list() == list(enumerate("abc", start))


def test_each_subscription_counts_anew() -> None:
    stream = Stream.just("a", None).enumerate()
    assert stream.to_list() == stream.to_list() == [(0, "a"), (1, None)]


def test_elements_that_refer_to_their_tuple_are_collected() -> None:
    class Knows:
        pass

    def tie(numbered: tuple[int, Knows]) -> None:
        numbered[1].numbered = numbered  # type: ignore[attr-defined]

    Stream.from_iterable([Knows()]).enumerate().do(on_next=tie).run()
    gc.collect()
    assert [each for each in gc.get_objects() if type(each) is Knows] == []


def test_numbers_are_those_of_each_place_in_the_stream() -> None:
    doubled = Stream.from_iterable("abc").enumerate().filter(lambda pair: pair[0] != 1).enumerate()
    assert doubled.to_list() == [(0, (0, "a")), (1, (2, "c"))]


def test_next_number_is_saved() -> None:
    handle = Stream.range(9).enumerate(5).bind(RecordingSubscriber(first_request=2))
    handle.initialize()
    assert fields_of(handle.inputs[0]) == [False, 7]


@pytest.mark.parametrize("number", [2**63 - 1, 2**70, -(2**63)])
def test_state_with_a_number_that_is_never_reached_is_refused(number: int) -> None:
    handle = Stream.range(9).enumerate().bind(RecordingSubscriber())
    subscribe(handle)
    with pytest.raises(StateError, match=f"cannot load that the next element has number {number}"):
        handle.inputs[0].load_state(reader_of(False, number), (1, 0, 0, 0))


@pytest.mark.parametrize("start", [MAX_START + 1, -MAX_START - 1, 2**80])
def test_start_out_of_bounds_is_refused(start: int) -> None:
    with pytest.raises(ArgumentError, match=rf"enumerate\(start\) needs a count from -{MAX_START} to {MAX_START}"):
        Stream.just(1).enumerate(start)


@pytest.mark.parametrize("start", ["3", 2.0, None, True])
def test_start_that_is_no_integer_is_refused(start: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"enumerate\(start\) needs an integer, got {start!r} \("):
        Stream.just(1).enumerate(start)


def test_call_is_written_as_one_would_write_it() -> None:
    assert str(pipeline().enumerate().enumerate(-2)) == "pipeline().enumerate().enumerate(-2)"
