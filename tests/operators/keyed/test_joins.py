"""join and group_join: elements of two streams that have the same key, and times that are near each other."""

import datetime as dt
import itertools
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.operators.keyed.joins import DEFAULT_MAX_HELD
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract

TIME, KEY = itemgetter(0), itemgetter(1)

Timed = tuple[float, Any]
"""A time and a key."""

IN_ORDER: list[Timed] = [
    (1, "b"), (3, "a"), (8, "b"), (9, "a"), (12, "a"), (14, "b"), (18, "b"), (23, "a"), (29, "a"), (31, "a"),
    (44, "c"), (47, "b"),
]  # fmt: skip


def keyed(stream: Any, lateness: float = 0) -> Any:
    return stream.with_timestamps(TIME, max_lateness=lateness).key_by(KEY)


class TestGroupJoinOfNothing(OperatorContract, StateContract):
    elements = IN_ORDER
    reads_ahead = 12

    def subject(self) -> Pipeline[Any, Any]:
        chain: Pipeline[Any, Any] = keyed(pipeline()).group_join(keyed(Stream.empty()), within=5)
        return chain

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [(element, []) for element in elements[:-1]]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [(element, []) for element in elements[-1:]]


class TestJoinOfNothing(OperatorContract, StateContract):
    elements = IN_ORDER
    reads_ahead = 3
    # Upstream may send as many as it likes: each that is taken makes room for another.
    test_publisher_that_sends_without_demand_is_cancelled = None  # type: ignore[assignment]

    def subject(self) -> Pipeline[Any, Any]:
        chain: Pipeline[Any, Any] = keyed(pipeline()).join(keyed(Stream.empty()), within=5, prefetch=3)
        return chain

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    test_state_is_not_saved_while_elements_flow = None  # type: ignore[assignment]  # nothing comes before the end


class Inputs:
    """A join with both inputs in hand."""

    def __init__(self, method: str, request: int = UNBOUNDED, lateness: float = 0, **arguments: Any) -> None:
        self.inputs = ManualPublisher(), ManualPublisher()
        left, right = (keyed(Stream.from_publisher(each, recovery="exact"), lateness) for each in self.inputs)
        self.subscriber = RecordingSubscriber(first_request=request)
        self.handle = getattr(left, method)(right, **arguments).bind(self.subscriber)

    def initialized(self) -> "Inputs":
        self.handle.initialize()
        return self

    def after(self, other: "Inputs") -> "Inputs":
        """Go on with the state of another one."""
        load_tree(self.handle, save_tree(other.handle))
        return self.initialized()

    def play(self, *signals: tuple[int, Timed | None]) -> None:
        """Send elements of an input, or with None its end."""
        for index, element in signals:
            if element is None:
                self.inputs[index].complete()
            else:
                self.inputs[index].send(element)

    def ask_one_by_one(self) -> None:
        while not self.subscriber.has_ended:
            before = len(self.subscriber.elements)
            self.subscriber.request(1)
            if len(self.subscriber.elements) == before:
                return


# --- what is joined, by the definition ----------------------------------------------------------------------------


def in_time(elements: list[Timed], lateness: float) -> list[Timed]:
    latest = itertools.accumulate((time for time, _ in elements), max)
    return [each for each, most in zip(elements, latest, strict=True) if each[0] >= most - lateness]


def grouped(lefts: list[Timed], rights: list[Timed], within: tuple[float, float]) -> list[tuple[Timed, list[Timed]]]:
    def partners(left: Timed) -> list[Timed]:
        near = [each for each in rights if each[1] == left[1] and within[0] <= each[0] - left[0] <= within[1]]
        return sorted(near, key=TIME)

    return [(left, partners(left)) for left in sorted(lefts, key=TIME)]


def flattened(groups: list[tuple[Timed, list[Timed]]]) -> list[tuple[Timed, Timed]]:
    return [(left, right) for left, rights in groups for right in rights]


TIMED = st.lists(st.tuples(st.integers(0, 30), st.sampled_from("ab")), max_size=14)


