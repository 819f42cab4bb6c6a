"""The scheduler that runs a task before `schedule` returns."""

import threading
from datetime import datetime
from typing import NoReturn

import pytest

from reactivestreams.schedulers import ImmediateScheduler, Scheduler
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.scheduler_contract import SHORT, SchedulerContract
from tests.contracts.scheduler_tree_contract import SchedulerTreeContract


class TestImmediateScheduler(SchedulerContract, SchedulerTreeContract):
    sleeps_until_due = True

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
    scheduler.schedule(lambda: ran_at.append(scheduler.now), due=SHORT)
    scheduler.schedule(lambda: ran_at.append(scheduler.now), due=begin + 2 * SHORT)
    assert ran_at[0] >= begin + SHORT
    assert ran_at[1] >= begin + 2 * SHORT


def test_of_tasks_that_waited_all_run_the_first_exception_is_raised_and_the_others_are_dropped() -> None:
    scheduler, seen = ImmediateScheduler(), []
    child = scheduler.create_child(name="child")
    errors = [ValueError("first"), ValueError("second")]
    scheduler.pause()
    scheduler.schedule(lambda: fail(errors[0]))
    child.schedule(lambda: fail(errors[1]))
    child.schedule(lambda: seen.append("last"))
    with recorded_drops() as drops, pytest.raises(ValueError, match="first"):
        scheduler.continue_()
    assert (seen, drops) == (["last"], [("task", errors[1], "child")])


def test_interrupt_of_a_task_that_waited_is_raised_at_once_and_the_others_run_with_the_next_call() -> None:
    scheduler, seen = ImmediateScheduler(), []
    error = ValueError("before")
    scheduler.pause()
    for task in (lambda: fail(error), lambda: fail(KeyboardInterrupt()), lambda: seen.append("left")):
        scheduler.schedule(task)
    with recorded_drops() as drops, pytest.raises(KeyboardInterrupt):
        scheduler.continue_()
    assert (seen, drops) == ([], [("task", error, "immediate")])
    scheduler.recalculate_priority()
    assert seen == ["left"]


def fail(error: BaseException) -> NoReturn:
    raise error


def test_exception_of_a_task_is_raised_where_it_was_scheduled() -> None:
    scheduler, seen = ImmediateScheduler(), []
    with pytest.raises(ValueError, match="mine"):
        scheduler.schedule(lambda: fail(ValueError("mine")))
    scheduler.schedule(lambda: seen.append("goes on"))
    assert seen == ["goes on"]
