"""The scheduler that one gets from a disposed one."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, SchedulerDisposedError
from reactivestreams.schedulers import NoOpScheduler, PerformanceCounters, SchedulerStatus
from tests.contracts.scheduler_contract import Turns
from tests.contracts.scheduler_tree_contract import Sleeper


@pytest.fixture
def scheduler() -> NoOpScheduler:
    return NoOpScheduler("gone/1")


@pytest.mark.parametrize("due", [None, timedelta(1), -timedelta(1), datetime(2013, 1, 1, tzinfo=UTC)], ids=str)
def test_every_task_is_discarded_and_told(scheduler: NoOpScheduler, due: Any) -> None:
    task = Turns(1, print)
    scheduler.schedule(task, due=due)
    scheduler.schedule(print, due=due)
    (error,) = task.discarded
    assert isinstance(error, SchedulerDisposedError)
    assert str(error) == (
        "NoOpScheduler(name='gone/1') runs no task: the scheduler above it was disposed; dispose it later"
    )


def test_its_child_is_itself(scheduler: NoOpScheduler) -> None:
    assert scheduler.create_child(name="child") is scheduler


def test_it_has_nothing_to_pause_to_count_or_to_protect(scheduler: NoOpScheduler) -> None:
    told: list[Any] = []
    scheduler.unhandled_exception.add(told.append)
    scheduler.schedule(Sleeper(1, print))
    pause = scheduler.pause_async()
    assert (pause.is_done, pause.wait(), scheduler.pause()) == (True, False, False)
    scheduler.continue_()
    scheduler.recalculate_priority()
    scheduler.verify_access()
    assert (scheduler.check_access(), scheduler.is_current(), scheduler.name) == (True, False, "gone/1")
    assert scheduler.performance_counters(include_children=True) == PerformanceCounters()
    scheduler.dispose()
    assert (scheduler.status, told) == (SchedulerStatus.DISPOSED, [])
    assert scheduler.now.tzinfo is UTC


def test_what_is_wrong_with_the_arguments_is_said_all_the_same(scheduler: NoOpScheduler) -> None:
    with pytest.raises(ArgumentTypeError, match=r"^schedule\(task\) needs a callable or a SchedulerTask, got None"):
        scheduler.schedule(None)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^schedule\(due\) needs a datetime with a time zone"):
        scheduler.schedule(print, due=datetime(2013, 1, 1))  # noqa: DTZ001 - the subject
