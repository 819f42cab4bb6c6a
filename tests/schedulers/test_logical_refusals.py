"""What logical schedulers refuse: tasks, physical schedulers, capacities, and tasks beyond their capacity."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, SchedulerDisposedError, SchedulerFullError
from reactivestreams.schedulers import LogicalScheduler, Scheduler, WorkerPool
from tests.contracts.scheduler_contract import WAIT_SECONDS, Turns


@pytest.mark.parametrize("due", [None, timedelta(1), datetime(2013, 1, 1, tzinfo=UTC)], ids=["none", "delay", "time"])
def test_none_is_no_task(root: LogicalScheduler, due: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"^schedule\(task\) needs a callable or a SchedulerTask, got None"):
        root.schedule(None, due=due)  # type: ignore[arg-type]


@pytest.mark.parametrize("physical", [None, "pool", object()], ids=["None", "str", "object"])
def test_what_is_no_physical_scheduler_is_refused(physical: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"^LogicalScheduler\(physical\) needs a PhysicalScheduler, got .*Pool"):
        LogicalScheduler(physical)


def test_other_affinity_is_refused(pool: WorkerPool) -> None:
    with pytest.raises(
        ArgumentError, match=r"^LogicalScheduler\(affinity\) needs one of .*, got 'both'; pass 'strand'"
    ):
        LogicalScheduler(pool, affinity="both")  # type: ignore[arg-type]


@pytest.mark.parametrize(("capacity", "error"), [(0, ArgumentError), (-1, ArgumentError), (None, ArgumentTypeError)])
def test_bad_capacity_is_refused(pool: WorkerPool, capacity: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"LogicalScheduler\(capacity\) needs "):
        LogicalScheduler(pool, capacity=capacity)


def test_pool_that_was_disposed_takes_no_scheduler(pool: WorkerPool) -> None:
    pool.dispose()
    with pytest.raises(SchedulerDisposedError, match=r"^WorkerPool\(workers=3, .*\) was disposed and runs nothing"):
        LogicalScheduler(pool)


def test_each_scheduler_of_a_tree_holds_its_capacity(pool: WorkerPool) -> None:
    root = LogicalScheduler(pool, name="small", capacity=2)
    child = root.create_child()
    assert root.pause()
    for each in (root, root, child, child):
        each.schedule(print)
    for each in (root, child):
        with pytest.raises(SchedulerFullError, match=rf"^LogicalScheduler\(name='{each.name}'\) has 2 waiting tasks"):
            each.schedule(print)


def test_task_that_takes_turns_keeps_its_place_in_a_full_scheduler(pool: WorkerPool) -> None:
    root = LogicalScheduler(pool, capacity=1)
    is_full, done = threading.Event(), threading.Event()

    class Filling(Turns):
        def execute(self, scheduler: Scheduler) -> bool:
            if not is_full.is_set():
                scheduler.schedule(lambda: None)
                is_full.set()
                return False
            done.set()
            return True

    root.schedule(Filling(2, print))
    assert done.wait(WAIT_SECONDS)
