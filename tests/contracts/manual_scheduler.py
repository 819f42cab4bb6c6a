"""A scheduler whose tasks run when the test says so, in the thread of the test."""

from collections import deque
from datetime import UTC, datetime, timedelta
from typing import Any

from reactivestreams.schedulers import (
    LogicalScheduler,
    PhysicalScheduler,
    ScheduledTask,
    SchedulerUnhandledException,
    SerialQueue,
    nanoseconds_until,
)


class ManualPhysical(PhysicalScheduler):
    """Keeps queues until it is told to run them. Its clock is moved by hand."""

    def __init__(self) -> None:
        super().__init__(name="manual scheduler")
        self.elapsed = timedelta(0)
        self.line: deque[SerialQueue] = deque()
        self.is_running = False
        self.alarms: dict[SerialQueue, int] = {}

    @property
    def now(self) -> datetime:
        return datetime(2013, 1, 1, tzinfo=UTC) + self.elapsed

    def clock_nanoseconds(self) -> int:
        return nanoseconds_until(self.elapsed, self.now)

    def run_soon(self, queue: SerialQueue) -> None:
        self.line.append(queue)

    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        self.alarms[queue] = min(due_nanoseconds, self.alarms.get(queue, due_nanoseconds))

    def is_current(self) -> bool:
        return self.is_running

    def give_up(self, unhandled: SchedulerUnhandledException) -> None:
        raise unhandled.exception

    def run_turn(self) -> bool:
        """Run one turn of what is in line; False: nothing is."""
        for queue in [queue for queue, due in self.alarms.items() if due <= self.clock_nanoseconds()]:
            del self.alarms[queue]
            queue.ring()
        was_running, self.is_running = self.is_running, True
        try:
            while self.line:
                if self.line.popleft().run_slice(turns=1):
                    return True
            return False
        finally:
            self.is_running = was_running


class ManualScheduler(LogicalScheduler):
    """Keeps tasks until `run_waiting`; counts how often something was scheduled."""

    def __init__(self) -> None:
        self.schedule_calls = 0
        self.manual = ManualPhysical()
        super().__init__(self.manual, name="manual scheduler")

    @property
    def waiting(self) -> int:
        counters = self.performance_counters()
        return counters.ready_count + counters.timed_count + counters.parked_count

    def schedule(self, task: Any, *, due: timedelta | datetime | None = None) -> ScheduledTask:
        scheduled = super().schedule(task, due=due)
        self.schedule_calls += 1
        return scheduled

    def advance(self, by: timedelta) -> None:
        self.manual.elapsed += by

    def run_next(self) -> bool:
        """Run one turn of the task that comes first; False: none is due."""
        return self.manual.run_turn()

    def run_waiting(self) -> None:
        """Run what is due, and what that schedules, until nothing is due."""
        while self.run_next():
            pass
