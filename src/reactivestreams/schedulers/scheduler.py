"""The interface of schedulers: a clock, and threads that run tasks."""

from abc import abstractmethod
from datetime import datetime, timedelta
from typing import Self

from reactivestreams.arguments import checked_timeout
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers.counters import PerformanceCounters
from reactivestreams.schedulers.pause import DEFAULT_PAUSE_TIMEOUT_SECONDS, Pause
from reactivestreams.schedulers.status import SchedulerStatus
from reactivestreams.schedulers.task import ScheduledTask, Task
from reactivestreams.schedulers.thread_access import ThreadAccess
from reactivestreams.schedulers.unhandled import UnhandledExceptionEvent

Due = timedelta | datetime


def nanoseconds_until(due: object, now: datetime) -> int:
    """Return the nanoseconds from now to the due time, negative if that has passed, or raise.

    Raises:
        ArgumentTypeError: The due time is neither a timedelta nor a datetime.
        ArgumentError: It is a datetime without a time zone.
    """
    if isinstance(due, datetime):
        if due.utcoffset() is None:
            raise ArgumentError(
                f"schedule(due) needs a datetime with a time zone, got {due!r}; pass e.g. datetime.now(UTC) + delay"
            )
        due = due - now
    if not isinstance(due, timedelta):
        raise ArgumentTypeError(
            f"schedule(due) needs a timedelta or a datetime, got {due!r} ({type(due).__name__}); "
            f"pass e.g. timedelta(seconds=1)"
        )
    return ((due.days * 86_400 + due.seconds) * 1_000_000 + due.microseconds) * 1_000


class Scheduler(ThreadAccess):
    """A clock, and threads that run tasks.

    Operators own no thread and read no clock: a scheduler provides both. Schedulers form trees: a child runs its tasks
        in the threads of its root, and is paused, continued and disposed with its parent.

    Threads: any thread may call any method, unless a scheduler says otherwise.
    """

    is_immediate: bool = False
    """Whether `schedule(task)` runs the task before it returns."""

    is_virtual_time: bool = False
    """Whether time stands still while a thread waits, so that a thread that waits for a task waits forever."""

    @property
    @abstractmethod
    def now(self) -> datetime:
        """The current time of this scheduler's clock, a datetime with a time zone (UTC)."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name in messages."""

    @property
    @abstractmethod
    def status(self) -> SchedulerStatus:
        """Whether it runs, pauses, is paused, or was disposed."""

    @abstractmethod
    def schedule(self, task: Task, *, due: Due | None = None) -> ScheduledTask:
        """Schedule a task.

        Args:
            task: A `SchedulerTask`, or a callable without parameters, which takes one turn.
            due: When to run it: None means now, a timedelta is counted from now, a datetime needs a time zone; a time
                that has passed means now.

        Returns:
            A handle, by which the task can be cancelled.

        Raises:
            SchedulerDisposedError: The scheduler was disposed; the task will not run.
            SchedulerFullError: The scheduler has as many waiting tasks as its capacity; the task will not run.
            ArgumentTypeError: The task cannot be run, or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """

    def set_alarm(self, alarm: Task, due: datetime) -> ScheduledTask:
        """Schedule the alarm of an operator, which waits for one at most; it does not count towards a capacity.

        Args:
            alarm: The task. It may run earlier than it is due: it has the operator look at the clock.
            due: When it is due.

        Returns:
            A handle, by which it can be cancelled.

        Raises:
            SchedulerDisposedError: The scheduler was disposed; or the `discard` of the alarm is called with it.
        """
        child = self.create_child()
        child.schedule(alarm, due=due)
        return _OfChild(child)

    @abstractmethod
    def create_child(self, *, name: str | None = None) -> "Scheduler":
        """Return a child scheduler, paused if this one is; never raises.

        The child of a disposed scheduler discards every task (`NoOpScheduler`).

        Args:
            name: The name in messages; by default this scheduler's name and a number.
        """

    @abstractmethod
    def pause_async(self) -> Pause:
        """Start no turn of this scheduler and its children from now on; never blocks.

        The yield tokens of running tasks request a yield. New and due tasks wait. Pauses are not counted: one
        `continue_` ends any number of them. The result of a disposed scheduler is False immediately.

        Returns:
            A pause that is done when the running turns are over: `await` it, or call `wait()`.
        """

    def pause(self, *, timeout_seconds: float | None = DEFAULT_PAUSE_TIMEOUT_SECONDS) -> bool:
        """Pause, and block until no task of this scheduler and its children runs.

        Args:
            timeout_seconds: The maximum time to wait, from 0; None waits as long as the running tasks take.

        Returns:
            True if it is paused; False if another thread continued the scheduler, or it was disposed.

        Raises:
            PauseTimeoutError: A task is still running. The scheduler continues to pause.
            WouldDeadlockError: The caller is inside a task of this scheduler or its children. The scheduler continues
                to pause.
            RunningEventLoopError: The calling thread runs an event loop, which would be blocked. The scheduler
                continues to pause.
            ArgumentTypeError: The timeout is not a number; nothing has happened.
            ArgumentError: It is negative; nothing has happened.
        """
        checked_timeout(timeout_seconds, operator="pause")
        return self.pause_async().wait(timeout_seconds=timeout_seconds)

    @abstractmethod
    def continue_(self) -> None:
        """Run tasks again, here and in all children, also in those that were paused separately; harmless while running.

        Tasks that became due in the meantime run now. Each task is asked again for its priority and whether it has
        work.
        """

    @abstractmethod
    def recalculate_priority(self) -> None:
        """Ask each task of this scheduler, but not of its children, for its priority and whether it has work.

        Returns immediately; calls in quick succession are combined.
        """

    @property
    @abstractmethod
    def unhandled_exception(self) -> UnhandledExceptionEvent:
        """Handlers of exceptions of the tasks of this scheduler and its children; called from the child upwards."""

    @abstractmethod
    def performance_counters(self, *, include_children: bool = False) -> PerformanceCounters:
        """Return the counters of this scheduler.

        Args:
            include_children: Add the counters of all schedulers below it, also of disposed ones. Uptime and paused time
                remain those of this one.
        """

    def is_current(self) -> bool:
        """Return whether the calling thread is one that runs the tasks of this scheduler; never runs user code.

        A caller that would wait for such a task checks this first. By default False: a scheduler without its own
        threads.
        """
        return False

    def is_in_turn(self) -> bool:
        """Return whether the calling thread is inside a task of this tree, and this scheduler is running.

        Then work need not be scheduled but can be done immediately: it is paused, and waited for, with that task. By
        default False. Never runs user code.
        """
        return False

    @abstractmethod
    def dispose(self) -> None:
        """Refuse new tasks and discard waiting ones, here and in all children; the running task finishes its turn.

        Idempotent. Each waiting task gets `discard(error)`.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.dispose()


class _OfChild(ScheduledTask):
    """The only task of a child."""

    def __init__(self, child: Scheduler) -> None:
        self._child = child

    def cancel(self) -> bool:
        """Dispose the child."""
        was_running = self._child.status is not SchedulerStatus.DISPOSED
        self._child.dispose()
        return was_running
