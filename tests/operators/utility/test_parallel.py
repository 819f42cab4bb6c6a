"""parallel: the same operators on several rails, which sequential() joins, in order or as results come."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import (
    ArgumentError,
    ArgumentTypeError,
    DemandExceededError,
    SchedulerDisposedError,
    StateError,
)
from reactivestreams.operators.utility.parallel import MAX_ELEMENTS, MAX_RAILS
from reactivestreams.schedulers import ImmediateScheduler, LogicalScheduler, WorkerPool, WorkerScheduler
from reactivestreams.stream import ParallelPipeline, ParallelStream
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.operator_contract import WAIT_SECONDS, OperatorContract, OperatorSubject
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start, subscribe
from tests.contracts.state_contract import StateContract


class Rails(OperatorContract, StateContract):
    """The suites for rails, which request more while a publisher that sends too much is still at it."""

    test_publisher_that_sends_without_demand_is_cancelled = None  # type: ignore[assignment]  # below, with their bound


# --- with rails in the thread that is there, and with tasks that the test runs ----------------------------------------


class TestRailsInOrder(Rails):
    reads_ahead = 128 * 7

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().parallel(3).map(lambda number: -number).sequential(ordered=True)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [-element for element in elements]


class TestOneRail(Rails):
    reads_ahead = 3

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().parallel(1, prefetch=1).run_on(ImmediateScheduler(), prefetch=1).sequential()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class SteppedRails(OperatorSubject):
    scheduler: ManualScheduler

    @pytest.fixture(autouse=True)
    def scheduler_of_the_test(self) -> None:
        self.scheduler = ManualScheduler()

    def settle(self) -> None:
        self.scheduler.run_waiting()

    def start_settling(self, stream: Stream[Any], subscriber: RecordingSubscriber) -> None:
        stream.subscribe(subscriber)
        while not subscriber.ended.wait(0.001):
            self.settle()


class TestElementsWithoutAResultInOrder(SteppedRails, Rails):
    """Two rails, each a few elements ahead, of which most have no result."""

    reads_ahead = 2 + 2 * (2 + 2)

    def subject(self) -> Pipeline[Any, Any]:
        rails = pipeline().parallel(2, prefetch=2).run_on(self.scheduler, prefetch=2)
        return rails.filter(lambda number: number % 5 < 2).map(str).sequential(ordered=True)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [str(element) for element in elements if element % 5 < 2]


class TestRailsThatKeepAState(SteppedRails, Rails):
    """One rail, so that the order of its results is known, with an operator of its own demand and a state."""

    reads_ahead = 2 + 4 + 4 + 128

    def subject(self) -> Pipeline[Any, Any]:
        rails = pipeline().parallel(1, prefetch=4).run_on(self.scheduler, prefetch=2)
        return rails.through(lambda rail: rail.scan(lambda a, b: a + b, 0).buffer(2)).sequential()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        sums = [sum(elements[: place + 1]) for place in range(len(elements))]
        return [sums[place : place + 2] for place in range(0, len(sums) - 1, 2)]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [[sum(elements)]] if len(elements) % 2 else []


# --- which rail gets an element ---------------------------------------------------------------------------------------


def test_elements_go_to_the_rails_in_turn() -> None:
    rails = Stream.range(7).parallel(3).through(lambda rail: rail.buffer(10))
    assert rails.sequential().to_list() == [[0, 3, 6], [1, 4], [2, 5]]


def test_a_rail_without_room_is_left_out_and_the_order_is_kept() -> None:
    others = threading.Event()
    done: list[int] = []

    def hold_first(number: int) -> int:
        if number == 0:
            assert others.wait(WAIT_SECONDS)
        done.append(number)
        if len(done) == 19:
            others.set()
        return number

    with WorkerPool(workers=2) as pool:
        rails = Stream.range(20).parallel(2, prefetch=32).run_on(pool, prefetch=1).map(hold_first)
        assert rails.sequential(ordered=True).to_list() == list(range(20))
    assert done[-1] == 0


def test_demand_upstream_is_bounded_by_the_room_of_the_rails() -> None:
    scheduler = ManualScheduler()
    source = CountedIterable(range(1000))
    rails = Stream.from_iterable(source).parallel(3, prefetch=4).run_on(scheduler, prefetch=2)
    subscriber = RecordingSubscriber()
    rails.map(str).sequential().subscribe(subscriber)
    scheduler.run_waiting()
    assert source.taken <= 4 + 3 * (2 + 4)
    subscriber.request(5)
    scheduler.run_waiting()
    assert len(subscriber.elements) == 5
    assert source.taken <= 5 + 4 + 3 * (2 + 4)


def test_the_upstream_gets_no_request_that_exceeds_its_prefetch() -> None:
    publisher = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(publisher).parallel(2, prefetch=8).map(str).sequential(ordered=True).subscribe(subscriber)
    assert publisher.requested == 8
    publisher.send(*range(6))
    assert publisher.requested == 8 + 6
    publisher.complete()
    assert subscriber.outcome == (list(map(str, range(6))), "complete")


@pytest.mark.parametrize("ordered", [False, True])
def test_a_publisher_that_ignores_demand_is_cancelled_when_all_places_are_taken(ordered: bool) -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber()
    rails = Stream.from_publisher(publisher).parallel(2, prefetch=4).run_on(ImmediateScheduler(), prefetch=2)
    rails.sequential(ordered=ordered).subscribe(subscriber)
    with recorded_drops():
        publisher.send(*range(100))
    subscriber.request(UNBOUNDED)
    assert isinstance(subscriber.error, DemandExceededError)
    assert len(subscriber.elements) <= 4 + 2 * (2 + 4)
    assert subscriber.faults == []
    assert publisher.cancels == 1


# --- the ends ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("position", [0, 7, 19])
def test_error_of_a_rail_cancels_the_others_and_ends_the_stream_once(ordered: bool, position: int) -> None:
    def fail(number: int) -> int:
        if number == position:
            raise ValueError(number)
        return number

    with WorkerPool(workers=3) as pool, recorded_drops() as drops:
        source = CountedIterable(range(20))
        rails = Stream.from_iterable(source).parallel(3, prefetch=2).run_on(pool, prefetch=2).map(fail)
        subscriber = RecordingSubscriber(first_request=UNBOUNDED)
        rails.sequential(ordered=ordered).subscribe(subscriber)
        assert subscriber.ended.wait(WAIT_SECONDS)
    passed_on, end = subscriber.outcome
    assert end == repr(ValueError(position))
    assert source.is_closed
    assert drops == []
    assert position not in passed_on
    assert passed_on == list(range(position)) if ordered else len({*passed_on}) == len(passed_on)


def test_results_before_an_error_of_the_input_are_passed_on_by_all_rails() -> None:
    source = CountedIterable(range(10), fails_with=ValueError("lost"))
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    with WorkerPool(workers=2) as pool:
        Stream.from_iterable(source).parallel(4).run_on(pool).map(str).sequential().subscribe(subscriber)
        assert subscriber.ended.wait(WAIT_SECONDS)
    passed_on, end = subscriber.outcome
    assert (sorted(passed_on), end) == (sorted(map(str, range(10))), repr(ValueError("lost")))


def test_rails_that_handle_the_error_of_the_input_complete_the_stream() -> None:
    source = CountedIterable(range(4), fails_with=ValueError("lost"))
    rails = Stream.from_iterable(source).parallel(2).through(lambda rail: rail.on_error_return(-1))
    assert sorted(rails.sequential().to_list()) == [-1, -1, 0, 1, 2, 3]


def test_rails_that_complete_early_complete_the_stream_and_cancel_the_input() -> None:
    source = CountedIterable(range(1000))
    rails = Stream.from_iterable(source).parallel(3, prefetch=1).through(lambda rail: rail.take(2))
    assert sorted(rails.sequential().to_list()) == [0, 1, 2, 3, 4, 5]
    assert source.is_closed


def test_completion_waits_for_the_slowest_rail() -> None:
    scheduler = ManualScheduler()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(2).parallel(2).run_on(scheduler).map(str).sequential().subscribe(subscriber)
    scheduler.run_next()
    assert subscriber.outcome[1] == "open"
    scheduler.run_waiting()
    assert subscriber.outcome == (["0", "1"], "complete")


@pytest.mark.parametrize("ordered", [False, True])
def test_cancel_reaches_the_input_and_all_rails(ordered: bool) -> None:
    ended: list[str] = []
    scheduler = ManualScheduler()
    source = CountedIterable(range(1000))
    rails = Stream.from_iterable(source).parallel(3, prefetch=2).run_on(scheduler, prefetch=2)
    subscriber = RecordingSubscriber()
    rails.through(lambda rail: rail.do(on_cancel=lambda: ended.append("rail"))).sequential(ordered=ordered).subscribe(
        subscriber
    )
    subscriber.request(4)
    scheduler.run_waiting()
    subscriber.cancel()
    scheduler.run_waiting()
    assert ended == ["rail"] * 3
    assert source.is_closed


def test_scheduler_that_is_disposed_while_the_stream_runs_ends_it() -> None:
    publisher = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    pool = WorkerPool(workers=1)
    Stream.from_publisher(publisher).parallel(2).run_on(pool).map(str).sequential().subscribe(subscriber)
    pool.dispose()
    publisher.send(1)
    assert subscriber.ended.wait(WAIT_SECONDS)
    assert isinstance(subscriber.error, SchedulerDisposedError)
    assert publisher.cancels == 1


# --- threads ----------------------------------------------------------------------------------------------------------


def test_rails_run_at_the_same_time_in_the_threads_of_the_pool() -> None:
    meet = threading.Barrier(3, timeout=WAIT_SECONDS)
    with WorkerPool(workers=3, name="rails") as pool:
        rails = Stream.range(3).parallel(3).run_on(pool).map(lambda _: (meet.wait(), threading.current_thread().name))
        names = {name for _, name in rails.sequential().to_list()}
    assert len(names) == 3
    assert all(name.startswith("rails") for name in names)


def test_one_pool_has_one_root_for_all_streams_that_run_rails_on_it() -> None:
    with WorkerPool(workers=2) as pool:
        made = [Stream.range(4).parallel(2).run_on(pool).map(str).sequential() for _ in range(10)]
        assert [sorted(stream.to_list()) for stream in made] == [["0", "1", "2", "3"]] * 10
        assert len({id(stream.parameters[2]) for stream in made}) == 1


def test_rails_on_a_scheduler_that_runs_one_task_at_a_time_do_not_overlap() -> None:
    running = [0]

    def alone(number: int) -> int:
        running[0] += 1
        assert running[0] == 1
        running[0] -= 1
        return number

    with WorkerPool(workers=2) as pool:
        rails = Stream.range(500).parallel(2).run_on(LogicalScheduler(pool)).map(alone)
        assert rails.sequential(ordered=True).to_list() == list(range(500))


def test_without_run_on_everything_runs_in_the_thread_that_waits() -> None:
    threads = Stream.range(9).parallel(3).map(lambda _: threading.get_ident()).sequential().to_list()
    assert {*threads} == {threading.get_ident()}


def test_rails_inside_of_rails_run() -> None:
    with WorkerPool(workers=2) as pool:
        inner = pipeline().parallel(2).run_on(pool).map(lambda number: number + 1).sequential()
        rails = Stream.range(100).parallel(2).run_on(pool).through(inner)
        assert sorted(rails.sequential().to_list()) == list(range(1, 101))


# --- state ------------------------------------------------------------------------------------------------------------


def rails_of(scheduler: ManualScheduler, rails: int = 2, *, ordered: bool = True) -> Stream[Any]:
    return (
        Stream.range(20)
        .parallel(rails, prefetch=2)
        .run_on(scheduler, prefetch=2)
        .filter(lambda number: number % 3)
        .sequential(ordered=ordered)
    )


@pytest.mark.parametrize("requested", [0, 1, 5])
@pytest.mark.parametrize("steps", [0, 1, 2, 5, 50])
@pytest.mark.parametrize("ordered", [False, True])
def test_saved_rails_go_on_where_they_were(ordered: bool, steps: int, requested: int) -> None:
    scheduler = ManualScheduler()
    before = RecordingSubscriber()
    handle = rails_of(scheduler, ordered=ordered).bind(before)
    handle.initialize()
    if requested:
        before.request(requested)
    for _ in range(steps):
        scheduler.run_next()
    state = save(handle)
    after = RecordingSubscriber(first_request=UNBOUNDED)
    loaded = rails_of(scheduler, ordered=ordered).bind(after)
    subscribe(loaded)
    start(loaded, state)
    before.cancel()
    scheduler.run_waiting()
    results = before.elements + after.elements
    assert after.outcome[1] == "complete"
    assert (results if ordered else sorted(results)) == [number for number in range(20) if number % 3]


@pytest.mark.parametrize("requested", range(7))
@pytest.mark.parametrize("ordered", [False, True])
def test_error_of_the_input_comes_behind_what_waits_in_loaded_rails(ordered: bool, requested: int) -> None:
    """Each rail has it, and one that was loaded must not take it for an error of its own."""

    def described(scheduler: ManualScheduler) -> Stream[Any]:
        numbers = Stream.range(10).map(lambda number: number if number < 7 else 1 // 0)
        return numbers.parallel(3, prefetch=2).run_on(scheduler).map(str).sequential(ordered=ordered)

    scheduler = ManualScheduler()
    before = RecordingSubscriber()
    handle = described(scheduler).bind(before)
    handle.initialize()
    if requested:
        before.request(requested)
    scheduler.run_waiting()
    state = save(handle)
    after = RecordingSubscriber(first_request=UNBOUNDED)
    loaded = described(scheduler).bind(after)
    subscribe(loaded)
    start(loaded, state)
    before.cancel()
    scheduler.run_waiting()
    assert isinstance(after.error, ZeroDivisionError)
    assert sorted(before.elements + after.elements) == [str(number) for number in range(7)]


def test_state_of_another_number_of_rails_is_refused() -> None:
    scheduler = ManualScheduler()
    handle = rails_of(scheduler).bind(RecordingSubscriber())
    handle.initialize()
    other = rails_of(scheduler, 3).bind(RecordingSubscriber())
    subscribe(other)
    with pytest.raises(StateError):
        start(other, save(handle))


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda: Stream.range(3), pipeline])
@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"n": 0}, ArgumentError, r"parallel\(n\) needs a count from 1 to 1024, got 0"),
        ({"n": -1}, ArgumentError, r"parallel\(n\)"),
        ({"n": MAX_RAILS + 1}, ArgumentError, r"parallel\(n\)"),
        ({"n": True}, ArgumentTypeError, r"parallel\(n\) needs an integer"),
        ({"n": "2"}, ArgumentTypeError, r"parallel\(n\)"),
        ({"n": 2.0}, ArgumentTypeError, r"parallel\(n\)"),
        ({"n": 2, "prefetch": 0}, ArgumentError, r"parallel\(prefetch\)"),
        ({"n": 2, "prefetch": MAX_ELEMENTS // 2 + 1}, ArgumentError, r"parallel\(prefetch\)"),
        ({"n": 2, "prefetch": None}, ArgumentTypeError, r"parallel\(prefetch\)"),
    ],
)
def test_bad_counts_are_refused(
    make: Callable[[], Any], arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        make().parallel(**arguments)


def test_bad_schedulers_are_refused() -> None:
    rails = Stream.range(3).parallel(2)
    with pytest.raises(ArgumentTypeError, match=r"run_on\(scheduler\) needs a scheduler, got 4 \(int\); pass e\.g\."):
        rails.run_on(4)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"run_on\(prefetch\) needs a count"):
        rails.run_on(ImmediateScheduler(), prefetch=0)
    with WorkerPool(workers=1) as pool:
        root = LogicalScheduler(pool)
    for disposed in (pool, root):
        with pytest.raises(ArgumentError, match="was disposed and runs nothing; pass a new one"):
            rails.run_on(disposed)


def test_run_on_is_called_once_and_first() -> None:
    with WorkerScheduler() as worker:
        rails = Stream.range(3).parallel(2).run_on(worker)
        with pytest.raises(ArgumentError, match="already, and a rail has one scheduler; call run_on once"):
            rails.run_on(worker)
        with pytest.raises(ArgumentError, match=r"call it first: parallel\(n\)\.run_on\(scheduler\)"):
            Stream.range(3).parallel(2).map(str).run_on(worker)


@pytest.mark.parametrize(
    ("name", "add"),
    [
        ("flat_map", lambda rail: rail.flat_map(range)),
        ("buffer", lambda rail: rail.buffer(2)),
        ("scan", lambda rail: rail.scan(max, 0)),
        ("take", lambda rail: rail.take(2)),
        ("distinct_by_key", lambda rail: rail.distinct()),
        ("observe_on", lambda rail: rail.observe_on(ImmediateScheduler())),
        ("default_if_empty", lambda rail: rail.default_if_empty(0)),
        ("keyed_scan", lambda rail: rail.key_by(abs).scan(max, 0)),
        ("parallel", lambda rail: rail.parallel(2).map(str).sequential()),
    ],
)
def test_order_is_refused_where_an_element_may_have_other_results(name: str, add: Any) -> None:
    rails = Stream.range(3).parallel(2).map(abs).through(add)
    rails.sequential()
    with pytest.raises(
        ArgumentError, match=rf"rx://operators/{name} assembled at .*test_parallel\.py:\d+ in .* Put it"
    ):
        rails.sequential(ordered=True)


def test_rails_are_no_stream_and_say_what_to_do() -> None:
    rails: Any = Stream.range(3).parallel(2)
    with pytest.raises(AttributeError, match=r"ParallelStream has no 'to_list'.* call it behind sequential\(\)"):
        rails.to_list()
    with pytest.raises(AttributeError, match=r"'for_each', which a Stream has; call sequential\(\) first"):
        rails.for_each(print)
    with pytest.raises(AttributeError, match=r"through\(lambda rail: rail\.scan\(\.\.\.\)\) adds it to each rail"):
        rails.scan(max, 0)
    with pytest.raises(AttributeError, match=r"ParallelStream has no 'runOn'; it is 'run_on' here"):
        rails.runOn(None)
    joined: Any = rails.sequential()
    with pytest.raises(AttributeError, match="Stream has no 'sequential'"):
        joined.sequential()


# --- as a value -------------------------------------------------------------------------------------------------------


def test_rails_are_values() -> None:
    rails = Stream.range(4).parallel(2)
    doubled, texts = rails.map(lambda number: number * 2), rails.map(str)
    assert isinstance(rails, ParallelStream)
    assert isinstance(pipeline().parallel(2), ParallelPipeline)
    assert [sorted(each.sequential().to_list()) for each in (rails, doubled)] == [[0, 1, 2, 3], [0, 2, 4, 6]]
    assert texts.sequential(ordered=True).to_list() == texts.sequential(ordered=True).to_list() == ["0", "1", "2", "3"]


def test_it_is_shown_as_it_was_written() -> None:
    rails = Stream.range(4).parallel(2, prefetch=3).map(str)
    assert repr(rails) == "Stream.range(0, 4).parallel(2, prefetch=3).map(str)"
    assert repr(rails.sequential()) == "Stream.range(0, 4).parallel(2, prefetch=3).map(str).sequential()"
    on = pipeline().parallel(2).run_on(ImmediateScheduler(), prefetch=1).filter(bool).sequential(ordered=True)
    assert repr(on) == (
        "pipeline().parallel(2).run_on(ImmediateScheduler(name='immediate'), prefetch=1).filter(bool)"
        ".sequential(ordered=True)"
    )


def test_flat_map_of_rails_passes_on_all_results() -> None:
    assert sorted(Stream.range(4).parallel(2).flat_map(range).sequential().to_list()) == [0, 0, 0, 1, 1, 2]
    flat = pipeline().parallel(2).flat_map(range).filter(bool).sequential()
    assert sorted(Stream.range(4).through(flat).to_list()) == [1, 1, 2]
