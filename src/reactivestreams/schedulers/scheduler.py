"""What a scheduler is: a clock, and a place where tasks run."""

from abc import abstractmethod
from datetime import datetime, timedelta
from typing import Self

from reactivestreams.arguments import checked_timeout
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers.counters import PerformanceCounters
from reactivestreams.schedulers.pause import DEFAULT_PAUSE_TIMEOUT_SECONDS, Pause
from reactivestreams.schedulers.status import SchedulerStatus
from reactivestreams.schedulers.task import Task
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
    """A clock, and a place where tasks run.

    Operators own no thread and read no clock: both come from a scheduler. Schedulers form trees: a child runs its tasks
    where its root does, and is paused, continued and disposed with its parent.

    Threads: all methods by any, unless a scheduler says otherwise.
    """

    is_immediate: bool = False
    """Whether `schedule(task)` runs the task before it returns."""

    is_virtual_time: bool = False
    """Whether time stands still while somebody waits, so that whoever waits for a task in a thread waits for ever."""

    @property
    @abstractmethod
    def now(self) -> datetime:
        """The present time by this scheduler's clock, aware of its time zone (UTC)."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What messages call it."""

    @property
    @abstractmethod
    def status(self) -> SchedulerStatus:
        """Whether it runs, pauses, is paused, or was disposed."""

    @abstractmethod
    def schedule(self, task: Task, *, due: Due | None = None) -> None:
        """Have a task run.

        There is no handle: what shall not run after all is scheduled on a child, which is disposed.

        Args:
            task: A `SchedulerTask`, or a callable without parameters, which is done after one turn.
            due: When to run it: None at once, a timedelta after now, an aware datetime then; a time that has passed is
                at once.

        Raises:
            SchedulerDisposedError: The scheduler was disposed; the task will not run.
            SchedulerFullError: As many tasks wait as the scheduler holds; the task will not run.
            ArgumentTypeError: The task cannot be run, or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """

    @abstractmethod
    def create_child(self, *, name: str | None = None) -> "Scheduler":
        """Return a scheduler below this one, paused if this one is; never raises.

        Of a disposed scheduler that is one which discards every task (`NoOpScheduler`).

        Args:
            name: What messages call it; by default its number after the name of this one.
        """

    @abstractmethod
    def pause_async(self) -> Pause:
        """Start no turn of this scheduler and its children from now on; never blocks.

        Tasks that run see their yield token ask them to yield. What is scheduled, or falls due, waits. Pauses are not
        counted: one `continue_` ends any number. Of a disposed scheduler the result is there, and False.

        Returns:
            What becomes done when the running turns are over: `await` it, or `wait()`.
        """

    def pause(self, *, timeout_seconds: float | None = DEFAULT_PAUSE_TIMEOUT_SECONDS) -> bool:
        """Pause, and block until no task of this scheduler and its children runs.

        Args:
            timeout_seconds: The most to wait, from 0; None waits for as long as the running tasks take.

        Returns:
            True when paused; False where another thread has continued the scheduler, or it was disposed.

        Raises:
            PauseTimeoutError: A task still runs. The scheduler goes on pausing.
            WouldDeadlockError: The caller is inside a task of this scheduler or its children, which goes on pausing.
            RunningEventLoopError: The calling thread runs an event loop, which would be blocked; so it goes on.
            ArgumentTypeError: The timeout is not a number; nothing has happened.
            ArgumentError: It is negative; nothing has happened.
        """
        checked_timeout(timeout_seconds, operator="pause")
        return self.pause_async().wait(timeout_seconds=timeout_seconds)

    @abstractmethod
    def continue_(self) -> None:
        """Run tasks again, here and in all children, also those that were paused on their own; harmless while running.

        What fell due meanwhile runs now. Each task is asked again for its priority, and whether it has work.
        """

    @abstractmethod
    def recalculate_priority(self) -> None:
        """Have each task of this scheduler, not of its children, asked for its priority and whether it has work.

        Returns at once; calls in quick succession become one.
        """

    @property
    @abstractmethod
    def unhandled_exception(self) -> UnhandledExceptionEvent:
        """Handlers of what tasks of this scheduler and of its children raise; asked from the child upwards."""

    @abstractmethod
    def performance_counters(self, *, include_children: bool = False) -> PerformanceCounters:
        """Return what this scheduler has done so far.

        Args:
            include_children: Add what all below it have done, also those that were disposed. Uptime and paused time
                stay those of this one.
        """

    def is_current(self) -> bool:
        """Return whether the calling thread is one in which the tasks of this scheduler run; never runs user code.

        A caller that would wait for such a task asks first. By default False: a scheduler without threads of its own.
        """
        return False

    def is_in_turn(self) -> bool:
        """Return whether the calling thread is inside a task of this tree, and this scheduler runs.

        What would be scheduled then may as well be done at once: it is paused, and waited for, with that task. By
        default False. Never runs user code.
        """
        return False

    @abstractmethod
    def dispose(self) -> None:
        """Take no more tasks and discard those that wait, here and in all children; the running one ends its turn.

        Idempotent. Each task that waits gets `discard(error)`.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.dispose()
