"""with_timestamps(...).key_by(...) with tumbling, sliding and session windows, against a model in plain Python."""

import datetime as dt
import math
import re
from operator import itemgetter
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Pipeline, Stream, TimeWindow, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.operators.keyed.event_windows import DEFAULT_MAX_WINDOWS
from reactivestreams.state import StateRegistry, load_tree, save_tree
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract
from tests.operators.keyed.windows_model import Model, Timed, windows_of

TIME, KEY = itemgetter(0), itemgetter(1)

OUT_OF_ORDER: list[Timed] = [
    (3, "a"), (1, "b"), (12, "a"), (9, "a"), (8, "b"), (14, "b"), (23, "a"), (18, "b"), (31, "a"), (29, "a"),
    (47, "b"), (44, "c"),
]  # fmt: skip
"""Elements of which none is more than 6 late."""


def keyed(stream: Any, lateness: float = 0) -> Any:
    return stream.with_timestamps(TIME, max_lateness=lateness).key_by(KEY)


class WindowsContract(OperatorContract, StateContract, SerializableContract):
    """What holds for each kind of windows."""

    elements = OUT_OF_ORDER
    reads_ahead = 12  # all elements for the first request

    def model(self) -> Model:
        raise NotImplementedError

    def windows(self) -> Any:
        return windows_of(keyed(pipeline(), self.model().lateness), self.model())

    def subject(self) -> Pipeline[Any, Any]:
        chain: Pipeline[Any, Any] = self.windows().to_list()
        return chain

    def value(self, elements: list[Timed]) -> Any:
        return elements

    def shown(self, windows: list[TimeWindow[Any]]) -> list[TimeWindow[Any]]:
        return [TimeWindow(each.key, each.start, each.end, self.value(each.value)) for each in windows]

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return self.shown(self.model().feed(elements).sent)

    def left_over(self, elements: list[Any]) -> list[Any]:
        model = self.model().feed(elements)
        return self.shown(model.finish().sent[len(self.passed_on(elements)) :])


class TestTumbling(WindowsContract):
    def model(self) -> Model:
        return Model(10, 10, lateness=6)


class TestSliding(WindowsContract):
    def model(self) -> Model:
        return Model(10, 4, lateness=6)


class TestSession(WindowsContract):
    def model(self) -> Model:
        return Model(4, lateness=6)


class TestUpdates(WindowsContract):
    def model(self) -> Model:
        return Model(10, 10, allowed=20)


class TestUpdatesOfSliding(WindowsContract):
    def model(self) -> Model:
        return Model(10, 5, allowed=20)


class TestCount(TestTumbling):
    def subject(self) -> Pipeline[Any, Any]:
        chain: Pipeline[Any, Any] = self.windows().count()
        return chain

    def value(self, elements: list[Timed]) -> Any:
        return len(elements)


class TestReduce(TestSliding):
    def subject(self) -> Pipeline[Any, Any]:
        chain: Pipeline[Any, Any] = self.windows().reduce(lambda total, element: total + element[0], 0)
        return chain

    def value(self, elements: list[Timed]) -> Any:
        return sum(time for time, _ in elements)


class TestAggregateOfSessions(TestSession):
    def subject(self) -> Pipeline[Any, Any]:
        chain: Pipeline[Any, Any] = self.windows().aggregate(
            count="count",
            total=("sum", TIME),
            least=("min", TIME),
            most=("max", TIME),
            mean=("mean", TIME),
            first=("first", TIME),
            last=("last", TIME),
        )
        return chain

    def value(self, elements: list[Timed]) -> Any:
        times = [time for time, _ in elements]
        return {
            "count": len(times),
            "total": sum(times),
            "least": min(times),
            "most": max(times),
            "mean": sum(times) / len(times),
            "first": times[0],
            "last": times[-1],
        }


# --- against the model ------------------------------------------------------------------------------------------------

TIMES = st.one_of(st.integers(-30, 60), st.integers(-60, 120).map(lambda half: half / 2))
ELEMENTS = st.lists(st.tuples(TIMES, st.sampled_from("abc")), max_size=40)
MODELS = st.one_of(
    st.builds(lambda size, late, kept: (size, size, late, kept), *([st.integers(1, 20)] * 3)),
    st.builds(
        lambda step, more, late, kept: (step + more, step, late, kept),
        st.integers(1, 8),
        st.integers(0, 20),
        st.integers(0, 9),
        st.sampled_from([0, 0, 7]),
    ),
    st.builds(lambda gap, late: (gap, 0, late, 0), st.integers(1, 12), st.integers(0, 9)),
)


