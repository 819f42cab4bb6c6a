"""What a scheduler is: a clock, and a place where tasks run."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol, Self, runtime_checkable


@runtime_checkable
class SchedulerTask(Protocol):
    """Something that a scheduler runs in turns.

    A task may also have `discard(error)`, which a scheduler that is disposed calls instead of running it.
    """

    def execute(self, scheduler: "Scheduler") -> bool:
        """Run one turn; return True when done, False to get another turn after the other tasks."""


Task = SchedulerTask | Callable[[], object]
Due = timedelta | datetime


class Scheduler(ABC):
    """A clock, and a place where tasks run one at a time in the order in which they are due.

    Operators own no thread and read no clock: both come from a scheduler.
    """

    is_immediate: bool = False
    """Whether `schedule(task)` runs the task before it returns."""

    @property
    @abstractmethod
    def now(self) -> datetime:
        """The present time by this scheduler's clock, aware of its time zone (UTC)."""

    @abstractmethod
    def schedule(self, task: Task, *, due: Due | None = None) -> None:
        """Have a task run.

        Args:
            task: A `SchedulerTask`, or a callable without parameters, which is done after one turn.
            due: When to run it: None at once, a timedelta after now, an aware datetime then.

        Raises:
            SchedulerDisposedError: The scheduler was disposed; the task will not run.
            SchedulerFullError: As many tasks wait as the scheduler holds; the task will not run.
        """

    @abstractmethod
    def dispose(self) -> None:
        """Take no more tasks and discard those that wait; the running one ends its turn. Idempotent."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.dispose()
