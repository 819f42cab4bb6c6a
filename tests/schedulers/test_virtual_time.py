"""Virtual time: the contract of all schedulers, and which task runs at which tick."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, WouldDeadlockError
from reactivestreams.schedulers import (
    TICK,
    ActionTask,
    Scheduler,
    SchedulerStatus,
    VirtualTime,
    VirtualTimeError,
    VirtualTimeScheduler,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.scheduler_contract import QueuedSchedulerContract, Turns
from tests.contracts.scheduler_tree_contract import SchedulerTreeContract, Sleeper

LATE = 10**12


class TestVirtualTimeScheduler(QueuedSchedulerContract, SchedulerTreeContract):
    is_virtual_time = True

    def make(self) -> Scheduler:
        scheduler = VirtualTimeScheduler()
        scheduler.clock.sleep(LATE)  # there is a time before it
        return scheduler

    def settle(self, scheduler: Scheduler) -> None:
        assert isinstance(scheduler, VirtualTimeScheduler)
        scheduler.clock.start()

    def hold(self, scheduler: Scheduler) -> Callable[[], None]:
        return lambda: None  # nothing runs before the clock is moved


@pytest.fixture
def clock() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def root(clock: VirtualTime) -> VirtualTimeScheduler:
    return VirtualTimeScheduler(clock, name="subject")


class Ticks:
    """Notes names with the ticks at which they came."""

    def __init__(self, clock: VirtualTime) -> None:
        self.clock = clock
        self.seen: list[tuple[int, str]] = []

    def task(self, name: str, then: Callable[[], object] = lambda: None) -> Callable[[], None]:
        def run() -> None:
            self.seen.append((self.clock.ticks, name))
            then()

        return run


@pytest.fixture
def ticks(clock: VirtualTime) -> Ticks:
    return Ticks(clock)


# --- which tick ------------------------------------------------------------------------------------------------------


def test_task_without_a_due_time_runs_one_tick_later(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    root.schedule_at(200, ticks.task("outer", lambda: root.schedule(ticks.task("inner"))))
    root.clock.start()
    assert ticks.seen == [(200, "outer"), (201, "inner")]


@pytest.mark.parametrize("tick", [200, 199, 0, -5])
def test_tick_that_has_come_becomes_the_next_one(root: VirtualTimeScheduler, ticks: Ticks, tick: int) -> None:
    root.schedule_at(200, ticks.task("outer", lambda: root.schedule_at(tick, ticks.task("inner"))))
    root.clock.start()
    assert ticks.seen == [(200, "outer"), (201, "inner")]


@pytest.mark.parametrize("as_time_of_day", [False, True], ids=["delay", "time of day"])
@pytest.mark.parametrize(("delay", "tick"), [(0, 200), (-1, 200), (-200, 200), (1, 201), (300, 500)])
def test_due_time_is_not_moved(
    root: VirtualTimeScheduler, ticks: Ticks, as_time_of_day: bool, delay: int, tick: int
) -> None:
    def outer() -> None:
        due = root.now + delay * TICK if as_time_of_day else delay * TICK
        root.schedule(ticks.task("inner"), due=due)

    root.schedule_at(200, outer)
    root.clock.start()
    assert ticks.seen == [(tick, "inner")]


def test_times_of_day_count_from_the_year_1(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    root.schedule(ticks.task("time of day"), due=datetime(1, 1, 1, microsecond=40, tzinfo=UTC))
    root.schedule_at(30, ticks.task("look", lambda: ticks.seen.append((30, str(root.now)))))
    root.clock.start()
    assert ticks.seen == [(30, "look"), (30, "0001-01-01 00:00:00.000030+00:00"), (40, "time of day")]


def test_logging_variant_moves_nothing_and_tells_what_was_scheduled(clock: VirtualTime, ticks: Ticks) -> None:
    log: list[tuple[int, int]] = []
    root = VirtualTimeScheduler(clock, increment=0, log=log)

    def outer() -> None:
        root.schedule(ticks.task("same tick"))
        root.create_child().schedule(ticks.task("later"), due=5 * TICK)

    root.schedule_at(200, outer)
    clock.start()
    assert ticks.seen == [(200, "same tick"), (205, "later")]
    assert log == [(0, 200), (200, 200), (200, 205)]


def test_order_is_by_tick_then_priority_then_arrival(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    child = root.create_child()
    assert isinstance(child, VirtualTimeScheduler)
    for scheduler, tick, priority, name in (
        (root, 30, 0, "late"),
        (child, 20, 2, "queue"),
        (root, 20, 1, "operator"),
        (child, 20, 0, "harness"),
        (root, 20, 1, "operator, too"),
        (root, 10, 2, "early"),
    ):
        scheduler.schedule_at(tick, ActionTask(ticks.task(name), priority=priority))
    root.clock.start()
    assert ticks.seen == [
        (10, "early"),
        (20, "harness"),
        (20, "operator"),
        (20, "operator, too"),
        (20, "queue"),
        (30, "late"),
    ]


def test_task_that_is_not_done_gets_its_next_turn_at_the_same_tick(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    root.schedule_at(10, Turns(3, lambda name: ticks.task(name)()))
    root.schedule_at(10, ticks.task("between"))
    root.clock.start()
    assert ticks.seen == [(10, "turn"), (10, "between"), (10, "turn"), (10, "turn")]


def test_task_without_work_waits_at_its_tick_until_it_is_recalculated(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    sleeper = Sleeper(1, lambda name: ticks.task(name)())
    root.schedule_at(10, sleeper)
    root.schedule_at(50, ticks.task("waker", lambda: sleeper.wake(root)))
    root.clock.start()
    assert ticks.seen == [(50, "waker"), (50, "turn")]


# --- the clock -------------------------------------------------------------------------------------------------------


def test_start_leaves_the_clock_at_the_last_task(root: VirtualTimeScheduler) -> None:
    root.schedule_at(70, print)
    root.clock.start()
    assert root.clock.ticks == 70


def test_advance_runs_what_is_due_and_leaves_the_clock_where_it_was_told(
    root: VirtualTimeScheduler, ticks: Ticks
) -> None:
    for tick in (10, 20, 21):
        root.schedule_at(tick, ticks.task("task"))
    root.clock.advance_to(20)
    assert (ticks.seen, root.clock.ticks) == ([(10, "task"), (20, "task")], 20)
    root.clock.advance_to(20)
    root.clock.advance_to(500)
    assert (ticks.seen[2:], root.clock.ticks) == ([(21, "task")], 500)


def test_clock_advances_by_one_tick_that_has_tasks(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    for tick in (10, 10, 20):
        root.schedule_at(tick, ticks.task("task"))
    root.schedule(ticks.task("now"), due=timedelta(0))
    moves = [(root.clock.advance_once(last), root.clock.ticks, len(ticks.seen)) for last in (5, 5, 50, 50, 50)]
    assert moves == [(True, 0, 1), (False, 0, 1), (True, 10, 3), (True, 20, 4), (False, 20, 4)]


def test_advance_to_the_present_tick_runs_nothing(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    root.schedule(ticks.task("due now"), due=timedelta(0))
    root.clock.advance_to(0)
    assert ticks.seen == []
    root.clock.advance_to(1)
    assert ticks.seen == [(0, "due now")]


def test_advance_leaves_the_order_of_what_comes_later(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    root.schedule_at(20, ticks.task("first"))
    root.clock.advance_to(10)
    root.schedule_at(20, ticks.task("second"))
    root.clock.start()
    assert ticks.seen == [(20, "first"), (20, "second")]


def test_time_does_not_go_back(clock: VirtualTime) -> None:
    clock.advance_to(10)
    with pytest.raises(ArgumentError, match=r"^advance_to\(tick\) needs a tick from 10, got 9; time does not go back$"):
        clock.advance_to(9)
    with pytest.raises(ArgumentError, match=r"^sleep\(ticks\) needs a number from 0, got -1; time does not go back$"):
        clock.sleep(-1)
    assert clock.ticks == 10


def test_sleep_moves_the_clock_and_runs_nothing(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    root.schedule_at(10, ticks.task("late"))
    root.clock.sleep(100)
    assert (ticks.seen, root.clock.ticks) == ([], 100)
    root.clock.start()
    assert ticks.seen == [(100, "late")]


@pytest.mark.parametrize("due", [timedelta.max, timedelta(days=106_751_992)], ids=str)
def test_what_is_due_beyond_the_end_of_time_never_runs(root: VirtualTimeScheduler, due: timedelta) -> None:
    task = Turns(1, print)
    root.schedule(task, due=due)
    root.clock.start()
    assert (root.clock.ticks, root.performance_counters().timed_count) == (0, 1)
    root.dispose()
    assert len(task.discarded) == 1


def test_clock_at_the_end_of_time_stays_there(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    root.clock.sleep(2**70)
    end = root.clock.ticks
    root.schedule(ticks.task("never"))
    root.schedule(ticks.task("now"), due=-TICK)
    root.clock.start()
    assert (ticks.seen, root.now.year, root.clock.ticks) == ([(end, "now")], 9999, end)


def test_schedulers_of_one_clock_share_its_time(clock: VirtualTime, ticks: Ticks) -> None:
    one, other = VirtualTimeScheduler(clock), VirtualTimeScheduler(clock)
    other.schedule_at(20, ticks.task("other"))
    one.schedule_at(10, ticks.task("one"))
    one.schedule_at(30, ticks.task("one"))
    clock.start()
    assert ticks.seen == [(10, "one"), (20, "other"), (30, "one")]


# --- what ends it ----------------------------------------------------------------------------------------------------


def test_exception_of_a_task_comes_out_of_the_clock_and_the_rest_runs_later(
    root: VirtualTimeScheduler, ticks: Ticks
) -> None:
    root.schedule_at(10, lambda: 1 / 0)
    root.schedule_at(10, ticks.task("beside"))
    root.schedule_at(20, ticks.task("behind"))
    with pytest.raises(ZeroDivisionError), recorded_drops() as drops:
        root.clock.start()
    assert (ticks.seen, drops, root.clock.ticks) == ([], [], 10)
    root.clock.start()
    assert ticks.seen == [(10, "beside"), (20, "behind")]


def test_task_that_moves_the_clock_is_refused(root: VirtualTimeScheduler) -> None:
    root.schedule_at(10, root.clock.start)
    with pytest.raises(
        WouldDeadlockError, match=r"^a task at tick 10 moves the clock, which waits for that task to return"
    ):
        root.clock.start()
    root.clock.start()


def test_tick_without_end_is_an_error_and_exactly_so_many_turns_are_none() -> None:
    clock = VirtualTime(most_turns_in_a_tick=5)
    root = VirtualTimeScheduler(clock)
    for tick in (10, 20):
        root.schedule_at(tick, Turns(5, lambda name: None))
    clock.start()
    counted: list[str] = []
    root.schedule_at(30, Turns(6, counted.append))
    with pytest.raises(
        VirtualTimeError,
        match=r"^tick 30 of virtual time has had 5 turns, its maximum; .* or raise most_turns_in_a_tick",
    ):
        clock.start()
    assert len(counted) == 5


def test_recalculation_without_end_is_an_error() -> None:
    root = VirtualTimeScheduler(VirtualTime(most_turns_in_a_tick=100))

    class Restless(Sleeper):
        def recalculate_priority(self) -> None:
            root.recalculate_priority()

    root.schedule(Restless(1, print))
    root.clock.start()
    root.recalculate_priority()
    with pytest.raises(VirtualTimeError):
        root.clock.start()


# --- pauses ----------------------------------------------------------------------------------------------------------


def test_pause_is_done_at_once_also_inside_a_task(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    def pause() -> None:
        ticks.seen.append((root.clock.ticks, f"{root.pause_async().is_done} {root.pause()} {root.status.name}"))

    root.schedule_at(10, pause)
    root.schedule_at(20, ticks.task("behind"))
    root.clock.start()
    assert ticks.seen == [(10, "True True PAUSED")]
    root.clock.advance_to(50)
    root.continue_()
    root.clock.start()
    assert ticks.seen[1:] == [(50, "behind")]


def test_paused_children_keep_their_tasks_and_others_go_on(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    child, other = root.create_child(), root.create_child()
    assert isinstance(child, VirtualTimeScheduler)
    child.schedule(ticks.task("soon"), due=10 * TICK)
    root.schedule_at(5, child.pause)
    root.schedule_at(6, lambda: child.schedule(ticks.task("later"), due=100 * TICK))
    other.schedule(ticks.task("other"), due=20 * TICK)
    root.schedule_at(30, child.continue_)
    root.clock.start()
    assert ticks.seen == [(20, "other"), (30, "soon"), (106, "later")]
    assert child.status is SchedulerStatus.RUNNING


def test_task_that_falls_due_in_a_pause_without_work_waits_for_work(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    sleeper = Sleeper(1, lambda name: ticks.task(name)())
    assert root.pause()
    root.schedule_at(10, sleeper)
    root.continue_()
    root.clock.advance_to(5)
    sleeper.is_runnable = True
    root.clock.start()
    assert ticks.seen == [(10, "turn")]


def test_disposed_child_runs_nothing_any_more(root: VirtualTimeScheduler, ticks: Ticks) -> None:
    child = root.create_child()
    task = Turns(1, lambda name: ticks.task(name)())
    child.schedule(task, due=10 * TICK)
    root.schedule_at(5, child.dispose)
    root.clock.start()
    assert (ticks.seen, len(task.discarded)) == ([], 1)


# --- the rest --------------------------------------------------------------------------------------------------------


def test_any_thread_has_access_and_tasks_are_current_while_they_run(root: VirtualTimeScheduler) -> None:
    seen: list[bool] = []
    root.schedule_at(10, lambda: seen.append(root.is_current()))
    root.clock.start()
    assert (seen, root.is_current(), root.check_access()) == ([True], False, True)


def test_counters_count_in_virtual_time(root: VirtualTimeScheduler) -> None:
    root.schedule_at(10, print)
    root.schedule(print, due=timedelta(0))
    root.schedule_at(30, root.pause)
    root.schedule_at(60, print)
    root.clock.advance_to(50)
    counters = root.performance_counters()
    assert (counters.uptime_nanoseconds, counters.paused_nanoseconds, counters.user_nanoseconds) == (50_000, 20_000, 0)
    assert (counters.task_execution_count, counters.timer_tick_count, counters.timed_count) == (3, 2, 1)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: VirtualTimeScheduler("now"), ArgumentTypeError, r"^VirtualTimeScheduler\(clock\) needs a VirtualTime"),  # type: ignore[arg-type]
        (lambda: VirtualTimeScheduler(increment=2), ArgumentError, r"^VirtualTimeScheduler\(increment\) needs"),
        (lambda: VirtualTime(most_turns_in_a_tick=0), ArgumentError, r"^VirtualTime\(most_turns_in_a_tick\) needs"),
    ],
    ids=["clock", "increment", "turns"],
)
def test_bad_arguments_are_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