@given(ELEMENTS, MODELS)
def test_windows_and_late_elements_are_those_of_the_model(elements: list[Timed], sizes: tuple[int, ...]) -> None:
    model, late = Model(*sizes), []
    found = windows_of(keyed(Stream.from_iterable(elements), model.lateness), model, late.append).to_list().to_list()
    model.feed(elements).finish()
    assert found == model.sent
    assert late == model.late


@given(ELEMENTS, MODELS, st.integers(0, 40), st.booleans())
def test_state_saved_anywhere_goes_on_as_if_nothing_had_been(
    elements: list[Timed], sizes: tuple[int, ...], position: int, is_folded: bool
) -> None:
    model, late = Model(*sizes), []

    def windows(source: Any) -> Any:
        added = windows_of(keyed(Stream.from_publisher(source, recovery="exact"), model.lateness), model, late.append)
        return added.count() if is_folded else added.to_list()

    def ran(part: list[Timed], state: bytes | None, *, ends: bool) -> tuple[list[Any], bytes]:
        feed, subscriber = Fed(), RecordingSubscriber(first_request=UNBOUNDED)
        handle = windows(feed).bind(subscriber)
        if state is not None:
            load_tree(handle, state)
        handle.initialize()
        for element in part:
            feed.subscriber.on_next(element)
        if ends:
            feed.subscriber.on_complete()
            return subscriber.elements, b""
        saved = save_tree(handle)
        handle.cancel()
        return subscriber.elements, saved

    before, state = ran(elements[:position], None, ends=False)
    after, _ = ran(elements[position:], state, ends=True)
    model.feed(elements).finish()
    assert [each.value for each in before + after] == [
        len(each.value) if is_folded else each.value for each in model.sent
    ]
    assert late == model.late


