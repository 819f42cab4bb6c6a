"""A scheduler whose tasks run when the test says so, in the thread of the test."""

from collections import deque
from datetime import UTC, datetime, timedelta
from typing import Any

from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.schedulers import Scheduler, SchedulerTask, checked_task, discard_task, seconds_until


class ManualScheduler(Scheduler):
    """Keeps tasks until `run_waiting`; counts how often something was scheduled. Its clock is moved by hand."""

    def __init__(self) -> None:
        self.schedule_calls = 0
        self._now = datetime(2013, 1, 1, tzinfo=UTC)
        self._waiting: deque[tuple[datetime, Any]] = deque()
        self._is_disposed = False

    @property
    def now(self) -> datetime:
        return self._now

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def schedule(self, task: Any, *, due: timedelta | datetime | None = None) -> None:
        checked_task(task)
        wait_seconds = 0.0 if due is None else seconds_until(due, self._now)
        if self._is_disposed:
            raise SchedulerDisposedError("the manual scheduler was disposed and takes no task; use a new one")
        self.schedule_calls += 1
        self._waiting.append((self._now + timedelta(seconds=wait_seconds), task))

    def advance(self, by: timedelta) -> None:
        self._now += by

    def run_next(self) -> bool:
        """Run one turn of the task that is due first; False: none is due."""
        due = [entry for entry in self._waiting if entry[0] <= self._now]
        if not due:
            return False
        entry = min(due, key=lambda each: each[0])
        self._waiting.remove(entry)
        task = entry[1]
        if isinstance(task, SchedulerTask):
            if not task.execute(self):
                self._waiting.append((self._now, task))
        else:
            task()
        return True

    def run_waiting(self) -> None:
        """Run what is due, and what that schedules, until nothing is due."""
        while self.run_next():
            pass

    def dispose(self) -> None:
        self._is_disposed = True
        waiting, self._waiting = self._waiting, deque()
        for _, task in waiting:
            discard_task(task, SchedulerDisposedError("the manual scheduler was disposed"), origin="manual scheduler")