@st.composite
def scripts(draw: st.DrawFn) -> list[tuple[int, Timed | None]]:
    """Both inputs with their ends, in any interleaving."""
    left, right = ([*draw(TIMED), None] for _ in range(2))
    order = draw(st.permutations([0] * len(left) + [1] * len(right)))
    rest = [iter(left), iter(right)]
    return [(index, next(rest[index])) for index in order]


def sent(script: list[tuple[int, Timed | None]], index: int) -> list[Timed]:
    return [element for side, element in script if side == index and element is not None]


@given(
    script=scripts(),
    ends=st.tuples(st.integers(-9, 9), st.integers(-9, 9)).map(sorted).map(tuple),
    lateness=st.integers(0, 8),
    saved_at=st.integers(0, 30),
    one_by_one=st.booleans(),
    method=st.sampled_from(["join", "group_join"]),
)
def test_results_are_those_of_the_definition_however_the_inputs_interleave(
    script: list[tuple[int, Timed | None]],
    ends: Any,
    lateness: int,
    saved_at: int,
    one_by_one: bool,
    method: str,
) -> None:
    late: list[Timed] = []
    arguments: dict[str, Any] = {"within": ends, "lateness": lateness, "late": late.append}
    before = Inputs(method, 0 if one_by_one else UNBOUNDED, **arguments).initialized()
    before.play(*script[:saved_at])
    if one_by_one:
        before.subscriber.request(1)
    after = Inputs(method, 0 if one_by_one else UNBOUNDED, **arguments).after(before)
    after.play(*script[saved_at:])
    if one_by_one and not before.subscriber.has_ended:
        after.ask_one_by_one()
    results = before.subscriber.elements + after.subscriber.elements
    lefts, rights = (in_time(sent(script, index), lateness) for index in range(2))
    expected = grouped(lefts, rights, ends)
    if method == "group_join":
        assert results == expected
    else:
        assert sorted(results) == sorted(flattened(expected))
    assert before.subscriber.is_complete or after.subscriber.is_complete
    all_late = [*sent(script, 0), *sent(script, 1)]
    for each in lefts + rights:
        all_late.remove(each)
    assert sorted(late) == sorted(all_late)


# --- when it is passed on, and what is held -----------------------------------------------------------------------


def test_pair_passes_as_soon_as_both_are_there() -> None:
    inputs = Inputs("join", within=5).initialized()
    inputs.play((1, (3, "a")), (0, (1, "a")))
    assert inputs.subscriber.elements == [((1, "a"), (3, "a"))]
    inputs.play((1, (6, "a")), (1, (7, "a")))
    assert inputs.subscriber.elements[1:] == [((1, "a"), (6, "a"))]


def test_group_passes_when_neither_a_partner_nor_an_earlier_element_can_come() -> None:
    inputs = Inputs("group_join", within=(0, 5)).initialized()
    inputs.play((0, (1, "a")), (1, (2, "a")), (1, (7, "b")))
    assert inputs.subscriber.elements == []  # another left element may come at 1
    inputs.play((0, (2, "a")))
    assert inputs.subscriber.elements == [((1, "a"), [(2, "a")])]
    inputs.play((1, None), (0, (2, "b")), (0, None))
    assert inputs.subscriber.elements[1:] == [((2, "a"), [(2, "a")]), ((2, "b"), [(7, "b")])]
    assert inputs.subscriber.is_complete


def test_partners_of_the_same_time_are_in_the_order_in_which_they_came_also_after_a_load() -> None:
    before = Inputs("group_join", within=5).initialized()
    before.play((1, (3, ("a", "first"))), (1, (3, ("a", "second"))))
    assert before.handle is not None
    rows = [(3, "a", number) for number in range(4)]

    def built(request: int) -> Any:
        first, second = ManualPublisher(), ManualPublisher()
        subscriber = RecordingSubscriber(first_request=request)
        left, right = (keyed(Stream.from_publisher(each, recovery="exact")) for each in (first, second))
        return first, second, subscriber, left.group_join(right, within=5).bind(subscriber)

    _, right, _, handle = built(UNBOUNDED)
    handle.initialize()
    right.send(*rows)
    left, right, subscriber, after = built(UNBOUNDED)
    load_tree(after, save_tree(handle))
    after.initialize()
    left.send((1, "a", "left"))
    left.complete()
    right.complete()
    assert subscriber.outcome == ([((1, "a", "left"), rows)], "complete")