class Fed:
    """A publisher that the test feeds; demand is unbounded."""

    subscriber: Any = None

    def subscribe(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        pass

    def cancel(self) -> None:
        pass


@given(ELEMENTS, MODELS, st.randoms(use_true_random=False))
def test_order_of_arrival_within_the_lateness_changes_no_window(
    elements: list[Timed], sizes: tuple[int, ...], random: Any
) -> None:
    model = Model(*sizes)
    model.allowed = 0
    came = sorted(elements, key=lambda element: element[0] + random.random() * model.lateness)

    def told(given: list[Timed]) -> list[Any]:
        found = windows_of(keyed(Stream.from_iterable(given), model.lateness), model).to_list().to_list()
        return sorted((each.key, each.start, each.end, sorted(each.value)) for each in found)

    with recorded_drops() as drops:
        assert told(came) == told(sorted(elements))
    assert drops == []


# --- late elements ----------------------------------------------------------------------------------------------------


def test_late_element_goes_to_the_hook_with_the_remedy() -> None:
    with recorded_drops() as drops:
        found = keyed(Stream.just((1, "a"), (25, "a"), (9, "a"))).tumbling(10).count().to_list()
    assert [(window.start, window.value) for window in found] == [(0.0, 1), (20.0, 1)]
    ((signal, element, origin),) = drops
    assert (signal, element) == ("on_next", (9, "a"))
    assert "its time is 16 s before the watermark" in origin
    assert "raise max_lateness, or pass late=" in origin


def test_late_element_is_of_use_while_one_of_its_windows_is_open() -> None:
    late: list[Any] = []
    stream = keyed(Stream.just((1, "a"), (25, "a"), (16, "a"), (15, "a"))).sliding(20, 10, late=late.append)
    found = stream.count().to_list()
    assert [(window.start, window.value) for window in found] == [(-10.0, 1), (0.0, 1), (10.0, 3), (20.0, 1)]
    assert late == []


def test_error_of_the_function_for_late_elements_ends_the_stream() -> None:
    def fail(element: Any) -> None:
        raise ZeroDivisionError(element)

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    keyed(Stream.just((25, "a"), (9, "a"))).tumbling(10, late=fail).count().subscribe(subscriber)
    assert subscriber.outcome == ([], "ZeroDivisionError((9, 'a'))")


def test_closed_window_is_sent_again_with_each_element_until_it_is_over() -> None:
    late: list[Any] = []
    elements = Stream.just((1, "a"), (12, "a"), (2, "a"), (3, "b"), (15, "a"), (4, "a"))
    found = keyed(elements).tumbling(10, allowed_lateness=5, late=late.append).to_list().to_list()
    assert [(window.key, window.start, [time for time, _ in window.value]) for window in found] == [
        ("a", 0.0, [1]),
        ("a", 0.0, [1, 2]),
        ("b", 0.0, [3]),
        ("a", 10.0, [12, 15]),
    ]
    assert late == [(4, "a")]


# --- times ------------------------------------------------------------------------------------------------------------


DAY = dt.datetime.fromisoformat("2024-05-01")  # without a zone


def starts_and_ends(*times: Any, size: Any) -> list[tuple[Any, Any]]:
    stream = Stream.from_iterable(times).with_timestamps(lambda time: time).key_by(lambda time: 0).tumbling(size)
    return [(window.start, window.end) for window in stream.count().to_list()]


def test_windows_of_datetimes_have_datetimes() -> None:
    hour = dt.timedelta(hours=1)
    naive = DAY.replace(hour=10, minute=20)
    assert starts_and_ends(naive, size=hour) == [(DAY + 10 * hour, DAY + 11 * hour)]
    aware = dt.datetime(2024, 5, 1, 10, 20, tzinfo=ZoneInfo("Asia/Kathmandu"))  # 04:35 in UTC
    start = dt.datetime(2024, 5, 1, 4, tzinfo=dt.UTC)
    assert starts_and_ends(aware, size=hour) == [(start, start + hour)]


def test_time_before_1970_is_in_the_window_that_contains_it() -> None:
    assert starts_and_ends(-10.000001, -10, -1, size=10) == [(-20.0, -10.0), (-10.0, 0.0)]


def test_time_is_exact_to_the_microsecond() -> None:
    assert starts_and_ends(0.3, 0.299999, size=0.1) == [(0.3, 0.4)]
    first = dt.datetime.fromisoformat("9999-12-31T23:59:59.999998")
    assert starts_and_ends(first, size=1e-6) == [(first, first.replace(microsecond=999999))]


@pytest.mark.parametrize(
    ("time", "error", "text"),
    [
        ("noon", ArgumentTypeError, "must return a datetime or seconds since 1970, got 'noon' (str)"),
        (True, ArgumentTypeError, "must return a datetime or seconds since 1970, got True (bool)"),
        (None, ArgumentTypeError, "must return a datetime or seconds since 1970, got None (NoneType)"),
        (math.nan, ArgumentError, "must return a finite time, got nan"),
        (-math.inf, ArgumentError, "must return a finite time, got -inf"),
        (DAY, ArgumentTypeError, "and numbers before; their order is unknown"),
    ],
)
def test_bad_timestamp_ends_the_stream(time: Any, error: type[Exception], text: str) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    keyed(Stream.just((1, "a"), (time, "a"), (2, "a"))).tumbling(10).count().subscribe(subscriber)
    assert subscriber.elements == []
    assert isinstance(subscriber.error, error)
    assert text in str(subscriber.error)


def test_datetimes_with_and_without_a_zone_are_not_mixed() -> None:
    with pytest.raises(ArgumentTypeError, match="and datetimes without a zone before"):
        starts_and_ends(DAY, DAY.replace(tzinfo=dt.UTC), size=10)


def test_integers_and_floats_may_be_mixed() -> None:
    assert starts_and_ends(1, 2.5, 11, size=10) == [(0.0, 10.0), (10.0, 20.0)]


# --- errors and bounds ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "windows", [lambda by: by.tumbling(10), lambda by: by.session(10)], ids=["tumbling", "session"]
)
def test_error_of_a_function_names_the_operator(windows: Any) -> None:
    def fail(*given: Any) -> Any:
        raise ZeroDivisionError("here")

    timed = Stream.just((1, "a"))
    for stream in (
        windows(timed.with_timestamps(fail).key_by(KEY)).count(),
        windows(timed.with_timestamps(TIME).key_by(fail)).count(),
        windows(timed.with_timestamps(TIME).key_by(KEY)).reduce(fail, 0, merge=max),
    ):
        subscriber = RecordingSubscriber(first_request=UNBOUNDED)
        stream.subscribe(subscriber)
        assert subscriber.outcome == ([], "ZeroDivisionError('here')")
        assert subscriber.error is not None
        note = f"in rx://operators/keyed_windows, assembled at {stream.assembly}, for element (1, 'a')"
        assert note in subscriber.error.__notes__
    assert "at an element of key 'a'" in subscriber.error.__notes__


