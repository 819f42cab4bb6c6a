"""The scheduler that runs tasks in the thread that schedules, one after the other instead of one inside the other."""

import threading

from reactivestreams.dropped import dropped
from reactivestreams.schedulers.logical import DEFAULT_CAPACITY, LogicalScheduler
from reactivestreams.schedulers.physical import PhysicalScheduler
from reactivestreams.schedulers.run_queue import RunQueue
from reactivestreams.schedulers.scheduler import Due
from reactivestreams.schedulers.task import Task
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException
from rs_core.scheduling.serial_queue import SerialQueue


class TrampolineScheduler(LogicalScheduler):
    """Run tasks in the calling thread; one that is scheduled inside a task runs after it: the stack stays flat.

    The thread that finds the trampoline idle runs all that is there, sleeping until due times, and returns when
    nothing is left. Other threads only add to it meanwhile: tasks never overlap.

    Args:
        capacity: How many tasks may wait in this scheduler, and in each of its children, from 1; one more is refused.

    Errors: an exception that no handler has handled is raised by the call that runs the tasks, when all have run; of
    several the first, the others go to the hook for dropped signals. Another BaseException, such as KeyboardInterrupt,
    is raised at once; what waits then runs with the next call.

    Example:
        >>> from reactivestreams.schedulers import TrampolineScheduler
        >>> trampoline = TrampolineScheduler()
        >>> def outer():
        ...     trampoline.schedule(lambda: print("inner"))
        ...     print("outer")
        >>> trampoline.schedule(outer)
        outer
        inner
    """

    def __init__(self, *, capacity: int = DEFAULT_CAPACITY) -> None:
        super().__init__(_Trampoline(name="trampoline"), name="trampoline", capacity=capacity)

    def schedule(self, task: Task, *, due: Due | None = None) -> None:
        """Have a task run: before this returns, unless a task of this trampoline runs now.

        Args:
            task: What to run.
            due: When; the thread that runs the tasks sleeps until then.

        Raises:
            SchedulerDisposedError: The scheduler was disposed.
            SchedulerFullError: `capacity` tasks wait already.
            ArgumentTypeError: The task cannot be run, or its priority or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """
        super().schedule(task, due=due)
        self._run_what_is_there()

    def continue_(self) -> None:
        """Run tasks again, here and in all children: those that waited before this returns."""
        super().continue_()
        self._run_what_is_there()

    def recalculate_priority(self) -> None:
        """Have each task of this scheduler asked for its priority and whether it has work, and run what has."""
        super().recalculate_priority()
        self._run_what_is_there()

    def _new_child(self) -> LogicalScheduler:
        return TrampolineScheduler.__new__(TrampolineScheduler)

    def _run_what_is_there(self) -> None:
        physical = self._physical
        assert isinstance(physical, _Trampoline)
        physical.drain()


class _Trampoline(PhysicalScheduler):
    """The thread that finds nobody draining.

    Invariant, under `_lock`: while `_drainer` is None nothing is in line and no alarm is set, or a thread that has put
    something is on its way into `drain`, or an interrupt has ended the last one: then the queue is in line.
    """

    _queue: SerialQueue

    def __init__(self, *, name: str) -> None:
        super().__init__(name=name)
        self._line = RunQueue()
        self._lock = threading.RLock()
        self._drainer: int | None = None
        self._failure: Exception | None = None  # only the drainer touches it

    def new_queue(self, width: int) -> SerialQueue:
        self._queue = super().new_queue(width)
        return self._queue

    def end_in_child(self) -> None:
        self._lock = threading.RLock()
        self._line.lose_other_threads()
        if self._drainer not in {None, threading.get_ident()}:  # it drains in the parent, and its tasks are there
            self.leave_to_parent()

    def run_soon(self, queue: SerialQueue) -> None:
        self._line.put(queue)

    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        self._line.set_alarm(queue, due_nanoseconds)

    def remove_root(self, root: LogicalScheduler, queue: SerialQueue) -> None:
        super().remove_root(root, queue)
        self._line.forget(queue)

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
        """Run all that is there, unless a thread does already; raise what the first task raised that failed."""
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
        except BaseException:  # of a task, or of a signal handler: what waits runs with the next call
            if self._drainer == this_thread:
                self._break_off()
            raise
        if failure is not None:
            raise failure

    def _break_off(self) -> None:
        """Stop draining wherever that was: the queue may be out of line, and its alarm gone, without its knowledge."""
        try:
            self._queue.ring()
            self._line.put_once(self._queue)
        finally:
            self._drainer = None

    def _run_queues(self) -> None:
        while not self._line.is_empty:
            queue = self._line.take(self.clock_nanoseconds())
            if queue is not None:
                queue.run_slice()

    def _leave_if_empty(self) -> Exception | None:
        """Stop draining if nothing is left to run; then return what is to be raised."""
        with self._lock:
            if not self._line.is_empty:
                return None
            failure, self._failure = self._failure, None
            self._drainer = None
            return failure