def held(handle: Any) -> tuple[int, int]:
    """Return how many elements of each input a join holds."""
    facts: list[dict[str, Any]] = []
    node = handle
    while node is not None:
        facts += [node.inspect()]
        node = node.inputs[0] if node.inputs else None
    return next(each["held"] for each in facts if "held" in each)


@pytest.mark.parametrize("method", ["join", "group_join"])
def test_no_more_is_held_than_what_may_have_a_partner(method: str) -> None:
    inputs = Inputs(method, within=(-2, 4), lateness=3).initialized()
    for time in range(1000):
        inputs.play((0, (time, time % 7)), (1, (time, time % 7)))
        assert max(held(inputs.handle)) <= 2 + 4 + 2 * 3 + 2
    inputs.play((0, None))
    assert held(inputs.handle)[1] == 0 or method == "group_join"
    inputs.play((1, None))
    assert inputs.subscriber.is_complete


def test_elements_of_an_input_are_not_held_after_the_end_of_the_other() -> None:
    inputs = Inputs("join", within=5).initialized()
    inputs.play((0, (1, "a")), (1, (2, "a")), (0, None), (1, (3, "a")))
    assert inputs.subscriber.elements == [((1, "a"), (2, "a")), ((1, "a"), (3, "a"))]
    assert held(inputs.handle) == (1, 0)


@pytest.mark.parametrize("full", [0, 1])
@pytest.mark.parametrize("method", ["join", "group_join"])
def test_input_of_which_too_much_is_held_waits_until_the_other_one_has_come_further(method: str, full: int) -> None:
    inputs = Inputs(method, within=0, max_held=3, prefetch=4).initialized()
    inputs.play(*[(full, (time, "a")) for time in range(9) if time < 6])
    assert inputs.inputs[full].requested <= 4 + 3 + 3
    requested = inputs.inputs[full].requested
    inputs.play(*[(1 - full, (time, "a")) for time in range(6)])
    assert inputs.inputs[full].requested > requested
    inputs.play((0, None), (1, None))
    rows = inputs.subscriber.elements
    pairs = rows if method == "join" else flattened(rows)
    assert pairs == [((time, "a"), (time, "a")) for time in range(6)]
    assert inputs.subscriber.is_complete


def test_dense_input_waits_for_a_sparse_one() -> None:
    dense = Stream.range(10_000).map(lambda n: (n / 100, "a"))
    sparse = Stream.range(100).map(lambda n: (float(n), "a"))
    joined = keyed(dense).join(keyed(sparse), within=0, max_held=500)
    assert [left for left, _ in joined.to_list(timeout_seconds=60)] == [(float(n), "a") for n in range(100)]


@pytest.mark.parametrize("method", ["join", "group_join"])
def test_stream_fails_where_both_inputs_hold_too_much(method: str) -> None:
    inputs = Inputs(method, within=100, max_held=2).initialized()
    inputs.play(*[(index, (time, "a")) for time in range(3) for index in range(2)])
    assert isinstance(inputs.subscriber.error, CapacityError)
    assert f"{method}(max_held=2) are held" in str(inputs.subscriber.error)
    assert [each.cancels for each in inputs.inputs] == [1, 1]


def test_group_join_fails_where_its_own_lateness_holds_too_much() -> None:
    inputs = Inputs("group_join", within=0, max_held=2, lateness=50).initialized()
    inputs.play((1, None), (0, (1, "a")), (0, (2, "a")), (0, (3, "a")))
    assert "would be number 3 of the left input" in str(inputs.subscriber.error)


