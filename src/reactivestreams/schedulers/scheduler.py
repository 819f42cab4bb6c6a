"""What a scheduler is: a clock, and a place where tasks run."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol, Self, cast, runtime_checkable

from reactivestreams.dropped import dropped
from reactivestreams.errors import ArgumentError, ArgumentTypeError


@runtime_checkable
class SchedulerTask(Protocol):
    """Something that a scheduler runs in turns.

    A task may also have `discard(error)`, which a scheduler that is disposed calls instead of running it.
    """

    def execute(self, scheduler: "Scheduler") -> bool:
        """Run one turn; return True when done, False to get another turn after the other tasks."""


Task = SchedulerTask | Callable[[], object]
Due = timedelta | datetime


def checked_task(task: object) -> Task:
    """Return a task that can run, or raise.

    Raises:
        ArgumentTypeError: The value can neither be called nor has it `execute`.
    """
    if callable(task) or turn_of(task) is not None:
        return cast("Task", task)
    raise ArgumentTypeError(
        f"schedule(task) needs a callable or a SchedulerTask, got {task!r} ({type(task).__name__}); "
        f"pass a function without parameters"
    )


def turn_of(task: object) -> Callable[["Scheduler"], bool] | None:
    """Return the `execute` of a SchedulerTask, or None for a callable.

    The same as isinstance, which for a protocol costs as much time as a hundred elements need on their way.
    """
    return getattr(task, "execute", None)


def discard_task(task: Task, error: Exception, *, origin: str) -> None:
    """Tell a task that it will not run; what that raises goes to the hook for dropped signals.

    Args:
        task: What was scheduled; one without `discard` need not be told.
        error: Why it will not run.
        origin: Who tells it, for the hook.
    """
    discard = getattr(task, "discard", None)
    if discard is None:
        return
    try:
        discard(error)
    except BaseException as failure:
        dropped("task", failure, origin=origin)


def seconds_until(due: object, now: datetime) -> float:
    """Return the seconds from now to the due time, negative if that has passed, or raise.

    Raises:
        ArgumentTypeError: The due time is neither a timedelta nor a datetime.
        ArgumentError: It is a datetime without a time zone.
    """
    if isinstance(due, timedelta):
        return due.total_seconds()
    if not isinstance(due, datetime):
        raise ArgumentTypeError(
            f"schedule(due) needs a timedelta or a datetime, got {due!r} ({type(due).__name__}); "
            f"pass e.g. timedelta(seconds=1)"
        )
    if due.utcoffset() is None:
        raise ArgumentError(
            f"schedule(due) needs a datetime with a time zone, got {due!r}; pass e.g. datetime.now(UTC) + delay"
        )
    return (due - now).total_seconds()


class Scheduler(ABC):
    """A clock, and a place where tasks run one at a time in the order in which they are due.

    Operators own no thread and read no clock: both come from a scheduler.
    """

    is_immediate: bool = False
    """Whether `schedule(task)` runs the task before it returns."""

    is_virtual_time: bool = False
    """Whether time stands still while somebody waits, so that whoever waits for a task in a thread waits for ever."""

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
            ArgumentTypeError: The task cannot be run, or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """

    def is_current(self) -> bool:
        """Return whether the calling thread is one in which the tasks of this scheduler run; never runs user code.

        Who would wait for such a task asks first. By default False: a scheduler without threads of its own.
        """
        return False

    @abstractmethod
    def dispose(self) -> None:
        """Take no more tasks and discard those that wait; the running one ends its turn. Idempotent."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.dispose()
