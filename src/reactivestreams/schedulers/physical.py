"""What a physical scheduler is: the threads, or the loop, that logical schedulers share, and the clock."""

import os
import threading
import time
import weakref
from abc import abstractmethod
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.schedulers.thread_access import ThreadAccess
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException, UnhandledExceptionEvent
from rs_core.scheduling.serial_queue import SerialQueue
from rs_core.sync.turns import LoopTurns

if TYPE_CHECKING:
    from reactivestreams.schedulers.logical import LogicalScheduler


_schedulers: weakref.WeakSet["PhysicalScheduler"] = weakref.WeakSet()


class PhysicalScheduler(ThreadAccess):
    """Runs the queues of logical schedulers; a documented base.

    One with threads or a loop belongs to the process that made it, and is disposed in a child of `os.fork`.

    Each root of logical schedulers has a queue. A physical scheduler calls `queue.run_slice()` some time after
    `run_soon(queue)`, and `queue.ring()` some time after the time of `wake_at`.

    Args:
        name: For messages, and for the names of threads.
        width: How many queues it runs at the same time.
    """

    def __init__(self, *, name: str, width: int = 1) -> None:
        self.name = name
        self.width = width
        self.unhandled_exception: UnhandledExceptionEvent = UnhandledExceptionEvent()
        """Asked last about what tasks raise, after the handlers of logical schedulers."""
        self._roots: dict[LogicalScheduler, None] = {}
        self._roots_lock = threading.RLock()
        self._is_disposed = False
        self.is_of_parent: bool = False
        """Whether it was made before this process was forked, and belongs to the parent."""
        _schedulers.add(self)

    @property
    def is_disposed(self) -> bool:
        """Whether it runs nothing any more."""
        return self._is_disposed

    @property
    def now(self) -> datetime:
        """The present time, in UTC."""
        return datetime.now(UTC)

    loop_turns: LoopTurns | None = None
    """Where tasks run in an event loop: what bounds how long streams keep its thread."""

    clock_nanoseconds: Callable[[], int] = staticmethod(time.monotonic_ns)
    """Returns the time that due times are measured by; it never goes back."""

    def add_root(self, root: "LogicalScheduler") -> bool:
        """Dispose a root, which is whole by now, with this scheduler; return False where that has happened."""
        with self._roots_lock:
            if not self._is_disposed:
                self._roots[root] = None
            return not self._is_disposed

    def new_queue(self, width: int) -> SerialQueue:
        """Return the queue for a root.

        Args:
            width: How many of its tasks may run at the same time.
        """
        return SerialQueue(self, width=width)

    def remove_root(self, root: "LogicalScheduler", queue: SerialQueue) -> None:
        """Forget a root that was disposed, and the alarm of its queue."""
        with self._roots_lock:
            self._roots.pop(root, None)

    def prepare(self) -> bool:
        """Make ready to run a queue; what fails here fails the call of `schedule`, and nothing has changed.

        Returns:
            Whether the queue need not call this again.
        """
        return True

    @abstractmethod
    def run_soon(self, queue: SerialQueue) -> None:
        """Have `queue.run_slice()` called, after the queues that are in line; never calls it at once."""

    @abstractmethod
    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        """Have `queue.ring()` called at a time by this clock, or before; a queue has one alarm, the earliest."""

    def report(self, scheduler: "LogicalScheduler", exception: BaseException) -> None:
        """Ask the handlers of a task's scheduler, of those above it and of this one; give up if none has handled it.

        Called by queues. Always runs user code where there are handlers.
        """
        unhandled = SchedulerUnhandledException(scheduler, exception)
        above: LogicalScheduler | None = scheduler
        while above is not None:
            if above.unhandled_exception.tell(unhandled):
                return
            above = above.parent
        if not self.unhandled_exception.tell(unhandled):
            self.give_up(unhandled)

    @abstractmethod
    def give_up(self, unhandled: SchedulerUnhandledException) -> None:
        """Do what is to be done about an exception that nobody has handled."""

    def dispose(self) -> None:
        """Dispose all logical schedulers, and run nothing any more. Idempotent."""
        with self._roots_lock:
            self._is_disposed = True
            roots = list(self._roots)
        for root in roots:
            root.dispose()

    def lose_other_threads(self) -> None:
        """Wait for no thread of the parent, in a child of `os.fork`: none of them is there."""
        self._roots_lock = threading.RLock()
        for root in self._roots:
            root.lose_other_threads()

    def end_in_child(self) -> None:
        """Do nothing, or take no task any more, in a child of `os.fork`, where there is only the thread that forked.

        Called there before anything else runs, so it takes no lock: a thread that is gone may hold it.
        """

    def leave_to_parent(self) -> None:
        """Become disposed in silence: the tasks that wait are the parent's, which runs them; none is reported here."""
        self.is_of_parent = self._is_disposed = True
        for root in self._roots:
            root.leave_to_parent()

    def refusal(self, scheduler: object) -> SchedulerDisposedError:
        """Return the error for a task of a scheduler, or for a scheduler, that this one will not run."""
        if self.is_of_parent:
            return SchedulerDisposedError(
                f"{scheduler!r} belongs to the process that this one was forked from, and what runs its tasks is only "
                f"there; make a new scheduler in this process"
            )
        does = "runs nothing any more" if scheduler is self else "takes no task"
        return SchedulerDisposedError(f"{scheduler!r} was disposed and {does}; use a new one")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.dispose()


def _end_in_child() -> None:
    for each in _schedulers:
        each.lose_other_threads()
        each.end_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_in_child)
