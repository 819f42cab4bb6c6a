"""The scheduler that runs tasks in the thread that schedules them, one after the other and never nested."""

import threading

from reactivestreams.dropped import dropped
from reactivestreams.schedulers.logical import DEFAULT_CAPACITY, LogicalScheduler
from reactivestreams.schedulers.physical import PhysicalScheduler
from reactivestreams.schedulers.run_queue import RunQueue
from reactivestreams.schedulers.scheduler import Due
from reactivestreams.schedulers.task import ScheduledTask, Task
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException
from rs_core.scheduling.serial_queue import SerialQueue


class TrampolineScheduler(LogicalScheduler):
    """Run tasks in the calling thread; a task scheduled inside a task runs after it, so the stack stays flat.

    The thread that finds the trampoline idle runs all tasks, sleeping until due times, and returns when none is left.
    Meanwhile other threads only add tasks: tasks never overlap.

    Args:
        capacity: How many tasks may wait in this scheduler, and in each of its children, from 1; one more is refused.

    Errors: an exception that no handler has handled is raised by the call that runs the tasks, after all have run: the
        first exception is raised, the others go to the hook for dropped signals. Another BaseException, such as
        KeyboardInterrupt, is raised immediately; the waiting tasks run with the next call.

    Example:
        >>> from reactivestreams.schedulers import TrampolineScheduler
        >>> trampoline = TrampolineScheduler()
        >>> def outer():
        ...     trampoline.schedule(lambda: print("inner"))
        ...     print("outer")
        >>> _ = trampoline.schedule(outer)
        outer
        inner
    """

    def __init__(self, *, capacity: int = DEFAULT_CAPACITY) -> None:
        super().__init__(_Trampoline(name="trampoline"), name="trampoline", capacity=capacity)

    def schedule(self, task: Task, *, due: Due | None = None) -> ScheduledTask:
        """Schedule a task; it runs before this returns, unless a task of this trampoline is running.

        Args:
            task: The task to run.
            due: When to run it; the thread that runs the tasks sleeps until then.

        Returns:
            A handle, by which the task can be cancelled.

        Raises:
            SchedulerDisposedError: The scheduler was disposed.
            SchedulerFullError: `capacity` tasks wait already.
            ArgumentTypeError: The task cannot be run, or its priority or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """
        scheduled = super().schedule(task, due=due)
        self._run_what_is_there()
        return scheduled

    def continue_(self) -> None:
        """Run tasks again, here and in all children; waiting tasks run before this returns."""
        super().continue_()
        self._run_what_is_there()

    def recalculate_priority(self) -> None:
        """Ask each task of this scheduler for its priority and whether it has work, and run those that have."""
        super().recalculate_priority()
        self._run_what_is_there()

    def _new_child(self) -> LogicalScheduler:
        return TrampolineScheduler.__new__(TrampolineScheduler)

    def _run_what_is_there(self) -> None:
        physical = self._physical
        assert isinstance(physical, _Trampoline)
        physical.drain()


class _Trampoline(PhysicalScheduler):
    """The thread that finds no other thread draining.

    Invariant, under `_lock`: while `_drainer` is None, no queue is waiting and no alarm is set, or a thread that has
        added one is about to call `drain`, or an interrupt ended the last drain: then the queue is waiting.
    """

    _queue: SerialQueue

    def __init__(self, *, name: str) -> None:
        super().__init__(name=name)
        self._run_queue = RunQueue()
        self._lock = threading.RLock()
        self._drainer: int | None = None
        self._failure: Exception | None = None  # only the drainer accesses it

    def new_queue(self, width: int) -> SerialQueue:
        self._queue = super().new_queue(width)
        return self._queue

    def end_in_child(self) -> None:
        self._lock = threading.RLock()
        self._run_queue.lose_other_threads()
        if self._drainer not in {None, threading.get_ident()}:  # that thread drains in the parent, which has the tasks
            self.leave_to_parent()

    def run_soon(self, queue: SerialQueue) -> None:
        self._run_queue.put(queue)

    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        self._run_queue.set_alarm(queue, due_nanoseconds)

    def remove_root(self, root: LogicalScheduler, queue: SerialQueue) -> None:
        super().remove_root(root, queue)
        self._run_queue.forget(queue)

    def is_current(self) -> bool:
        return self._drainer == threading.get_ident()

    def check_access(self) -> bool:
        return True  # tasks run in any thread

    def give_up(self, unhandled: SchedulerUnhandledException) -> None:
        error = unhandled.exception
        if not isinstance(error, Exception):
            raise error
        if self._failure is None:
            self._failure = error
        else:
            dropped("task", error, origin=unhandled.scheduler.name)

    def drain(self) -> None:
        """Run all tasks, unless a thread is already doing so; raise the exception of the first task that failed."""
        this_thread = threading.get_ident()
        if self._drainer == this_thread:
            return
        failure: Exception | None = None
        try:
            with self._lock:
                if self._drainer is not None:
                    return
                self._drainer = this_thread
            while self._drainer == this_thread:
                self._run_queues()
                failure = self._leave_if_empty()
        except BaseException:  # of a task or a signal handler: waiting tasks run with the next call
            if self._drainer == this_thread:
                self._break_off()
            raise
        if failure is not None:
            raise failure

    def _break_off(self) -> None:
        """Stop draining after an interrupt, which may have removed the queue, or its alarm, without its knowledge."""
        try:
            self._queue.ring()
            self._run_queue.put_once(self._queue)
        finally:
            self._drainer = None

    def _run_queues(self) -> None:
        while not self._run_queue.is_empty:
            queue = self._run_queue.take(self.clock_nanoseconds())
            if queue is not None:
                queue.run_slice()

    def _leave_if_empty(self) -> Exception | None:
        """Stop draining if nothing is left to run; then return the exception to raise."""
        with self._lock:
            if not self._run_queue.is_empty:
                return None
            failure, self._failure = self._failure, None
            self._drainer = None
            return failure