@pytest.mark.parametrize(
    "windows", [lambda by: by.tumbling(10), lambda by: by.session(10)], ids=["tumbling", "session"]
)
def test_unhashable_key_ends_the_stream(windows: Any) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    windows(keyed(Stream.just((1, [2])))).count().subscribe(subscriber)
    assert isinstance(subscriber.error, TypeError)
    assert "unhashable type: 'list'" in str(subscriber.error)


@pytest.mark.parametrize(
    "windows",
    [
        lambda by: by.tumbling(10, max_windows=2),
        lambda by: by.sliding(10, 10, max_windows=2),
        lambda by: by.session(4, max_windows=2),
    ],
    ids=["tumbling", "sliding", "session"],
)
def test_one_window_too_many_ends_the_stream(windows: Any) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    windows(keyed(Stream.just((1, "a"), (2, "b"), (11, "a"), (12, "b"), (13, "c")))).count().subscribe(subscriber)
    assert [window.key for window in subscriber.elements] == ["a", "b"]
    assert isinstance(subscriber.error, CapacityError)
    assert str(subscriber.error) == (
        "a window of key 'c' would be number 3, and max_windows=2 are held; raise max_windows, lower max_lateness, or "
        "take a coarser key or shorter windows"
    )


def test_more_results_than_any_buffer_wait_for_demand() -> None:
    count = 5000
    elements = [*((1, key) for key in range(count)), (20, -1), *((21, key) for key in range(300))]
    subscriber = RecordingSubscriber(first_request=1)
    keyed(Stream.from_iterable(elements)).tumbling(10).count().subscribe(subscriber)
    assert [window.key for window in subscriber.elements] == [0]
    subscriber.request(UNBOUNDED)
    assert [window.key for window in subscriber.elements] == [*range(count), -1, *range(300)]


def test_none_is_an_ordinary_key_and_element() -> None:
    stream = Stream.just(None, None).with_timestamps(lambda _: 1).key_by(lambda element: element)
    assert stream.tumbling(10).to_list().to_list() == [TimeWindow(None, 0.0, 10.0, [None, None])]
    assert stream.session(10).to_list().to_list() == [TimeWindow(None, 1.0, 11.0, [None, None])]


REFUSED: list[tuple[Any, type[Exception], str]] = [
    (lambda s: s.with_timestamps(5), ArgumentTypeError, "with_timestamps(timestamp)"),
    (
        lambda s: s.with_timestamps(TIME, max_lateness=-1),
        ArgumentError,
        "with_timestamps(max_lateness) needs 0 or more",
    ),
    (lambda s: s.with_timestamps(TIME, max_lateness=math.nan), ArgumentError, "with_timestamps(max_lateness)"),
    (lambda s: s.with_timestamps(TIME, max_lateness="1 minute"), ArgumentTypeError, "needs seconds or a timedelta"),
    (lambda s: s.with_timestamps(TIME).key_by(None), ArgumentTypeError, "key_by(key)"),
    (lambda s: keyed(s).tumbling(0), ArgumentError, "tumbling(size) needs more than 0 seconds, got 0"),
    (lambda s: keyed(s).tumbling(-5), ArgumentError, "tumbling(size) needs more than 0 seconds, got -5"),
    (lambda s: keyed(s).tumbling(math.nan), ArgumentError, "tumbling(size)"),
    (lambda s: keyed(s).tumbling(math.inf), ArgumentError, "tumbling(size)"),
    (lambda s: keyed(s).tumbling(1e-9), ArgumentError, "tumbling(size)"),
    (lambda s: keyed(s).tumbling("10 minutes"), ArgumentTypeError, "tumbling(size) needs seconds or a timedelta"),
    (lambda s: keyed(s).tumbling(10, allowed_lateness=-1), ArgumentError, "tumbling(allowed_lateness) needs 0 or more"),
    (lambda s: keyed(s).tumbling(10, late="drop"), ArgumentTypeError, "tumbling(late)"),
    (lambda s: keyed(s).tumbling(10, max_windows=0), ArgumentError, "tumbling(max_windows)"),
    (lambda s: keyed(s).sliding(10, 0), ArgumentError, "sliding(step) needs more than 0 seconds, got 0"),
    (lambda s: keyed(s).sliding(10, math.nan), ArgumentError, "sliding(step)"),
    (lambda s: keyed(s).sliding(10, 11), ArgumentError, "sliding(step) needs at most the size, got step=11"),
    (lambda s: keyed(s).sliding(100, 1, max_windows=99), ArgumentError, "puts each element in 100 windows"),
    (lambda s: keyed(s).session(0), ArgumentError, "session(gap) needs more than 0 seconds, got 0"),
    (lambda s: keyed(s).session(-1), ArgumentError, "session(gap) needs more than 0 seconds, got -1"),
    (lambda s: keyed(s).session(5, late=3), ArgumentTypeError, "session(late)"),
    (lambda s: keyed(s).session(5).reduce(max, 0), ArgumentError, "needs merge="),
    (lambda s: keyed(s).tumbling(5).reduce(None, 0), ArgumentTypeError, "reduce(function)"),
    (lambda s: keyed(s).session(5).reduce(max, 0, merge=1), ArgumentTypeError, "reduce(merge)"),
    (lambda s: keyed(s).tumbling(5).aggregate(), ArgumentError, "needs one aggregate or more"),
]


