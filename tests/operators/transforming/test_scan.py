"""scan: a running fold."""

import itertools
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import fields_of, reader_of, subscribe
from tests.contracts.state_contract import SerializableContract, StateContract


class TestScan(OperatorContract, StateContract, SerializableContract):
    state_version = (1, 1, 0, 0)

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().scan(lambda total, element: total + element, 100)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(itertools.accumulate(elements, initial=100))[1:]


class TestScanWithoutSeed(OperatorContract, StateContract, SerializableContract):
    state_version = (1, 1, 0, 0)

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().scan(lambda total, element: total + element)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(itertools.accumulate(elements))


def test_first_element_is_the_first_accumulator_and_needs_no_call() -> None:
    called: list[tuple[Any, Any]] = []

    def note(one: Any, other: Any) -> Any:
        called.append((one, other))
        return other

    assert Stream.just(None, 2, 3).scan(note).to_list() == [None, 2, 3]
    assert called == [(None, 2), (2, 3)]


def test_ellipsis_is_an_element_but_no_seed() -> None:
    assert Stream.just(..., 1).scan(lambda one, other: other).to_list() == [..., 1]


def test_state_of_the_first_layout_is_loaded() -> None:
    handle = Stream.range(3).scan(lambda total, element: total + element, 0).bind(subscriber := RecordingSubscriber())
    subscribe(handle)
    handle.inputs[0].load_state(reader_of(False, 100), (1, 0, 0, 0))
    handle.initialize()
    subscriber.request(UNBOUNDED)
    assert subscriber.elements == [100, 101, 103]


def test_calls_are_written_as_one_would_write_them() -> None:
    assert str(pipeline().scan(max).scan(max, 1)) == "pipeline().scan(max).scan(max, 1)"


def test_seed_itself_is_not_passed_on() -> None:
    assert Stream.empty().scan(max, 7).to_list() == []


def test_immutable_seed_starts_every_subscription_alike() -> None:
    nothing: tuple[int, ...] = ()
    stream = Stream.just(1, 2).scan(lambda seen, element: (*seen, element), nothing)
    assert stream.to_list() == stream.to_list() == [(1,), (1, 2)]


def test_mutable_seed_that_the_function_changes_is_shared_by_all_subscriptions() -> None:
    def extend(seen: list[int], element: int) -> list[int]:
        seen.append(element)
        return seen

    seed: list[int] = []
    stream = Stream.just(1).scan(extend, seed)
    assert stream.to_list() == [[1]]
    assert stream.to_list() == [[1, 1]]
    assert seed == [1, 1]


def test_none_is_an_ordinary_accumulator() -> None:
    seed: int | None = 0
    assert Stream.just(1, 2).scan(lambda total, element: None, seed).to_list() == [None, None]


def test_function_that_raises_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(4, 2, 0, 1).scan(lambda total, element: total // element, 100).subscribe(subscriber)
    assert subscriber.elements == [25, 12]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_accumulator_of_the_last_good_element_is_saved() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.just(5, 0).scan(lambda total, element: 100 // element, 0).bind(subscriber)
    handle.initialize()
    assert fields_of(handle.inputs[0]) == [True, False, 20]


def test_function_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"scan\(function\) needs a callable, got None \(NoneType\)"):
        Stream.just(1).scan(None, 0)  # type: ignore[arg-type]
