"""The physical scheduler: the threads, or the event loop, that logical schedulers share, and the clock."""

import os
import threading
import time
import weakref
from abc import abstractmethod
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from reactivestreams.errors import SchedulerDisposedError
from reactivestreams.schedulers.thread_access import ThreadAccess
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException, UnhandledExceptionEvent
from rs_core.scheduling.serial_queue import SerialQueue
from rs_core.stream.clock import utc_now
from rs_core.sync.turns import LoopTurns

if TYPE_CHECKING:
    from reactivestreams.schedulers.logical import LogicalScheduler


_schedulers: weakref.WeakSet["PhysicalScheduler"] = weakref.WeakSet()


class PhysicalScheduler(ThreadAccess):
    """Run the queues of logical schedulers; a documented base.

    A scheduler with threads or a loop belongs to the process that made it, and is disposed in a child of `os.fork`.

    Each root of logical schedulers has a queue. A physical scheduler calls `queue.run_slice()` after `run_soon(queue)`,
    and `queue.ring()` after the time that was passed to `wake_at`.

    Args:
        name: The name in messages and of the threads.
        width: The number of queues that it can run at the same time.
    """

    def __init__(self, *, name: str, width: int = 1) -> None:
        self.name = name
        self.width = width
        self.unhandled_exception: UnhandledExceptionEvent = UnhandledExceptionEvent()
        """The last handlers of exceptions of tasks, called after those of the logical schedulers."""
        self._roots: dict[LogicalScheduler, None] = {}
        self._roots_lock = threading.RLock()
        self._common_root: LogicalScheduler | None = None
        self._is_disposed = False
        self.is_of_parent: bool = False
        """Whether it was made before this process was forked, and so belongs to the parent."""
        _schedulers.add(self)

    @property
    def is_disposed(self) -> bool:
        """Whether it was disposed."""
        return self._is_disposed

    @property
    def now(self) -> datetime:
        """The current time, in UTC."""
        return utc_now()

    loop_turns: LoopTurns | None = None
    """The limit for how long streams use the thread of the event loop in which tasks run; None if there is no loop."""

    clock_nanoseconds: Callable[[], int] = staticmethod(time.monotonic_ns)
    """Return the clock of due times, which never goes back."""

    def common_root(self) -> "LogicalScheduler":
        """Return a root whose tasks run in all threads of this scheduler at a time, the same for all callers.

        It is made by the first call, and disposed with this scheduler.

        Raises:
            SchedulerDisposedError: This scheduler was disposed.
        """
        from reactivestreams.schedulers.logical import LogicalScheduler

        with self._roots_lock:
            if self._common_root is None or self._is_disposed:
                self._common_root = LogicalScheduler(self, name=f"{self.name}: all threads", affinity="any")
            return self._common_root

    def inspect(self) -> dict[str, Any]:
        """Return what decides whether its tasks run: `loop_runs` where it has an event loop, `is_virtual`.

        `rs_core.inspection` asks for it; what is not there is left out. Never runs user code.
        """
        return {}

    def add_root(self, root: "LogicalScheduler") -> bool:
        """Register a complete root, to be disposed with this scheduler; return False if this scheduler was disposed."""
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
        """Remove a root that was disposed, and the alarm of its queue."""
        with self._roots_lock:
            self._roots.pop(root, None)

    def prepare(self) -> bool:
        """Prepare to run a queue; an exception is raised by `schedule`, and nothing has changed.

        Returns:
            Whether the queue can skip this call in future.
        """
        return True

    @abstractmethod
    def run_soon(self, queue: SerialQueue) -> None:
        """Call `queue.run_slice()` later, after the queues that are already waiting; never during this call."""

    @abstractmethod
    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        """Call `queue.ring()` at a time of this clock, or before; a queue has one alarm, the earliest."""

    def report(self, scheduler: "LogicalScheduler", exception: BaseException) -> None:
        """Call the handlers of a task's scheduler, of those above it and of this one; give up if none has handled it.

        Called by queues. Always runs user code if there are handlers.
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
        """Deal with an exception that no handler has handled."""

    def dispose(self) -> None:
        """Dispose all logical schedulers, and stop. Idempotent."""
        with self._roots_lock:
            self._is_disposed = True
            roots = list(self._roots)
        for root in roots:
            root.dispose()

    def lose_other_threads(self) -> None:
        """Forget the threads of the parent, in a child of `os.fork`: they do not exist there."""
        self._roots_lock = threading.RLock()
        for root in self._roots:
            root.lose_other_threads()

    def end_in_child(self) -> None:
        """Do nothing, or refuse tasks from now on, in a child of `os.fork`, where only the forking thread exists.

        It is called there before anything else runs, and must take no lock: a thread that is gone may hold it.
        """

    def leave_to_parent(self) -> None:
        """Become disposed without reports: the waiting tasks belong to the parent, which runs them."""
        self.is_of_parent = self._is_disposed = True
        for root in self._roots:
            root.leave_to_parent()

    def refusal(self, scheduler: object) -> SchedulerDisposedError:
        """Return the error for a scheduler that this one refuses, or for a task of it."""
        if self.is_of_parent:
            return SchedulerDisposedError(
                f"{scheduler!r} belongs to the process that this one was forked from, and its tasks run only "
                f"there; create a new scheduler in this process"
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