@pytest.mark.parametrize(("build", "error", "text"), REFUSED)
@pytest.mark.parametrize("start", [Stream.empty, pipeline], ids=["stream", "pipeline"])
def test_bad_argument_is_refused_when_the_stream_is_built(
    start: Any, build: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=re.escape(text)):
        build(start())


# --- state ------------------------------------------------------------------------------------------------------------


def parked(windows: Any, elements: list[Any]) -> Any:
    feed = Fed()
    stream = windows(keyed(Stream.from_publisher(feed, recovery="exact"))).to_list()
    handle = stream.bind(RecordingSubscriber(first_request=UNBOUNDED))
    handle.initialize()
    for element in elements:
        feed.subscriber.on_next(element)
    return handle


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (lambda by: by.tumbling(20), "build the same stream, or start without state"),
        (lambda by: by.sliding(10, 5), "build the same stream, or start without state"),
        (lambda by: by.session(10), "build the same stream, or start without state"),
        (lambda by: by.tumbling(10, allowed_lateness=1), "build the same stream, or start without state"),
    ],
)
def test_state_of_other_windows_is_refused(other: Any, text: str) -> None:
    handle = parked(lambda by: by.tumbling(10), [(1, "a")])
    state = save_tree(handle)
    handle.cancel()
    loading = other(keyed(Stream.from_publisher(Fed(), recovery="exact"))).to_list().bind(RecordingSubscriber())
    with pytest.raises(StateError, match=text):
        load_tree(loading, state)


def test_result_that_waits_is_saved_by_a_registry_that_knows_its_class() -> None:
    registry = StateRegistry()
    registry.register(name="rx/time_window")(TimeWindow)
    subscriber = RecordingSubscriber(first_request=1)
    stream = keyed(Stream.just((1, "a"), (2, "b"))).tumbling(10).count()
    handle = stream.bind(subscriber)
    handle.initialize()
    state = save_tree(handle, registry=registry)
    handle.cancel()
    after = RecordingSubscriber()
    resumed = stream.bind(after)
    load_tree(resumed, state, registry=registry)
    resumed.initialize()
    after.request(UNBOUNDED)
    assert subscriber.elements + after.elements == [TimeWindow("a", 0.0, 10.0, 1), TimeWindow("b", 0.0, 10.0, 1)]


# --- text -------------------------------------------------------------------------------------------------------------


def test_description_is_written_as_one_would_write_it() -> None:
    timed = Stream.range(3).with_timestamps(float, max_lateness=5)
    by_key = timed.key_by(str)
    assert repr(timed) == "Stream.range(0, 3).with_timestamps(float, max_lateness=5)"
    assert (
        repr(by_key.session(2.5))
        == "Stream.range(0, 3).with_timestamps(float, max_lateness=5).key_by(str).session(2.5)"
    )
    assert repr(by_key.tumbling(60).count()) == f"{by_key!r}.tumbling(60).count()"
    assert repr(by_key.sliding(60, 20, allowed_lateness=3).reduce(max, 0)) == (
        f"{by_key!r}.sliding(60, 20, allowed_lateness=3).reduce(max, 0)"
    )
    assert repr(by_key.tumbling(60).aggregate(n="count")) == f"{by_key!r}.tumbling(60).aggregate(n='count')"


def test_default_bound_is_that_of_the_signature() -> None:
    assert DEFAULT_MAX_WINDOWS == 1_000_000
