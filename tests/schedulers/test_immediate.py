"""The scheduler that runs a task before `schedule` returns."""

import threading
from datetime import UTC, datetime

import pytest

from reactivestreams.schedulers import ImmediateScheduler, Scheduler
from tests.contracts.scheduler_contract import SHORT, SchedulerContract
from tests.contracts.scheduler_tree_contract import SchedulerTreeContract


class TestImmediateScheduler(SchedulerContract, SchedulerTreeContract):
    def make(self) -> Scheduler:
        return ImmediateScheduler()

    def settle(self, scheduler: Scheduler) -> None:
        pass  # nothing ever waits


def test_task_runs_in_the_thread_that_schedules_it() -> None:
    seen: list[threading.Thread] = []
    ImmediateScheduler().schedule(lambda: seen.append(threading.current_thread()))
    assert seen == [threading.current_thread()]


def test_task_inside_a_task_runs_at_once() -> None:
    scheduler, seen = ImmediateScheduler(), []

    def outer() -> None:
        scheduler.schedule(lambda: seen.append("inner"))
        seen.append("outer")

    scheduler.schedule(outer)
    assert seen == ["inner", "outer"]


def test_due_time_is_waited_for() -> None:
    scheduler = ImmediateScheduler()
    begin = scheduler.now
    ran_at: list[datetime] = []
    scheduler.schedule(lambda: ran_at.append(datetime.now(UTC)), due=SHORT)
    scheduler.schedule(lambda: ran_at.append(datetime.now(UTC)), due=begin + 2 * SHORT)
    assert ran_at[0] >= begin + SHORT
    assert ran_at[1] >= begin + 2 * SHORT


def test_exception_of_a_task_is_raised_where_it_was_scheduled() -> None:
    def fail() -> None:
        raise ValueError("mine")

    scheduler, seen = ImmediateScheduler(), []
    with pytest.raises(ValueError, match="mine"):
        scheduler.schedule(fail)
    scheduler.schedule(lambda: seen.append("goes on"))
    assert seen == ["goes on"]