def test_inputs_in_other_threads_have_the_same_groups() -> None:
    lefts = [(float(number), number % 5) for number in range(3000)]
    rights = [(number * 1.5, number % 5) for number in range(2000)]
    with WorkerScheduler(name="a") as a, WorkerScheduler(name="b") as b:
        left, right = Stream.from_iterable(lefts).observe_on(a), Stream.from_iterable(rights).observe_on(b)
        groups = keyed(left).group_join(keyed(right), within=4).to_list(timeout_seconds=60)
        pairs = keyed(left).join(keyed(right), within=4).to_list(timeout_seconds=60)
    expected = keyed(Stream.from_iterable(lefts)).group_join(keyed(Stream.from_iterable(rights)), within=4).to_list()
    assert groups == expected
    assert sorted(pairs) == sorted(flattened(expected))
    assert len(pairs) > 1000


# --- demand and ends ------------------------------------------------------------------------------------------------


def test_results_of_one_element_pass_as_they_are_requested_and_hold_up_both_inputs() -> None:
    inputs = Inputs("join", 1, within=9, prefetch=4).initialized()
    inputs.play((0, (1, "a")), (0, (2, "a")), (0, (3, "a")), (1, (2, "a")), (1, (3, "a")))
    assert inputs.subscriber.elements == [((1, "a"), (2, "a"))]
    inputs.subscriber.request(1)
    assert len(inputs.subscriber.elements) == 2
    inputs.play((0, None), (1, None))
    assert not inputs.subscriber.has_ended
    inputs.subscriber.request(4)
    assert len(inputs.subscriber.elements) == 6
    assert inputs.subscriber.is_complete


def test_error_of_an_input_comes_after_the_results_of_its_elements() -> None:
    inputs = Inputs("join", 1, within=9).initialized()
    inputs.play((0, (1, "a")), (0, (2, "a")), (1, (2, "a")))
    inputs.inputs[1].fail(ValueError("why"))
    assert inputs.subscriber.outcome == ([((1, "a"), (2, "a"))], "open")
    inputs.subscriber.request(1)
    assert inputs.subscriber.outcome == ([((1, "a"), (2, "a")), ((2, "a"), (2, "a"))], "ValueError('why')")
    assert inputs.inputs[0].cancels == 1


def test_results_and_ends_that_wait_for_demand_are_saved_and_loaded() -> None:
    before = Inputs("join", 1, within=9).initialized()
    before.play((0, (1, "a")), (0, (2, "a")), (0, (3, "a")), (1, (2, "a")), (0, None), (1, None))
    after = Inputs("join", 0, within=9).after(before)
    assert after.subscriber.outcome == ([], "open")
    after.subscriber.request(2)
    assert after.subscriber.outcome == ([((2, "a"), (2, "a")), ((3, "a"), (2, "a"))], "complete")


def test_cancel_reaches_both_inputs() -> None:
    inputs = Inputs("join", within=9).initialized()
    inputs.play((0, (1, "a")))
    inputs.subscriber.cancel()
    assert [each.cancels for each in inputs.inputs] == [1, 1]
    assert held(inputs.handle) == (0, 0)


# --- times, keys and late elements -----------------------------------------------------------------------------------


def test_datetimes_are_joined() -> None:
    start = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
    left, right = ([(start + dt.timedelta(minutes=minute), "a") for minute in minutes] for minutes in ([0, 10], [1, 4]))
    joined = keyed(Stream.from_iterable(left)).join(keyed(Stream.from_iterable(right)), within=dt.timedelta(minutes=3))
    assert joined.to_list() == [(left[0], right[0])]


def test_times_of_two_kinds_are_refused() -> None:
    naive = dt.datetime(2026, 3, 1)  # noqa: DTZ001  # the kind that is wrong here
    joined = keyed(Stream.just((1, "a"))).join(keyed(Stream.just((naive, "a"))), within=3)
    with pytest.raises(ArgumentTypeError, match="before or in the other input; their order is unknown"):
        joined.to_list()


def test_time_that_is_none_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"with_timestamps\(timestamp\) must return a datetime or seconds"):
        keyed(Stream.just(("soon", "a"))).join(keyed(Stream.empty()), within=3).to_list()


