"""distinct and distinct_until_changed: the first elements of each key, and those that differ from the one before."""

import itertools
from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import fields_of, save, start
from tests.contracts.state_contract import SerializableContract, StateContract


def first_of_each(elements: list[Any], key: Any) -> list[Any]:
    seen: dict[Any, Any] = {}
    for element in elements:
        seen.setdefault(key(element), element)
    return list(seen.values())


class TestDistinct(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = [2, 1, 2, 2, 3, 1, 4, 4, 2]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().distinct()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return first_of_each(elements, lambda element: element)


class TestDistinctByKey(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().distinct(lambda element: element % 5)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return first_of_each(elements, lambda element: element % 5)


class TestDistinctBehindBuffer(OperatorContract, StateContract, SerializableContract):
    """A dropped list is worth several elements of the source."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).distinct(lambda pair: pair[0] % 3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        pairs = [elements[start : start + 2] for start in range(0, len(elements) - 1, 2)]
        return first_of_each(pairs, lambda pair: pair[0] % 3)

    def left_over(self, elements: list[Any]) -> list[Any]:
        rest = elements[len(elements) // 2 * 2 :]
        is_new = rest and all(pair[0] % 3 != rest[0] % 3 for pair in self.passed_on(elements))
        return [rest] if is_new else []


class TestDistinctUntilChanged(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = [2, 3, 3, 2, 2, 2, 1, 2]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().distinct_until_changed()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [key for key, _ in itertools.groupby(elements)]


class TestDistinctUntilChangedByKey(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().distinct_until_changed(lambda element: element // 4, comparer=lambda last, new: last == new)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [next(group) for _, group in itertools.groupby(elements, lambda element: element // 4)]


def outcome(stream: Stream[Any]) -> tuple[list[Any], str]:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    stream.subscribe(subscriber)
    return subscriber.outcome


@pytest.mark.parametrize("method", ["distinct", "distinct_until_changed"])
def test_none_is_an_ordinary_key(method: str) -> None:
    assert getattr(Stream.just(None, 1, None), method)().to_list() in ([None, 1], [None, 1, None])
    assert getattr(Stream.just(1, 2), method)(lambda element: None).to_list() == [1]


@pytest.mark.parametrize("method", ["distinct", "distinct_until_changed"])
@pytest.mark.parametrize("position", [0, 1, 3])
def test_function_that_raises_ends_the_stream(method: str, position: int) -> None:
    def key(element: int) -> int:
        if element == position:
            raise ValueError("mine")
        return element

    source, subscriber = CountedIterable(list(range(4))), RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.from_iterable(source), method)(key).subscribe(subscriber)
    assert subscriber.outcome == (list(range(position)), "ValueError('mine')")
    assert source.is_closed


def test_key_that_cannot_be_hashed_ends_the_stream() -> None:
    passed, end = outcome(Stream.just(1, [2], 3).distinct())
    assert passed == [1]
    assert "unhashable type: 'list'" in end


def test_key_whose_hash_or_comparison_raises_ends_the_stream() -> None:
    class Bad:
        def __init__(self, fails: str) -> None:
            self.fails = fails

        def __hash__(self) -> int:
            if self.fails == "hash":
                raise ValueError("hash")
            return 1

        def __eq__(self, other: object) -> bool:
            raise ValueError("eq")

    assert outcome(Stream.just(Bad("hash")).distinct())[1] == "ValueError('hash')"
    first = Bad("eq")
    assert outcome(Stream.just(first, Bad("eq")).distinct()) == ([first], "ValueError('eq')")
    assert outcome(Stream.just(first, Bad("eq")).distinct_until_changed()) == ([first], "ValueError('eq')")


def test_one_key_more_than_the_bound_is_an_error_that_names_the_remedy() -> None:
    source = CountedIterable([1, 2, 1, 3, 4])
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.from_iterable(source).distinct(max_keys=2).bind(subscriber)
    handle.initialize()
    assert subscriber.elements == [1, 2]
    assert isinstance(subscriber.error, CapacityError)
    assert str(subscriber.error) == (
        "distinct(max_keys=2): 3 would be key 3; raise max_keys, use a coarser key, or distinct_until_changed() where "
        "equal elements follow each other"
    )
    assert (source.taken, source.is_closed) == (4, True)
    start(Stream.from_iterable([1]).distinct(max_keys=2).bind(RecordingSubscriber()), save(handle))


def test_state_with_more_keys_than_the_bound_is_refused() -> None:
    handle = Stream.range(9).distinct().bind(RecordingSubscriber(first_request=5))
    handle.initialize()
    with pytest.raises(StateError, match="cannot load 5 keys with max_keys=4"):
        start(Stream.range(9).distinct(max_keys=4).bind(RecordingSubscriber()), save(handle))


def test_keys_are_saved() -> None:
    handle = Stream.just("a", "bb", "c", "dd").distinct(len).bind(RecordingSubscriber(first_request=2))
    handle.initialize()
    assert fields_of(handle.inputs[0]) == [False, {1, 2}]
    changed = Stream.just("a", "bb", "cc").distinct_until_changed(len).bind(RecordingSubscriber(first_request=2))
    changed.initialize()
    assert fields_of(changed.inputs[0]) == [False, 2, True]


def test_keys_of_an_ended_stream_are_let_go() -> None:
    handle = Stream.range(9).distinct().bind(RecordingSubscriber(first_request=UNBOUNDED))
    handle.initialize()
    assert fields_of(handle.inputs[0]) == [True, set()]


def test_last_element_that_passed_is_what_a_new_one_is_compared_with() -> None:
    seen: list[tuple[int, int]] = []

    def close(last: int, new: int) -> bool:
        seen.append((last, new))
        return abs(new - last) < 5

    assert Stream.just(20, 22, 24, 26, 27).distinct_until_changed(comparer=close).to_list() == [20, 26]
    assert seen == [(20, 22), (20, 24), (20, 26), (26, 27)]


def test_same_object_is_the_same_even_where_it_does_not_equal_itself() -> None:
    nan = float("nan")
    assert Stream.just(nan, nan).distinct_until_changed().count() == 1
    assert Stream.just(nan, float("nan")).distinct_until_changed().count() == 2


@pytest.mark.parametrize("position", [1, 3])
def test_comparer_that_raises_ends_the_stream(position: int) -> None:
    def comparer(last: int, new: int) -> bool:
        if new == position:
            raise ValueError("mine")
        return False

    assert outcome(Stream.range(4).distinct_until_changed(comparer=comparer)) == (
        list(range(position)),
        "ValueError('mine')",
    )


def test_one_requested_element_is_found_behind_many_dropped_ones() -> None:
    for method in ("distinct", "distinct_until_changed"):
        subscriber = RecordingSubscriber(first_request=2)
        getattr(Stream.range(100_000), method)(lambda element: element == 99_998).subscribe(subscriber)
        assert subscriber.outcome == ([0, 99_998], "open")


@pytest.mark.parametrize("value", [0, -1, 2**70])
def test_bound_out_of_bounds_is_refused_when_the_stream_is_built(value: int) -> None:
    with pytest.raises(ArgumentError, match=rf"distinct\(max_keys\) needs a count from 1 to .*, got {value}; "):
        Stream.just(1).distinct(max_keys=value)


@pytest.mark.parametrize("value", [None, 1.5, True])
def test_bound_that_is_no_integer_is_refused_when_the_stream_is_built(value: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"distinct\(max_keys\) needs an integer, got"):
        Stream.just(1).distinct(max_keys=value)


def test_what_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"distinct\(key\) needs a callable, got 3 \(int\)"):
        Stream.just(1).distinct(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match=r"distinct_until_changed\(key\) needs a callable, got 3 \(int\)"):
        Stream.just(1).distinct_until_changed(3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match=r"distinct_until_changed\(comparer\) needs a callable, got 3 \(int\)"):
        Stream.just(1).distinct_until_changed(comparer=3)  # type: ignore[arg-type]
