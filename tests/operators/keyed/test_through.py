"""key_by(...).through, and the other methods where keys expire: operators of each key's own."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    CapacityError,
    EmptyStreamError,
    NullElementError,
    StateError,
)
from reactivestreams.operators.keyed import chains as keyed_chains
from reactivestreams.schedulers import ImmediateScheduler
from reactivestreams.state import load_tree, save_tree
from rs_core.operators.python_operator import PythonStage
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


def remainder(element: int) -> int:
    return element % 3


class KeyedContract(OperatorContract, StateContract, SerializableContract):
    """What holds for each of them; one element is read ahead where an element brings more than was requested."""

    reads_ahead = 12
    state_version = (1, 1, 0, 0)

    def by_key(self) -> Any:
        return pipeline().key_by(remainder)


class TestThroughThatSendsMore(KeyedContract):
    def subject(self) -> Pipeline[Any, Any]:
        return self.by_key().through(pipeline().flat_map(lambda element: [element] * (element % 4)).scan(max, -1))

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element for element in elements for _ in range(element % 4)]


class TestExpiring(KeyedContract):
    """Keys are over three elements after their last one; every third element is of a key that comes back."""

    def subject(self) -> Pipeline[Any, Any]:
        return (
            pipeline()
            .key_by(lambda element: element // 2)
            .expire_after(3, event_time=lambda element: element)
            .reduce(lambda group, element: [*group, element], ())
        )

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [(last // 2, [last - 1, last]) for last in elements if last % 2 and last + 3 < elements[-1]]

    def left_over(self, elements: list[Any]) -> list[Any]:
        open_keys = sorted({element // 2 for element in elements} - {key for key, _ in self.passed_on(elements)})
        return [(key, [element for element in elements if element // 2 == key]) for key in open_keys]


class Doubling(PythonStage[int, int]):
    """Sends what it has counted, doubled."""

    name = "test/doubling"

    def __init__(self) -> None:
        self.count = 0

    def on_next(self, element: int) -> None:
        self.count += 1
        self.emit(2 * self.count)


def test_operator_of_ones_own_has_an_instance_for_each_key() -> None:
    assert Stream.just(1, 2, 1, 1).key_by(lambda element: element).through(Doubling).to_list() == [2, 2, 4, 6]


def test_scan_with_an_end_of_keys_begins_again() -> None:
    stream = Stream.just(1, 2, 9, 10).key_by(lambda element: "all").expire_after(5, event_time=lambda element: element)
    assert stream.scan(lambda total, element: total + element, 0).to_list() == [1, 3, 9, 19]


class TestExpiringInDisorder(KeyedContract):
    """Neighbors have changed places; each element waits until the time is one beyond it."""

    elements: ClassVar[list[Any]] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10]

    def subject(self) -> Pipeline[Any, Any]:
        by_pair = pipeline().key_by(lambda element: element // 2)
        expiring = by_pair.expire_after(3, event_time=lambda element: element, lateness=1)
        return expiring.reduce(lambda group, element: [*group, element], ())

    def passed_on(self, elements: list[Any]) -> list[Any]:
        watermark = max(elements, default=0) - 1
        return [(last // 2, [last - 1, last]) for last in sorted(elements) if last % 2 and last + 3 < watermark]

    def left_over(self, elements: list[Any]) -> list[Any]:
        open_keys = sorted({element // 2 for element in elements} - {key for key, _ in self.passed_on(elements)})
        return [(key, [element for element in sorted(elements) if element // 2 == key]) for key in open_keys]


def of_rows(rows: Iterable[Any], **arguments: Any) -> Any:
    """Return a keyed stream of rows of key and time, whose keys end after 10 seconds."""
    by_key = Stream.from_iterable(rows).key_by(lambda row: row[0])
    return by_key.expire_after(10, event_time=lambda row: row[1], **arguments)


def sessions_of(rows: Iterable[tuple[str, int]], idle: int) -> list[tuple[str, list[int]]]:
    """Return the sessions of some rows by their definition: times of a key that are no more than `idle` apart."""
    found: list[tuple[str, list[int]]] = []
    for key in sorted({key for key, _ in rows}):
        times = sorted(time for name, time in rows if name == key)
        starts = [0, *(place for place in range(1, len(times)) if times[place] - times[place - 1] > idle), len(times)]
        found += [(key, times[start:stop]) for start, stop in pairwise(starts)]
    return sorted(found)


@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(-50, 200), st.floats(0, 1, exclude_max=True)), max_size=40
    ),
    lateness=st.integers(0, 60),
)
def test_any_order_within_lateness_gives_the_sessions_of_the_sorted_elements(
    rows: list[tuple[str, int, float]], lateness: int
) -> None:
    """A row comes by less than the lateness behind its time: so at most by that behind a later one."""
    came = [(key, time) for key, time, late in sorted(rows, key=lambda row: row[1] + row[2] * lateness)]
    gathered = of_rows(came, lateness=lateness).reduce(lambda times, row: [*times, row[1]], [])

    with recorded_drops() as drops:
        assert sorted(gathered.to_list()) == sessions_of(came, 10)
    assert drops == []


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 60)), max_size=30), st.integers(0, 60))
def test_key_gets_the_same_whatever_other_keys_there_are(rows: list[tuple[str, int]], lateness: int) -> None:
    """Within the lateness, which is as long as all times together or bounded by the order."""
    rows = sorted(rows, key=lambda row: row[1])
    together = of_rows(rows, lateness=lateness).reduce(lambda times, row: [*times, row[1]], []).to_list()
    alone = [
        session
        for name in "abc"
        for session in of_rows([row for row in rows if row[0] == name], lateness=lateness)
        .reduce(lambda times, row: [*times, row[1]], [])
        .to_list()
    ]
    assert sorted(together) == sorted(alone)


def test_element_at_the_very_end_of_its_key_goes_on_with_it() -> None:
    assert of_rows([("a", 0), ("b", 10), ("a", 10), ("a", 20.001)]).count().to_list() == [("a", 2), ("b", 1), ("a", 1)]


def test_element_before_the_watermark_goes_to_the_hook_for_dropped_signals() -> None:
    rows = [("a", 0), ("b", 12), ("a", 1), ("b", 20)]
    with recorded_drops() as drops:
        assert of_rows(rows).count().to_list() == [("a", 1), ("b", 2)]
    [(signal, element, origin)] = drops
    assert (signal, element) == ("on_next", ("a", 1))
    assert re.search(r"keyed: its time is 11 s before the watermark.*raise lateness", origin)

    with recorded_drops() as drops:
        assert of_rows(rows, lateness=11).count().to_list() == [("a", 2), ("b", 2)]
    assert drops == []


def test_elements_that_wait_are_bounded() -> None:
    rows = [("a", time) for time in range(6)]
    assert of_rows(rows, lateness=3, max_waiting=3).count().to_list() == [("a", 6)]
    with pytest.raises(CapacityError, match=r"3 elements wait until .*max_waiting=2.*; raise max_waiting"):
        of_rows(rows, lateness=3, max_waiting=2).count().to_list()


@pytest.mark.slow
def test_many_keys_that_end_at_once_wait_for_demand_one_by_one() -> None:
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    source = [(0, key) for key in range(20_000)] + [(100, "last")]
    by_key = Stream.from_iterable(source).key_by(lambda row: row[1]).expire_after(5, event_time=lambda row: row[0])
    by_key.count().subscribe(subscriber)
    assert subscriber.outcome == ([(key, 1) for key in range(20_000)] + [("last", 1)], "complete")


def test_chains_beyond_the_bound_become_bytes_and_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyed_chains, "LIVE_CHAINS", 4)
    elements = list(range(60)) * 3
    stream = Stream.from_iterable(elements).key_by(lambda element: element % 20).buffer(9)
    assert stream.to_list() == [[key, key + 20, key + 40] * 3 for key in range(20)]


@pytest.mark.parametrize("expiring", [False, True])
def test_results_of_a_key_come_before_the_error_that_follows_them(expiring: bool) -> None:
    """Inside a key as without keys: what the operators sent before they failed, and what other keys' ends brought."""

    def doubled_until_three(element: int) -> Iterator[int]:
        yield element
        if element == 3:
            raise KeyError(element)
        yield element

    keyed = Stream.from_iterable([1, 2, 3, 4]).key_by(lambda element: element % 2)
    if expiring:
        keyed = keyed.expire_after(60, event_time=lambda element: element)
    doubled = RecordingSubscriber(first_request=UNBOUNDED)
    keyed.through(pipeline().flat_map(doubled_until_three)).subscribe(doubled)
    assert doubled.outcome == ([1, 1, 2, 2, 3], "KeyError(3)")

    lists = RecordingSubscriber(first_request=UNBOUNDED)
    of_four = Stream.from_iterable([0, 4, 1, 1, 1, 8]).key_by(lambda element: element % 4)
    of_four.through(pipeline().to_list(max_elements=2).map(lambda each: 6 // (4 - len(each)))).subscribe(lists)
    assert lists.outcome[0] == []  # the third element of a key fails while no key has ended

    ends = RecordingSubscriber(first_request=UNBOUNDED)
    of_two = Stream.from_iterable([0, 2, 1]).key_by(lambda element: element % 2)
    of_two.through(pipeline().to_list().map(lambda each: 6 // (len(each) - 1))).subscribe(ends)
    assert ends.outcome == ([6], "ZeroDivisionError('integer division or modulo by zero')")


def test_error_names_the_operator_inside() -> None:
    with pytest.raises(ZeroDivisionError) as failed:
        Stream.just(1, 0).key_by(lambda element: element).through(pipeline().map(lambda n: 1 // n)).to_list()
    assert "in rx://operators/map, assembled at" in failed.value.__notes__[0]


@pytest.mark.parametrize("position", [0, 1, 4])
def test_failing_key_ends_the_stream_after_the_results_before_it(position: int) -> None:
    def by_key(key: Callable[[int], Any]) -> RecordingSubscriber:
        subscriber = RecordingSubscriber(first_request=UNBOUNDED)
        Stream.range(9).key_by(key).through(pipeline().map(str)).subscribe(subscriber)
        return subscriber

    failed = by_key(lambda element: 1 // (element - position))
    unhashable = by_key(lambda element: [] if element == position else 0)
    assert failed.elements == unhashable.elements == [str(element) for element in range(position)]
    assert (type(failed.error), type(unhashable.error)) == (ZeroDivisionError, TypeError)


@pytest.mark.parametrize("requested", [1, 2, UNBOUNDED])
def test_what_is_dropped_below_costs_no_demand(requested: int) -> None:
    subscriber = RecordingSubscriber(first_request=requested)
    numbers = Stream.range(100).key_by(remainder).through(pipeline().flat_map(lambda number: (number, -number)))
    numbers.filter(lambda number: number % 10 == 5).subscribe(subscriber)
    expected = [signed for number in range(100) for signed in (number, -number) if signed % 10 == 5]
    assert subscriber.elements == expected[:requested]
    if requested != UNBOUNDED:
        subscriber.request(requested)
        assert subscriber.elements == expected[: 2 * requested]


def test_none_is_no_element_inside() -> None:
    with pytest.raises(NullElementError, match=r"§2\.13"):
        Stream.just(None).key_by(lambda element: 1).through(pipeline().take(1)).to_list()


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        (pipeline().take(0), []),
        (pipeline().take(0).append("nothing"), ["nothing"] * 3),
        (pipeline().skip(9).take(0), []),
    ],
)
def test_operators_that_complete_without_an_element_are_fed_none(chain: Any, expected: list[Any]) -> None:
    assert Stream.range(9).key_by(remainder).through(chain).to_list() == expected


def test_operators_of_a_key_that_subscribe_again_after_its_end_complete_each_time() -> None:
    keyed = Stream.just(1, 2).key_by(lambda number: number % 2)
    assert keyed.through(pipeline().repeat(2).append(7)).to_list() == [1, 2, 7, 7]
    with pytest.raises(EmptyStreamError):
        keyed.through(pipeline().skip(1).single().retry(1)).to_list()
    with pytest.raises(CapacityError, match=r"^the operators of key 1 subscribed again 1,000 times after its last"):
        keyed.through(pipeline().repeat()).to_list()


def test_operators_that_subscribe_again_get_the_next_elements_of_their_key() -> None:
    numbers = Stream.range(9).key_by(remainder)
    assert numbers.through(pipeline().take(1).repeat(2)).to_list() == [0, 1, 2, 3, 4, 5]
    assert numbers.through(pipeline().map(lambda number: 12 // (number - 3)).retry(1)).to_list() == [
        12 // (number - 3) for number in range(9) if number != 3
    ]


def test_operators_that_subscribe_again_go_on_after_a_recovery() -> None:
    def handle(subscriber: RecordingSubscriber) -> Any:
        return Stream.range(9).key_by(remainder).through(pipeline().take(1).repeat(2)).bind(subscriber)

    for position in range(6):
        before, after = RecordingSubscriber(first_request=position), RecordingSubscriber(first_request=UNBOUNDED)
        running, recovered = handle(before), handle(after)
        running.initialize()
        load_tree(recovered, save_tree(running))
        running.cancel()
        recovered.initialize()
        assert before.elements + after.elements == [0, 1, 2, 3, 4, 5]
        assert after.is_complete


def test_state_of_other_operators_is_refused() -> None:
    def handle(add: Callable[[Any], Any]) -> Any:
        return add(Stream.range(5).key_by(remainder).expire_after(60)).bind(RecordingSubscriber())

    before = handle(lambda keyed: keyed.take(2))
    before.initialize()
    before.request(3)
    state = save_tree(before)
    before.cancel()
    with pytest.raises(
        StateError, match=r"were rx://operators/take when this was saved, but are rx://operators/buffer"
    ):
        load_tree(handle(lambda keyed: keyed.buffer(2)), state)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda keyed: keyed.through(1), ArgumentTypeError, "needs a Pipeline or a subclass of PythonStage, got 1"),
        (lambda keyed: keyed.reduce(1, 0), ArgumentTypeError, "needs a callable, got 1"),
        (lambda keyed: keyed.buffer(0), ArgumentError, "got 0"),
        (lambda keyed: keyed.take(-1), ArgumentError, "got -1"),
        (lambda keyed: keyed.distinct(1), ArgumentTypeError, "needs a callable, got 1"),
        (lambda keyed: keyed.distinct(max_values=0), ArgumentError, "got 0"),
        (lambda keyed: keyed.aggregate(), ArgumentError, "needs one aggregate or more"),
        (lambda keyed: keyed.aggregate(x="median"), ArgumentError, "must be one of count, sum, min"),
        (lambda keyed: keyed.aggregate(x=3), ArgumentTypeError, "needs a kind or a pair"),
        (lambda keyed: keyed.aggregate(key="count"), ArgumentError, "take another name"),
        (lambda keyed: keyed.expire_after(0), ArgumentError, "needs more than 0 seconds"),
        (lambda keyed: keyed.expire_after("1 hour"), ArgumentTypeError, "needs seconds or a timedelta"),
        (lambda keyed: keyed.expire_after(float("nan")), ArgumentError, "at most 1,000,000,000 seconds"),
        (lambda keyed: keyed.expire_after(1, lateness=1), ArgumentError, "needs event_time"),
        (lambda keyed: keyed.expire_after(1, event_time=int, max_waiting=0), ArgumentError, "from 1 to"),
        (lambda keyed: keyed.expire_after(1, event_time=1), ArgumentTypeError, "needs a callable"),
        (
            lambda keyed: keyed.through(pipeline().observe_on(ImmediateScheduler())),
            ArgumentError,
            "operator observe_on, built at .* cannot be used inside",
        ),
    ],
)
def test_bad_argument_is_refused_when_the_stream_is_built(build: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        build(Stream.just(1).key_by(remainder))


def test_time_that_is_none_ends_the_stream() -> None:
    stream = Stream.just(1).key_by(remainder).expire_after(1, event_time=lambda element: "noon")
    with pytest.raises(ArgumentTypeError, match="must return a datetime or seconds since 1970, got 'noon'"):
        stream.count().to_list()


def test_description_is_written_as_it_was_built() -> None:
    keyed = pipeline().key_by(remainder, max_keys=9).expire_after(60)
    assert repr(keyed.take(3)) == "pipeline().key_by(remainder, max_keys=9).expire_after(60).take(3)"
    assert repr(keyed.count()) == "pipeline().key_by(remainder, max_keys=9).expire_after(60).count()"
    assert repr(keyed.distinct(abs)) == "pipeline().key_by(remainder, max_keys=9).expire_after(60).distinct(abs)"