def test_key_that_cannot_be_hashed_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"key_by\(key\) must return something that can be hashed, got \['a'\]"):
        keyed(Stream.just((1, ["a"]))).join(keyed(Stream.empty()), within=3).to_list()


def test_error_of_a_function_ends_the_stream() -> None:
    inputs = Inputs("join", within=9).initialized()
    inputs.inputs[1].send((1,))
    assert isinstance(inputs.subscriber.error, IndexError)
    assert [each.cancels for each in inputs.inputs] == [1, 1]


def test_late_element_goes_to_the_hook() -> None:
    inputs = Inputs("join", within=100, lateness=2).initialized()
    with recorded_drops() as drops:
        inputs.play((0, (10, "a")), (1, (1, "a")), (0, (7, "a")))
    assert inputs.subscriber.elements == [((10, "a"), (1, "a"))]
    ((signal, element, origin),) = drops
    assert (signal, element) == ("on_next", (7, "a"))
    assert "it came 1 s later than with_timestamps(max_lateness) of its input allows" in str(origin)


# --- what is refused when the stream is built ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("within", "error", "message"),
    [
        (-1, ArgumentError, r"join\(within\) needs 0 or more, got -1"),
        ("1", ArgumentTypeError, r"join\(within\) needs seconds or a timedelta, got '1'"),
        (True, ArgumentTypeError, r"join\(within\) needs seconds or a timedelta, got True"),
        ((1,), ArgumentTypeError, r"join\(within\) needs a time or a pair of times, got 1 of them"),
        ((0, "1"), ArgumentTypeError, r"join\(within\) needs seconds or a timedelta, got '1'"),
        ((3, 1), ArgumentError, r"join\(within\) needs the lesser time first, got \(3, 1\)"),
        (float("nan"), ArgumentError, r"join\(within\) needs at most"),
    ],
)
def test_wrong_distance_is_refused(within: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}"):
        keyed(Stream.empty()).join(keyed(Stream.empty()), within=within)


@pytest.mark.parametrize("method", ["join", "group_join"])
def test_other_without_times_and_keys_is_refused(method: str) -> None:
    for other in (Stream.empty(), [1], keyed(pipeline())):
        with pytest.raises(ArgumentTypeError, match=rf"^{method}\(other\) needs a stream with times and keys, got "):
            getattr(keyed(Stream.empty()), method)(other, within=1)


@pytest.mark.parametrize("name", ["max_held", "prefetch"])
def test_bound_out_of_bounds_is_refused(name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"^group_join\({name}\) needs a count from 1 to "):
        keyed(Stream.empty()).group_join(keyed(Stream.empty()), within=1, **{name: 0})


def test_late_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"^join\(late\) needs a callable, got 3"):
        keyed(Stream.empty()).join(keyed(Stream.empty()), within=1, late=3)


def test_calls_are_written_as_one_would_write_them() -> None:
    left, right = (Stream.empty().with_timestamps(float, max_lateness=2).key_by(repr) for _ in range(2))
    chain = "Stream.empty().with_timestamps(float, max_lateness=2).key_by(repr)"
    assert str(left.join(right, within=3)) == f"{chain}.join({chain}, within=3)"
    described = str(left.group_join(right, within=(-1, dt.timedelta(minutes=1)), max_held=5, prefetch=2))
    assert described == f"{chain}.group_join({chain}, within=(-1, 60), max_held=5, prefetch=2)"
    assert DEFAULT_MAX_HELD == 65_536


# --- states that are none of a join ---------------------------------------------------------------------------------


def test_state_of_another_join_is_refused() -> None:
    before = Inputs("join", within=3).initialized()
    with pytest.raises(StateError, match="build the same stream, or start without state"):
        load_tree(Inputs("join", within=4).handle, save_tree(before.handle))


def test_state_of_more_than_may_be_held_is_refused() -> None:
    before = Inputs("join", within=3).initialized()
    before.play((0, (1, "a")), (0, (2, "a")))
    with pytest.raises(StateError, match="more elements were saved than max_held=1"):
        load_tree(Inputs("join", within=3, max_held=1).handle, save_tree(before.handle))
