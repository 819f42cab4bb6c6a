"""reduce, count, aggregate, buffer, take and distinct behind key_by(...): compiled, and the same where keys expire."""

import pickle
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import CapacityError, StateError
from reactivestreams.state import load_tree, save_tree
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


def remainder(element: int) -> int:
    return element % 3


def groups(elements: list[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for element in elements:
        found.setdefault(element % 3, []).append(element)
    return found


class PerKeyContract(OperatorContract, StateContract, SerializableContract):
    """What holds for each of them."""

    reads_ahead = 12  # folds take all elements for the first request

    def by_key(self) -> Any:
        return pipeline().key_by(remainder)


class OfKeysThatExpire(PerKeyContract):
    """The same where keys could expire, and none does: other stages run then."""

    state_version = (1, 1, 0, 0)

    def by_key(self) -> Any:
        return pipeline().key_by(remainder).expire_after(36000)


class TestReduce(PerKeyContract):
    def subject(self) -> Pipeline[Any, Any]:
        return self.by_key().reduce(lambda total, element: total + element, 0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [(key, sum(group)) for key, group in groups(elements).items()]


class TestBuffer(PerKeyContract):
    def subject(self) -> Pipeline[Any, Any]:
        return self.by_key().buffer(3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        lists = []
        for position in range(len(elements)):
            group = groups(elements[: position + 1])[elements[position] % 3]
            if len(group) % 3 == 0:
                lists.append(group[-3:])
        return lists

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [group[-(len(group) % 3) :] for group in groups(elements).values() if len(group) % 3]


class TestTake(PerKeyContract):
    def subject(self) -> Pipeline[Any, Any]:
        return self.by_key().take(2)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element for position, element in enumerate(elements) if position < 6]


class TestDistinct(PerKeyContract):
    def subject(self) -> Pipeline[Any, Any]:
        return self.by_key().distinct(lambda element: element // 6)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        seen: set[tuple[int, int]] = set()
        fresh = []
        for element in elements:
            value = (element % 3, element // 6)
            if value not in seen:
                fresh.append(element)
            seen.add(value)
        return fresh


class TestCount(PerKeyContract):
    def subject(self) -> Pipeline[Any, Any]:
        return self.by_key().count()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [(key, len(group)) for key, group in groups(elements).items()]


class TestAggregate(PerKeyContract):
    def subject(self) -> Pipeline[Any, Any]:
        return self.by_key().aggregate(mean="mean", even=("max", lambda element: None if element % 2 else element))

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [
            {
                "key": key,
                "mean": sum(group) / len(group),
                "even": max((element for element in group if element % 2 == 0), default=None),
            }
            for key, group in groups(elements).items()
        ]


class TestReduceOfKeysThatExpire(OfKeysThatExpire, TestReduce):
    pass


class TestBufferOfKeysThatExpire(OfKeysThatExpire, TestBuffer):
    pass


class TestTakeOfKeysThatExpire(OfKeysThatExpire, TestTake):
    pass


class TestDistinctOfKeysThatExpire(OfKeysThatExpire, TestDistinct):
    pass


class TestCountOfKeysThatExpire(OfKeysThatExpire, TestCount):
    pass


class TestAggregateOfKeysThatExpire(OfKeysThatExpire, TestAggregate):
    pass


def test_count_and_aggregate_tell_each_key_once() -> None:
    rows = [("a", 4), ("b", 1), ("a", 8), ("b", None)]
    by_key = Stream.from_iterable(rows).key_by(lambda row: row[0])

    assert by_key.count().to_list() == [("a", 2), ("b", 2)]
    assert by_key.aggregate(
        rows="count",
        values=("count", lambda row: row[1]),
        total=("sum", lambda row: row[1]),
        least=("min", lambda row: row[1]),
        most=("max", lambda row: row[1]),
        mean=("mean", lambda row: row[1]),
        first=("first", lambda row: row[1]),
        last=("last", lambda row: row[1]),
    ).to_list() == [
        {"key": "a", "rows": 2, "values": 2, "total": 12, "least": 4, "most": 8, "mean": 6.0, "first": 4, "last": 8},
        {"key": "b", "rows": 2, "values": 1, "total": 1, "least": 1, "most": 1, "mean": 1.0, "first": 1, "last": 1},
    ]


def test_key_too_many_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just("a", "b", "a", "c").key_by(str, max_keys=2).take(5).subscribe(subscriber)
    assert subscriber.elements == ["a", "b", "a"]
    assert isinstance(subscriber.error, CapacityError)
    assert "key 'c' would be number 3, and key_by(max_keys=2) holds 2" in str(subscriber.error)


def test_value_too_many_for_distinct_ends_the_stream() -> None:
    with pytest.raises(CapacityError, match=r"value 3 would be number 3 of its key"):
        Stream.just(1, 2, 2, 3).key_by(lambda element: "all").distinct(max_values=2).to_list()


def test_take_of_no_element_passes_none_on() -> None:
    assert Stream.range(9).key_by(remainder).take(0).to_list() == []


def test_results_at_the_end_go_out_as_they_are_requested() -> None:
    subscriber = RecordingSubscriber()
    Stream.range(7).key_by(remainder).count().subscribe(subscriber)
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([(0, 3)], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([(0, 3), (1, 2)], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([(0, 3), (1, 2), (2, 2)], "complete")


def test_stream_without_elements_has_no_results() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.empty().key_by(remainder).count().subscribe(subscriber)
    assert subscriber.outcome == ([], "complete")


def test_none_is_an_ordinary_element_key_and_value() -> None:
    by_key = Stream.just(None, 1, None).key_by(lambda element: element)
    assert by_key.take(1).to_list() == [None, 1]
    assert by_key.distinct().to_list() == [None, 1]
    assert by_key.buffer(2).to_list() == [[None, None], [1]]
    assert by_key.count().to_list() == [(None, 2), (1, 1)]
    assert by_key.reduce(lambda _, element: element, 0).to_list() == [(None, None), (1, 1)]


def failing_at(key: Any) -> Any:
    def fail(*arguments: Any) -> Any:
        if arguments[-1] == key:
            raise ZeroDivisionError(f"of {key}")
        return arguments[0]

    return fail


@pytest.mark.parametrize(
    ("add", "passed_on"),
    [
        (lambda keyed: keyed.scan(failing_at(4), 7), [7, 7, 7, 7]),
        (lambda keyed: keyed.distinct(failing_at(4)), [0, 1, 2, 3]),
        (lambda keyed: keyed.reduce(failing_at(4), 7), []),
        (lambda keyed: keyed.aggregate(least=("min", failing_at(4))), []),
    ],
)
def test_error_of_a_function_names_operator_and_key(add: Any, passed_on: list[int]) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    stream = add(Stream.range(9).key_by(remainder))
    stream.subscribe(subscriber)
    assert subscriber.outcome == (passed_on, "ZeroDivisionError('of 4')")
    assert subscriber.error is not None
    assert subscriber.error.__notes__ == [
        f"in {stream.definition.id}, assembled at {stream.assembly}, for element 4",
        "at an element of key 1",
    ]


class OddTotal:
    """Can be added up, and not divided."""

    def __add__(self, other: object) -> "OddTotal":
        return self


def test_error_at_the_end_of_a_key_names_it() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    rows = [("a", 1), ("b", OddTotal())]
    Stream.from_iterable(rows).key_by(lambda row: row[0]).aggregate(mean=("mean", lambda row: row[1])).subscribe(
        subscriber
    )
    assert subscriber.elements == [{"key": "a", "mean": 1.0}]
    assert isinstance(subscriber.error, TypeError)
    assert "at an element of key 'b'" in subscriber.error.__notes__


@pytest.mark.parametrize("name", ["count", "take", "distinct", "buffer"])
def test_key_that_is_not_hashable_ends_the_stream(name: str) -> None:
    arguments = {"take": (1,), "buffer": (2,)}.get(name, ())
    stream = getattr(Stream.just(1, [2]).key_by(lambda element: element), name)(*arguments)
    with pytest.raises(TypeError, match="unhashable type: 'list'") as failed:
        stream.to_list()
    operator, remedy = failed.value.__notes__
    assert operator == f"in rx://operators/keyed_{name}, assembled at {stream.assembly}, for element [2]"
    assert remedy.startswith("keys are found by their hash, and so must be hashable: return a tuple in place of a list")


def test_subscription_has_states_of_its_own() -> None:
    for stream in (
        Stream.range(5).key_by(remainder).buffer(2),
        Stream.range(5).key_by(remainder).distinct(),
        Stream.range(5).key_by(remainder).take(1),
    ):
        assert stream.to_list() == stream.to_list()


def saved_after(stream: Stream[Any], requested: int) -> bytes:
    handle = stream.bind(RecordingSubscriber())
    handle.initialize()
    handle.request(requested)
    state = save_tree(handle)
    handle.cancel()
    return state


def test_keys_that_wait_for_demand_at_the_end_are_saved() -> None:
    stream = Stream.range(7).key_by(remainder).count()
    for passed_on in (1, 2):
        subscriber = RecordingSubscriber(first_request=UNBOUNDED)
        handle = stream.bind(subscriber)
        load_tree(handle, saved_after(stream, passed_on))
        handle.initialize()
        assert subscriber.outcome == ([(0, 3), (1, 2), (2, 2)][passed_on:], "complete")


@pytest.mark.parametrize(
    ("before", "after", "refusal"),
    [
        (lambda keyed: keyed.take(3), lambda keyed: keyed.take(1), r"cannot load 2 for key 0, for it needs a count"),
        (
            lambda keyed: keyed.distinct(),
            lambda keyed: keyed.distinct(max_values=1),
            r"cannot load \{.*\} for key 0, for it needs a set whose size is from 0 to 1",
        ),
        (
            lambda keyed: keyed.buffer(3),
            lambda keyed: keyed.buffer(2),
            r"cannot load \[2, 5\] for key 2, for it needs a list whose size is from 0 to 1",
        ),
    ],
)
def test_state_of_larger_bounds_is_refused(before: Any, after: Any, refusal: str) -> None:
    numbers = Stream.range(12)
    state = saved_after(before(numbers.key_by(remainder)), 4 if "count" in refusal or "set" in refusal else 2)
    with pytest.raises(StateError, match=refusal):
        load_tree(after(numbers.key_by(remainder)).bind(RecordingSubscriber()), state)


def test_more_keys_than_the_operator_holds_are_refused_when_a_state_is_loaded() -> None:
    state = saved_after(Stream.range(9).key_by(remainder).take(1), 3)
    with pytest.raises(StateError, match=r"cannot load 3 keys with max_keys=2; load the state with the bound"):
        load_tree(Stream.range(9).key_by(remainder, max_keys=2).take(1).bind(RecordingSubscriber()), state)


def test_aggregates_are_copied_by_pickle_and_shown() -> None:
    operator = pipeline().key_by(remainder).aggregate(rows="count", most=("max", abs)).operators[0]
    fold = operator.parameters[1]
    copied = pickle.loads(pickle.dumps(fold))
    assert copied(copied(copied.seed, -3), 2) == fold(fold(fold.seed, -3), 2) == (2, 3)
    assert repr(fold) == "rows='count', most=('max', abs)"


def test_description_is_written_as_it_was_built() -> None:
    keyed = pipeline().key_by(remainder, max_keys=9)
    assert repr(keyed.take(3)) == "pipeline().key_by(remainder, max_keys=9).take(3)"
    assert repr(keyed.distinct()) == "pipeline().key_by(remainder, max_keys=9).distinct()"
    assert repr(keyed.distinct(abs)) == "pipeline().key_by(remainder, max_keys=9).distinct(abs)"
    assert repr(keyed.aggregate(rows="count")) == "pipeline().key_by(remainder, max_keys=9).aggregate(rows='count')"
    assert repr(keyed.reduce(max, 0)) == "pipeline().key_by(remainder, max_keys=9).reduce(max, 0)"
