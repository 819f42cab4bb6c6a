"""The scheduler that a disposed one returns as its child: it accepts every task and discards it."""

from datetime import datetime

from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.schedulers.counters import PerformanceCounters
from reactivestreams.schedulers.pause import Pause
from reactivestreams.schedulers.scheduler import Due, Scheduler, nanoseconds_until
from reactivestreams.schedulers.status import SchedulerStatus
from reactivestreams.schedulers.task import ScheduledTask, Task, checked_task, discard_task
from reactivestreams.schedulers.unhandled import UnhandledExceptionEvent
from rs_core.stream.clock import utc_now


class NoOpScheduler(Scheduler):
    """Discard every task immediately: so code that makes a child need not check whether the parent was disposed.

    Args:
        name: The name in messages.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._unhandled_exception = UnhandledExceptionEvent()

    @property
    def now(self) -> datetime:
        """The current time, in UTC."""
        return utc_now()

    @property
    def name(self) -> str:
        """The name in messages."""
        return self._name

    @property
    def status(self) -> SchedulerStatus:
        """Disposed."""
        return SchedulerStatus.DISPOSED

    @property
    def unhandled_exception(self) -> UnhandledExceptionEvent:
        """Handlers that are never called."""
        return self._unhandled_exception

    def schedule(self, task: Task, *, due: Due | None = None) -> ScheduledTask:
        """Discard a task by calling its `discard(error)`.

        Args:
            task: The task, which will not run.
            due: When it would have run.

        Returns:
            A handle, whose `cancel` returns False.

        Raises:
            ArgumentTypeError: The task cannot be run, or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """
        checked_task(task)
        if due is not None:
            nanoseconds_until(due, self.now)
        reason = SchedulerDisposedError(f"{self!r} runs no task: the scheduler above it was disposed; dispose it later")
        discard_task(task, reason, origin=self._name)
        return _Discarded()

    def create_child(self, *, name: str | None = None) -> Scheduler:
        """Return this scheduler.

        Args:
            name: Ignored.
        """
        return self

    def pause_async(self) -> Pause:
        """Return a completed pause: no task ever runs."""
        pause = Pause(self._name)
        pause.complete(False)
        return pause

    def continue_(self) -> None:
        """Do nothing."""

    def recalculate_priority(self) -> None:
        """Do nothing."""

    def performance_counters(self, *, include_children: bool = False) -> PerformanceCounters:
        """Return zeros.

        Args:
            include_children: Ignored.
        """
        return PerformanceCounters()

    def check_access(self) -> bool:
        """Return True: there is nothing to protect."""
        return True

    def dispose(self) -> None:
        """Do nothing."""

    def __repr__(self) -> str:
        return f"NoOpScheduler(name={self._name!r})"


class _Discarded(ScheduledTask):
    """The handle of a task that was discarded."""

    def cancel(self) -> bool:
        """Return False."""
        return False
