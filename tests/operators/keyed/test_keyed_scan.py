"""key_by(...).scan: a running fold of each key."""

from collections import defaultdict
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestKeyedScan(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().key_by(lambda element: element % 3).scan(lambda total, element: total + element, 0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        totals: defaultdict[int, int] = defaultdict(int)
        passed_on = []
        for element in elements:
            totals[element % 3] += element
            passed_on.append(totals[element % 3])
        return passed_on


def count(stream: Stream[Any], key: Any, **options: int) -> Stream[int]:
    return stream.key_by(key, **options).scan(lambda total, element: total + 1, 0)


def test_keys_are_equal_as_in_a_dict() -> None:
    assert count(Stream.just(1, 1.0, True, "1"), lambda element: element).to_list() == [1, 2, 3, 1]


def test_none_is_an_ordinary_key_element_and_accumulator() -> None:
    seed: str | None = "seed"
    stream = Stream.just(None, 1, None).key_by(lambda element: element).scan(lambda seen, element: None, seed)
    assert stream.to_list() == [None, None, None]


def test_as_many_keys_as_allowed_pass_and_the_next_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    count(Stream.just("a", "b", "a", "c", "d"), lambda element: element, max_keys=2).subscribe(subscriber)
    assert subscriber.elements == [1, 1, 2]
    assert isinstance(subscriber.error, CapacityError)
    assert str(subscriber.error) == (
        "key 'c' would be number 3, and key_by(max_keys=2) holds 2; raise max_keys or use a coarser key"
    )


def test_key_that_is_not_hashable_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    count(Stream.just(1, [2]), lambda element: element).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, TypeError)
    assert "unhashable type: 'list'" in str(subscriber.error)
    assert "in rx://operators/keyed_scan, assembled at" in subscriber.error.__notes__[0]


def test_key_function_that_raises_ends_the_stream() -> None:
    with pytest.raises(KeyError, match="origin"):
        count(Stream.just({}), lambda flight: flight["origin"]).to_list()


def test_key_whose_equality_raises_ends_the_stream() -> None:
    class Odd:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            raise ValueError("not comparable")

    with pytest.raises(ValueError, match="not comparable"):
        count(Stream.just(Odd(), Odd()), lambda element: element).to_list()


def test_function_that_raises_leaves_the_other_keys_as_they_were() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.just(1, 2, 0).key_by(lambda element: element).scan(lambda total, element: 10 // element, 0)
    stream.subscribe(subscriber)
    assert subscriber.elements == [10, 5]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_each_subscription_has_keys_of_its_own() -> None:
    stream = count(Stream.just("a", "a"), lambda element: element, max_keys=1)
    assert stream.to_list() == stream.to_list() == [1, 2]


@pytest.mark.parametrize("max_keys", [0, -1])
def test_limit_below_one_key_is_refused(max_keys: int) -> None:
    with pytest.raises(ArgumentError, match=rf"key_by\(max_keys\) needs a count from 1 to {2**63 - 1}, got {max_keys}"):
        Stream.just(1).key_by(hash, max_keys=max_keys)


def test_key_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"key_by\(key\) needs a callable, got 'origin' \(str\)"):
        Stream.just(1).key_by("origin")  # type: ignore[arg-type]


def test_function_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"key_by\(\)\.scan\(function\) needs a callable, got 1 \(int\)"):
        pipeline().key_by(hash).scan(1, 0)  # type: ignore[arg-type]
