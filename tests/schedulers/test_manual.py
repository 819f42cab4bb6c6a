"""The scheduler that tests run by hand keeps the contract of the real ones: others can be written, too."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from reactivestreams.schedulers import Scheduler
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.scheduler_contract import SHORT, QueuedSchedulerContract
from tests.contracts.scheduler_tree_contract import SchedulerTreeContract


class TestManualScheduler(QueuedSchedulerContract, SchedulerTreeContract):
    def make(self) -> Scheduler:
        return ManualScheduler()

    def settle(self, scheduler: Scheduler) -> None:
        root = getattr(scheduler, "root", scheduler)
        assert isinstance(root, ManualScheduler)
        root.run_waiting()

    def hold(self, scheduler: Scheduler) -> Callable[[], None]:
        return lambda: None  # nothing runs before the test says so


def test_task_waits_until_the_clock_is_moved() -> None:
    scheduler, seen = ManualScheduler(), []
    scheduler.schedule(lambda: seen.append("due"), due=SHORT)
    scheduler.run_waiting()
    assert seen == []
    scheduler.advance(SHORT)
    scheduler.run_waiting()
    assert seen == ["due"]


@pytest.mark.parametrize("as_time_of_day", [False, True], ids=["delay", "time of day"])
def test_timer_runs_neither_before_its_time_nor_after_it(as_time_of_day: bool) -> None:
    scheduler = ManualScheduler()
    begin = scheduler.now
    lateness: list[timedelta] = []
    for number in (3, 1, 2):
        due = number * SHORT

        def note(due: timedelta = due) -> None:
            lateness.append(scheduler.now - begin - due)

        scheduler.schedule(note, due=begin + due if as_time_of_day else due)
    step = SHORT / 4
    ran_after = []
    for _ in range(12):
        scheduler.advance(step)
        scheduler.run_waiting()
        ran_after.append(len(lateness))
    assert (ran_after, lateness) == ([0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3], [timedelta(0)] * 3)
