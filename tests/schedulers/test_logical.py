"""Logical schedulers over a pool of workers, as strands and without: the same contract, and what each adds."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.lifecycle import DefaultOperatorContext, initialize_tree
from reactivestreams.schedulers import (
    ActionTask,
    ItemProcessingTask,
    LogicalScheduler,
    Scheduler,
    VirtualTimeScheduler,
    WorkerPool,
)
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.contracts.scheduler_contract import SHORT, WAIT_SECONDS, QueuedSchedulerContract, Turns
from tests.contracts.scheduler_tree_contract import SchedulerTreeContract, Sleeper
from tests.schedulers.pools import Countdown, held, settle
from tests.schedulers.test_ready_made_tasks import Queue

MOMENT = datetime(2012, 2, 29, tzinfo=UTC)


class _OnPool:
    workers: int
    affinity: Any = "strand"

    def make(self) -> Scheduler:
        return OwnPool(self.workers, self.affinity)

    def settle(self, scheduler: Scheduler) -> None:
        for _ in range(4):  # each round comes after the turns that the round before requested
            settle(scheduler)

    def hold(self, scheduler: Scheduler) -> Callable[[], None]:
        assert isinstance(scheduler, OwnPool)
        holding = held(scheduler.pool)
        holding.__enter__()
        return lambda: holding.__exit__(None, None, None)


class OwnPool(LogicalScheduler):
    """A root that disposes of its pool."""

    def __init__(self, workers: int, affinity: Any) -> None:
        self.pool = WorkerPool(workers=workers, name="reactivestreams-contract")
        super().__init__(self.pool, affinity=affinity)

    def dispose(self) -> None:
        super().dispose()
        self.pool.dispose()


class TestStrandOfOneWorker(_OnPool, QueuedSchedulerContract, SchedulerTreeContract):
    workers = 1


class TestStrandOfThreeWorkers(_OnPool, QueuedSchedulerContract, SchedulerTreeContract):
    workers = 3


class TestAnyWorkerOfOne(_OnPool, QueuedSchedulerContract, SchedulerTreeContract):
    workers = 1
    affinity = "any"


# --- what runs, and when ---------------------------------------------------------------------------------------------


def test_many_tasks_all_run(root: LogicalScheduler) -> None:
    count = 20_000
    done = Countdown(count)
    for _ in range(count):
        root.schedule(done)
    assert done.wait()
    assert root.pause()  # the last one has been counted
    assert root.performance_counters().task_execution_count == count


def test_tasks_run_on_all_workers_at_the_same_time_unless_they_are_of_one_strand(pool: WorkerPool) -> None:
    barrier = threading.Barrier(3)
    done = Countdown(3)
    root = LogicalScheduler(pool, affinity="any")
    for _ in range(3):
        root.schedule(lambda: done(barrier.wait(WAIT_SECONDS)))
    assert done.wait()

    running, most = [0], [0]
    done = Countdown(300)

    def task() -> None:
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0)
        running[0] -= 1
        done()

    strand = LogicalScheduler(pool)
    children = [strand, strand.create_child(), strand.create_child()]
    for number in range(300):
        children[number % 3].schedule(task)
    assert done.wait()
    assert most == [1]


def test_strands_of_two_roots_run_at_the_same_time(pool: WorkerPool) -> None:
    barrier = threading.Barrier(2)
    done = Countdown(2)
    for name in ("one", "other"):
        LogicalScheduler(pool, name=name).schedule(lambda: done(barrier.wait(WAIT_SECONDS)))
    assert done.wait()


def test_same_task_never_overlaps_itself(pool: WorkerPool) -> None:
    root = LogicalScheduler(pool, affinity="any")
    running = threading.Lock()
    done = threading.Event()
    overlaps: list[str] = []

    class Task(Turns):
        def execute(self, scheduler: Scheduler) -> bool:
            if not running.acquire(blocking=False):
                overlaps.append("overlap")
            time.sleep(0)
            running.release()
            is_done = super().execute(scheduler)
            if is_done:
                done.set()
            return is_done

    root.schedule(Task(500, lambda name: root.recalculate_priority()))
    assert done.wait(WAIT_SECONDS)
    assert overlaps == []


@pytest.mark.parametrize("as_time_of_day", [False, True], ids=["delay", "time of day"])
def test_timer_is_not_early(root: LogicalScheduler, as_time_of_day: bool) -> None:
    ran_at: list[datetime] = []
    done = threading.Event()
    due_at = root.now + SHORT

    def run() -> None:
        ran_at.append(datetime.now(UTC))
        done.set()

    root.schedule(run, due=due_at if as_time_of_day else SHORT)
    assert done.wait(WAIT_SECONDS)
    assert ran_at[0] >= due_at


def test_timer_sets_the_next_one(root: LogicalScheduler) -> None:
    times: list[datetime] = []
    done = threading.Event()

    def tick() -> None:
        times.append(root.now)
        if len(times) == 5:
            done.set()
        else:
            root.schedule(tick, due=SHORT / 4)

    begin = root.now
    root.schedule(tick, due=SHORT / 4)
    assert done.wait(WAIT_SECONDS)
    assert all(later - earlier >= SHORT / 4 for earlier, later in zip([begin, *times], times, strict=False))


def test_timers_in_reverse_order_run_in_the_order_of_their_times() -> None:
    seen: list[int] = []
    for lead in (timedelta(0), 10 * SHORT, 100 * SHORT):
        seen.clear()
        with WorkerPool(workers=1, name="reactivestreams-order") as pool:
            root = LogicalScheduler(pool)
            begin = root.now + lead
            with held(pool):
                for number in range(10, 0, -1):
                    root.schedule(ActionTask(seen.append, number), due=begin + number * SHORT)
                were_all_timers = root.now < begin + SHORT  # a time that has passed is behind what is ready
            settled = threading.Event()
            root.schedule(settled.set, due=begin + 11 * SHORT)
            assert settled.wait(WAIT_SECONDS)
        if were_all_timers:
            break
    assert seen == list(range(1, 11))


def test_thousand_timers_all_run(root: LogicalScheduler) -> None:
    done = Countdown(1_000)
    for number in range(1_000):
        root.schedule(done, due=timedelta(microseconds=(number * 7_919) % 50_000))
    assert done.wait()


@pytest.mark.parametrize("due", [timedelta(days=50), timedelta.max, datetime.max.replace(tzinfo=UTC)], ids=str)
def test_task_of_the_far_future_stops_no_worker(root: LogicalScheduler, due: Any) -> None:
    task = Turns(1, print)
    root.schedule(task, due=due)
    if isinstance(due, timedelta) and due < timedelta.max:
        root.schedule(task, due=root.now + due)
    for _ in range(5):
        settle(root)
    assert root.performance_counters().timed_count == (2 if due == timedelta(days=50) else 1)
    root.dispose()
    assert {type(error) for error in task.discarded} == {SchedulerDisposedError}


@pytest.mark.parametrize("due", [timedelta.min, -timedelta(microseconds=1), datetime.min.replace(tzinfo=UTC)], ids=str)
def test_task_of_the_past_runs_at_once_and_is_no_tick(root: LogicalScheduler, due: Any) -> None:
    done = threading.Event()
    root.schedule(done.set, due=due)
    assert done.wait(WAIT_SECONDS)
    assert root.performance_counters().timer_tick_count == 0


def test_timer_of_a_child_of_a_disposed_parent_never_runs(pool: WorkerPool, root: LogicalScheduler) -> None:
    seen: list[str] = []
    done = threading.Event()
    parent = root.create_child()
    task = Turns(1, seen.append)
    with held(pool):  # no timer runs before the disposal, however long that takes
        parent.create_child().schedule(task, due=SHORT)
        root.create_child().schedule(lambda: None, due=SHORT / 2)
        root.create_child().schedule(done.set, due=2 * SHORT)
        parent.dispose()
    assert done.wait(WAIT_SECONDS)
    assert (seen, len(task.discarded)) == ([], 1)


def test_queue_task_runs_only_while_there_are_items(root: LogicalScheduler) -> None:
    processor = Queue()
    task = ItemProcessingTask(processor, batch_size=10)
    root.schedule(task)
    settle(root)
    assert processor.batches == []
    processor.items.extend(range(100))
    root.recalculate_priority()
    deadline = time.monotonic() + WAIT_SECONDS
    while processor.items and time.monotonic() < deadline:
        settle(root)
    assert [len(batch) for batch in processor.batches] == [10] * 10


def test_one_recalculation_wakes_every_task_that_has_work(root: LogicalScheduler) -> None:
    done = Countdown(100)
    sleepers = [Sleeper(1, done) for _ in range(100)]
    for sleeper in sleepers:
        root.schedule(sleeper)
    settle(root)
    assert done.left == 100
    for sleeper in sleepers:
        sleeper.is_runnable = True
    root.recalculate_priority()
    assert done.wait()


# --- order -----------------------------------------------------------------------------------------------------------


def test_lowest_priority_goes_first_and_equals_in_their_order() -> None:
    seen: list[str] = []
    with WorkerPool(workers=1, name="reactivestreams-order") as pool:
        root = LogicalScheduler(pool)
        child = root.create_child()
        with held(pool):
            for number, priority in enumerate([1, 2, 0, 1, 2, 0, -5]):
                (root, child)[number % 2].schedule(ActionTask(seen.append, f"{priority}:{number}", priority=priority))
        settle_low(root)
    assert seen == ["-5:6", "0:2", "0:5", "1:0", "1:3", "2:1", "2:4"]


def settle_low(scheduler: Scheduler) -> None:
    done = threading.Event()
    scheduler.schedule(ActionTask(done.set, priority=1_000))
    assert done.wait(WAIT_SECONDS)


def test_priority_changes_with_a_recalculation() -> None:
    seen: list[str] = []

    class Changing(Turns):
        priority = 5

        def recalculate_priority(self) -> None:
            self.priority = 0

    with WorkerPool(workers=1, name="reactivestreams-order") as pool:
        root = LogicalScheduler(pool)
        changing, fixed = root.create_child(), root.create_child()
        with held(pool):
            changing.schedule(Changing(1, seen.append, "changing"))
            fixed.schedule(ActionTask(seen.append, "fixed", priority=3))
            changing.recalculate_priority()
        settle_low(root)
    assert seen == ["changing", "fixed"]


def test_later_timer_of_better_priority_overtakes_when_both_are_due() -> None:
    seen: list[str] = []
    with WorkerPool(workers=1, name="reactivestreams-order") as pool:
        root = LogicalScheduler(pool)
        with held(pool):
            root.schedule(ActionTask(seen.append, "early", priority=2), due=SHORT / 20)
            root.schedule(ActionTask(seen.append, "late", priority=1), due=SHORT / 10)
            until = time.monotonic() + SHORT.total_seconds()
            while time.monotonic() < until:
                pass
        settle_low(root)
    assert seen == ["late", "early"]


# --- where one is ----------------------------------------------------------------------------------------------------


def test_being_in_a_turn_is_of_the_thread_the_tree_and_the_status(pool: WorkerPool) -> None:
    root, other = LogicalScheduler(pool), LogicalScheduler(pool)
    child, paused = root.create_child(), root.create_child()
    paused.pause()
    seen: list[list[bool]] = []

    def look() -> None:
        seen.append([each.is_in_turn() for each in (root, child, paused, other)])

    child.schedule(look)
    settle(child)
    look()
    with held(pool):  # other threads are inside of turns
        look()
    assert seen == [[True, True, False, False], [False] * 4, [False] * 4]


def test_streams_read_the_systems_clock_where_a_scheduler_shows_it_and_else_ask_it(root: LogicalScheduler) -> None:
    class Stopped(LogicalScheduler):
        @property
        def now(self) -> datetime:
            return MOMENT

    stopped = Stopped(root._physical)
    assert (root.shows_system_time, root.create_child().shows_system_time) == (True, True)
    assert (VirtualTimeScheduler().shows_system_time, stopped.shows_system_time) == (False, False)
    seen: list[Any] = []
    node = Stream.just(1).timestamp().do(seen.append).bind(RecordingSubscriber())
    initialize_tree(node, DefaultOperatorContext("rx://query", stopped))
    node.request(1)
    settle(stopped)
    assert seen == [(MOMENT, 1)]


def test_handle_of_a_task_says_what_it_is_and_where() -> None:
    root = VirtualTimeScheduler(name="root")
    handle = root.schedule(print)
    assert repr(handle) == "<<built-in function print> waits in VirtualTimeScheduler(name='root')>"
    handle.cancel()
    assert repr(handle).startswith("<<built-in function print> is over in ")


def test_now_is_the_time_of_the_system_in_utc(root: LogicalScheduler) -> None:
    before = datetime.now(UTC) - timedelta(microseconds=1)  # which is rounded, the other one is cut off
    now = root.now
    assert before <= now <= datetime.now(UTC)
    assert now.tzinfo is UTC
