"""The scheduler that runs a task in the thread that schedules it."""

import time
from typing import NoReturn

from reactivestreams.schedulers.logical import DEFAULT_CAPACITY, LogicalScheduler
from reactivestreams.schedulers.physical import PhysicalScheduler
from reactivestreams.schedulers.run_queue import LONGEST_SLEEP_SECONDS, NANOSECONDS
from reactivestreams.schedulers.scheduler import Due, nanoseconds_until
from reactivestreams.schedulers.status import SchedulerStatus
from reactivestreams.schedulers.task import ScheduledTask, Task, checked_task
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException
from rs_core.scheduling.inline_queue import InlineQueue
from rs_core.scheduling.serial_queue import REFUSED_DISPOSED, SerialQueue


class ImmediateScheduler(LogicalScheduler):
    """Run each task in the calling thread before `schedule` returns; it waits for a due time.

    Tasks wait only if they were scheduled during a pause or have no work: they run in the thread that calls `continue_`
    or `recalculate_priority`. Tasks of several threads run at the same time.

    Args:
        capacity: How many tasks may wait in this scheduler, and in each of its children, from 1; one more is refused.

    Errors: an exception that no handler has handled is raised where the task ran. If several waiting tasks run, it is
    raised after all of them: the first exception is raised, the others go to the hook for dropped signals. Another
    BaseException, such as KeyboardInterrupt, is raised immediately; the waiting tasks run with the next `continue_` or
    `recalculate_priority`.

    Example:
        >>> from reactivestreams.schedulers import ImmediateScheduler
        >>> _ = ImmediateScheduler().schedule(lambda: print("ran"))
        ran
    """

    is_immediate = True

    def __init__(self, *, capacity: int = DEFAULT_CAPACITY) -> None:
        super().__init__(_Caller(name="immediate"), name="immediate", capacity=capacity)

    def schedule(self, task: Task, *, due: Due | None = None) -> ScheduledTask:
        """Run the task, in as many turns as it needs; raise its exception.

        Args:
            task: The task to run.
            due: When to run it; the calling thread sleeps until then.

        Returns:
            A handle, by which the task can be cancelled, if the scheduler is paused and it waits.

        Raises:
            SchedulerDisposedError: The scheduler was disposed, perhaps while the thread slept.
            SchedulerFullError: The scheduler is paused, and `capacity` tasks wait already.
            ArgumentTypeError: The task cannot be run, or its priority or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """
        checked_task(task)
        if due is not None:
            self._sleep_until(due)
        return self._admitted(self._caller_queue.run_now(self._node, task, self._capacity))

    def continue_(self) -> None:
        """Run tasks again, here and in all children; waiting tasks run now, in this thread."""
        super().continue_()
        self._caller_queue.run_parked(self._node, True)

    def recalculate_priority(self) -> None:
        """Run, in this thread, the tasks of this scheduler that had no work and now have some."""
        self._caller_queue.run_parked(self._node, False)

    def _new_child(self) -> LogicalScheduler:
        return ImmediateScheduler.__new__(ImmediateScheduler)

    @property
    def _caller_queue(self) -> InlineQueue:
        queue = self._queue
        assert isinstance(queue, InlineQueue)
        return queue

    def _sleep_until(self, due: Due) -> None:
        if self.status is SchedulerStatus.DISPOSED:
            self._refuse(REFUSED_DISPOSED)
        until = self._physical.clock_nanoseconds() + nanoseconds_until(due, self.now)
        while (left := until - self._physical.clock_nanoseconds()) > 0:
            time.sleep(min(left / NANOSECONDS, LONGEST_SLEEP_SECONDS))


class _Caller(PhysicalScheduler):
    """The calling thread."""

    def new_queue(self, width: int) -> SerialQueue:
        return InlineQueue(self)

    def run_soon(self, queue: SerialQueue) -> NoReturn:
        raise AssertionError("no queue waits for a thread")

    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> NoReturn:
        raise AssertionError("the calling thread sleeps until a due time")

    def is_current(self) -> bool:
        return False

    def check_access(self) -> bool:
        return True

    def give_up(self, unhandled: SchedulerUnhandledException) -> NoReturn:
        raise unhandled.exception
