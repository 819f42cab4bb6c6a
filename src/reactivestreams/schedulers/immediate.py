"""The scheduler that runs a task in the thread that schedules it."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.schedulers.scheduler import Due, Scheduler, Task, checked_task, seconds_until, turn_of


class ImmediateScheduler(Scheduler):
    """Run each task in the calling thread before `schedule` returns; a due time is waited for.

    Example:
        >>> from reactivestreams.schedulers import ImmediateScheduler
        >>> ImmediateScheduler().schedule(lambda: print("ran"))
        ran
    """

    is_immediate = True

    def __init__(self) -> None:
        self._is_disposed = False

    @property
    def now(self) -> datetime:
        """The present time, in UTC."""
        return datetime.now(UTC)

    def schedule(self, task: Task, *, due: Due | None = None) -> None:
        """Run the task, in as many turns as it needs; what it raises is raised here.

        Args:
            task: What to run.
            due: When; the calling thread sleeps until then.

        Raises:
            SchedulerDisposedError: The scheduler was disposed.
            ArgumentTypeError: The task cannot be run, or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """
        checked_task(task)
        if self._is_disposed:
            raise SchedulerDisposedError("the scheduler was disposed and takes no task; use a new one")
        if due is not None:
            time.sleep(max(0.0, seconds_until(due, self.now)))
        run_turn = turn_of(task)
        if run_turn is None:
            cast("Callable[[], object]", task)()
            return
        while not run_turn(self):
            pass

    def dispose(self) -> None:
        """Take no more tasks; idempotent."""
        self._is_disposed = True
