"""What a queue does for others also where an interrupt keeps it from telling its physical scheduler of more work."""

import pytest

from reactivestreams.schedulers import LogicalScheduler, Pause, Scheduler, SchedulerStatus, SerialQueue
from tests.contracts.manual_scheduler import ManualPhysical
from tests.contracts.scheduler_contract import Turns


class UntoldPhysical(ManualPhysical):
    """Has room for a second slice, so that a queue may be put in line during a turn, and raises then when told to."""

    def __init__(self) -> None:
        super().__init__()
        self.width = 2
        self.is_interrupted = False

    def run_soon(self, queue: SerialQueue) -> None:
        if self.is_interrupted:
            raise KeyboardInterrupt
        super().run_soon(queue)


@pytest.fixture
def physical() -> UntoldPhysical:
    return UntoldPhysical()


@pytest.fixture
def root(physical: UntoldPhysical) -> LogicalScheduler:
    return LogicalScheduler(physical, affinity="any")


def test_pause_is_completed_by_the_turn_that_it_waits_for(physical: UntoldPhysical, root: LogicalScheduler) -> None:
    child = root.create_child()
    pauses: list[Pause] = []

    class Pausing(Turns):
        def execute(self, scheduler: Scheduler) -> bool:
            pauses.append(root.pause_async())
            child.continue_()
            physical.line.popleft().run_slice()  # as another worker would
            physical.is_interrupted = True
            return False

    child.schedule(Pausing(9, print))
    with pytest.raises(KeyboardInterrupt):
        physical.run_turn()
    assert [pause.is_done and pause.wait() for pause in pauses] == [True]
    assert root.status is SchedulerStatus.PAUSED


def test_pause_is_overtaken_by_the_continue(physical: UntoldPhysical, root: LogicalScheduler) -> None:
    seen: list[bool] = []

    def task() -> None:
        pause = root.pause_async()
        physical.is_interrupted = True
        with pytest.raises(KeyboardInterrupt):
            root.continue_()
        physical.is_interrupted = False
        seen.extend([pause.is_done, pause.wait()])

    root.schedule(task)
    physical.run_turn()
    assert seen == [True, False]
