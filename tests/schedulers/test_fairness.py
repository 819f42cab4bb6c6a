"""No task starves: bounds in turns, not in time."""

from itertools import takewhile

import pytest

from reactivestreams.schedulers import ActionTask, LogicalScheduler, Scheduler
from rs_core.scheduling.serial_queue import AGING_TURNS, SLICE_TURNS
from rs_core.scheduling.task_tree import MOST_PRIORITY
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.scheduler_contract import Turns


class Endless(Turns):
    """A task that always wants another turn."""

    def __init__(self, seen: list[str], name: str, *, priority: int = 1) -> None:
        super().__init__(-1, seen.append, name)
        self.priority = priority


def turns_before(seen: list[str], name: str) -> int:
    return len(list(takewhile(lambda each: each != name, seen)))


def test_equal_priorities_take_turns() -> None:
    scheduler, seen = ManualScheduler(), []
    for name in "abc":
        scheduler.create_child().schedule(Endless(seen, name))
    for _ in range(300):
        scheduler.run_next()
    assert "".join(seen) == "abc" * 100


@pytest.mark.parametrize("better", [1, 3])
def test_worse_priority_waits_a_bounded_number_of_turns(better: int) -> None:
    scheduler, seen = ManualScheduler(), []
    for _ in range(better):
        scheduler.schedule(Endless(seen, "better", priority=0))
    scheduler.schedule(ActionTask(seen.append, "worse", priority=2))
    while "worse" not in seen:
        scheduler.run_next()
    assert turns_before(seen, "worse") <= 2 * AGING_TURNS + better


def test_worst_priority_of_all_is_no_further_than_its_bound() -> None:
    scheduler, seen = ManualScheduler(), []
    for priority in (10**18, -(10**18)):
        scheduler.schedule(ActionTask(seen.append, str(priority), priority=priority))
    scheduler.schedule(ActionTask(seen.append, "bound", priority=MOST_PRIORITY))
    scheduler.run_waiting()
    assert seen == [str(-(10**18)), str(10**18), "bound"]


def test_what_waits_longer_than_the_bound_goes_first_though_better_ones_keep_coming() -> None:
    scheduler, seen = ManualScheduler(), []
    scheduler.schedule(ActionTask(seen.append, "worse", priority=1))

    def better() -> None:
        seen.append("better")
        scheduler.schedule(ActionTask(better, priority=0))

    scheduler.schedule(ActionTask(better, priority=0))
    while "worse" not in seen:
        scheduler.run_next()
    assert AGING_TURNS <= turns_before(seen, "worse") <= AGING_TURNS + 1


def test_queues_take_slices_in_turn() -> None:
    scheduler, seen = ManualScheduler(), []
    for name in "ab":
        LogicalScheduler(scheduler.manual, name=name).schedule(Endless(seen, name))
    for _ in range(4):
        scheduler.manual.line.popleft().run_slice()
    assert "".join(seen) == ("a" * SLICE_TURNS + "b" * SLICE_TURNS) * 2


def test_recalculation_without_end_lets_the_other_tasks_run() -> None:
    scheduler, seen = ManualScheduler(), []

    class Restless(Endless):
        def recalculate_priority(self) -> None:
            scheduler.recalculate_priority()

    scheduler.schedule(Restless(seen, "restless"))
    scheduler.schedule(Turns(2, seen.append, "other"))
    for _ in range(6):
        scheduler.run_next()
    assert seen.count("other") == 2


def test_task_scheduled_by_a_task_comes_after_those_that_wait() -> None:
    scheduler, seen = ManualScheduler(), []

    class Spawning(Turns):
        def execute(self, scheduler: Scheduler) -> bool:
            scheduler.schedule(lambda: seen.append("spawned"))
            return super().execute(scheduler)

    scheduler.schedule(Spawning(1, seen.append, "first"))
    scheduler.schedule(lambda: seen.append("second"))
    scheduler.run_waiting()
    assert seen == ["first", "second", "spawned"]
