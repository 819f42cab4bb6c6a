"""The scheduler that tests run by hand keeps the contract of the real ones: others can be written, too."""

from collections.abc import Callable

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
