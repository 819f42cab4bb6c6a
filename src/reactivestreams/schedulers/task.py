"""The tasks of a scheduler: a callable, or an object that runs in turns."""

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from reactivestreams.dropped import dropped
from reactivestreams.schedulers.yield_token import YieldToken
from rs_core.scheduling.task_tree import ACTION_PRIORITY, checked_task

if TYPE_CHECKING:
    from reactivestreams.schedulers.scheduler import Scheduler

__all__ = [
    "ACTION_PRIORITY",
    "HARNESS_PRIORITY",
    "ITEM_PROCESSING_PRIORITY",
    "ScheduledTask",
    "SchedulerTask",
    "Task",
    "YieldableSchedulerTask",
    "checked_task",
    "discard_task",
]

HARNESS_PRIORITY = 0
"""The priority of a test's own tasks: at one tick of virtual time they run before the tasks of operators."""

ITEM_PROCESSING_PRIORITY = 2
"""The priority of tasks that empty a queue."""


@runtime_checkable
class SchedulerTask(Protocol):
    """A task that a scheduler runs in turns.

    A task has `execute`. It may also have:

    - `priority`, an int, 1 by default: the ready task with the lowest number runs first. It may change only inside
      `recalculate_priority`.
    - `is_runnable`, a bool, True by default: whether there is work now; read by any thread, before each turn and after
      each turn that did not finish the task. A task without work waits until `recalculate_priority` of its scheduler is
      called.
    - `recalculate_priority()`: called by the scheduler after a turn that did not finish the task, and after a call of
      the scheduler's `recalculate_priority`.
    - `discard(error)`: called instead of `execute` by a scheduler that is disposed.

    Turns of one task never overlap.
    """

    def execute(self, scheduler: "Scheduler") -> bool:
        """Run one turn; return True if done, False to get another turn after the other tasks."""
        ...


class YieldableSchedulerTask(SchedulerTask, Protocol):
    """A task that checks, while it runs, whether it should return for a pause; to be subclassed.

    A scheduler with a token calls `execute_yieldable` with it instead of `execute`.
    """

    def execute(self, scheduler: "Scheduler") -> bool:
        """Run one turn with a token that never requests a yield; for schedulers that have none."""
        return self.execute_yieldable(scheduler, YieldToken.NEVER)

    @abstractmethod
    def execute_yieldable(self, scheduler: "Scheduler", yield_token: YieldToken) -> bool:
        """Run one turn; return False soon after `yield_token.is_yield_requested`, True if done."""


Task = SchedulerTask | Callable[[], object]


@runtime_checkable
class ScheduledTask(Protocol):
    """The handle of a task that was scheduled.

    Example:
        >>> from datetime import timedelta
        >>> from reactivestreams.schedulers import VirtualTimeScheduler
        >>> root = VirtualTimeScheduler()
        >>> reminder = root.schedule(lambda: print("not answered"), due=timedelta(seconds=30))
        >>> reminder.cancel(), reminder.cancel()
        (True, False)
        >>> root.clock.start()
    """

    @abstractmethod
    def cancel(self) -> bool:
        """Run the task no more; any thread, never runs user code.

        A turn that is running goes on to its end. The `discard` of the task is not called.

        Returns:
            Whether the task waited, so that no turn of it will begin. False: a turn of it is running, perhaps this one,
            or it is done, or was discarded or cancelled before.
        """


def discard_task(task: Task, error: Exception, *, origin: str) -> None:
    """Notify a task that it will not run; an exception of it goes to the hook for dropped signals.

    Args:
        task: The task; one without `discard` is not notified.
        error: Why it will not run.
        origin: The name of the caller, for the hook.
    """
    discard = getattr(task, "discard", None)
    if discard is None:
        return
    try:
        discard(error)
    except BaseException as failure:
        dropped("task", failure, origin=origin)
