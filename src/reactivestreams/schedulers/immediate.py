"""The scheduler that runs a task in the thread that schedules it."""

import time
from datetime import UTC, datetime, timedelta

from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.schedulers.scheduler import Due, Scheduler, SchedulerTask, Task


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
        """Run the task, in as many turns as it needs.

        Args:
            task: What to run.
            due: When; the calling thread sleeps until then.

        Raises:
            SchedulerDisposedError: The scheduler was disposed.
        """
        if self._is_disposed:
            raise SchedulerDisposedError("the scheduler was disposed and takes no task; use a new one")
        if due is not None:
            wait = due if isinstance(due, timedelta) else due - self.now
            time.sleep(max(0.0, wait.total_seconds()))
        if isinstance(task, SchedulerTask):
            while not task.execute(self):
                pass
        else:
            task()

    def dispose(self) -> None:
        """Take no more tasks; idempotent."""
        self._is_disposed = True
