"""The collector may run at each allocation, and a finalizer call the scheduler: no step of a queue is torn by it."""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from reactivestreams.schedulers import LogicalScheduler, Pause, SchedulerStatus
from tests.contracts.finalized import Finalized
from tests.contracts.manual_scheduler import ManualPhysical

MOST_FREE_LISTS = 80  # so many the interpreter keeps for new ones, whose making lets no collector run


class TwoAtATime(ManualPhysical):
    """Has room for a second slice; its clock runs no Python code."""

    clock_nanoseconds = staticmethod(time.monotonic_ns)  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.width = 2


@contextmanager
def collecting_next(act: Callable[[], object]) -> Iterator[Callable[[], object]]:
    """Give a function; from its call on the collector runs with the next allocation, and `act` as a finalizer."""
    kept: list[list[object]] = []

    def arm() -> None:
        garbage = Finalized(act)
        garbage.itself = garbage  # type: ignore[attr-defined]
        del garbage
        kept.extend([] for _ in range(MOST_FREE_LISTS))
        gc.set_threshold(1)
        gc.enable()

    thresholds = gc.get_threshold()
    gc.collect()
    gc.disable()
    try:
        yield arm
    finally:
        gc.set_threshold(*thresholds)
        gc.enable()


@pytest.mark.parametrize("is_paused", [False, True])
def test_pause_of_a_finalizer_beside_the_end_of_a_turn_waits_for_the_other_turns(is_paused: bool) -> None:
    physical = TwoAtATime()
    root = LogicalScheduler(physical, affinity="any")
    child = root.create_child()
    pauses: list[Pause] = []
    done_early: list[bool] = []

    with collecting_next(lambda: pauses.append(root.pause_async())) as arm:

        def outer() -> None:
            if is_paused:
                root.pause_async()
                child.continue_()
            child.schedule(arm)
            physical.line.popleft().run_slice()  # as another worker would
            gc.collect()  # for interpreters in which no allocation lets it run
            done_early.extend(pause.is_done for pause in pauses)

        root.schedule(outer)
        physical.run_turn()
    assert done_early == [False]
    assert [pause.is_done and pause.wait() for pause in pauses] == [True]
    assert root.status is SchedulerStatus.PAUSED
