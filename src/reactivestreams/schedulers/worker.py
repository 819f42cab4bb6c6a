"""The scheduler with one thread of its own."""

import heapq
import itertools
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import cast

from reactivestreams.arguments import checked_count
from reactivestreams.dropped import dropped
from reactivestreams.errors import SchedulerDisposedError, SchedulerFullError
from reactivestreams.schedulers.scheduler import (
    Due,
    Scheduler,
    Task,
    checked_task,
    discard_task,
    seconds_until,
    turn_of,
)

DEFAULT_CAPACITY = 65_536
"""How many tasks may wait in a scheduler unless it is told otherwise; one more is refused with SchedulerFullError."""


class WorkerScheduler(Scheduler):
    """Run tasks one at a time in one daemon thread, which starts with the first task.

    Tasks run in the order in which they were scheduled, or are due. An exception of a task goes to the hook for dropped
    signals and the worker goes on.

    Args:
        name: Name of the thread.
        capacity: How many tasks may wait, from 1; one more is refused.

    Threads: `schedule` and `dispose` by any. A disposed scheduler never starts again.

    Example:
        >>> from reactivestreams.schedulers import WorkerScheduler
        >>> import threading
        >>> done = threading.Event()
        >>> with WorkerScheduler(name="example") as worker:
        ...     worker.schedule(done.set)
        ...     done.wait(timeout=10)
        True
    """

    def __init__(self, *, name: str = "reactivestreams-worker", capacity: int = DEFAULT_CAPACITY) -> None:
        self._name = name
        self._capacity = checked_count(capacity, operator="WorkerScheduler", name="capacity", at_least=1)
        # Wakes the worker; a Condition would make a lock for every wait. A token too many costs one turn of its loop.
        self._wake_ups: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._lock = threading.RLock()  # a finalizer or a signal handler may schedule while this thread does
        # All below is guarded by _lock.
        self._is_waiting = False
        self._ready: deque[Task] = deque()
        self._timed: list[tuple[float, int, Task]] = []
        self._order = itertools.count()
        self._thread: threading.Thread | None = None
        self._is_disposed = False

    @property
    def now(self) -> datetime:
        """The present time, in UTC."""
        return datetime.now(UTC)

    def schedule(self, task: Task, *, due: Due | None = None) -> None:
        """Have the worker run a task.

        Args:
            task: What to run.
            due: When: None as soon as the tasks before it are done.

        Raises:
            SchedulerDisposedError: The scheduler was disposed.
            SchedulerFullError: `capacity` tasks wait already.
            ArgumentTypeError: The task cannot be run, or the due time is of another type.
            ArgumentError: The due time is a datetime without a time zone.
        """
        checked_task(task)
        wait_seconds = None if due is None else seconds_until(due, self.now)
        with self._lock:
            if self._is_disposed:
                raise SchedulerDisposedError(f"{self!r} was disposed and takes no task; use a new one")
            if len(self._ready) + len(self._timed) >= self._capacity:
                raise SchedulerFullError(
                    f"{self!r} holds {self._capacity} waiting tasks and takes no more; "
                    f"schedule fewer at once or raise capacity"
                )
            if self._thread is None:
                thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                thread.start()  # may fail, in which case nothing has changed; waits for the lock that is held here
                self._thread = thread
            if wait_seconds is None:
                self._ready.append(task)
            else:
                heapq.heappush(self._timed, (time.monotonic() + wait_seconds, next(self._order), task))
            self._wake()

    def is_current(self) -> bool:
        """Return whether the caller is the worker, that is, a task of this scheduler; never runs user code."""
        thread = self._thread
        return thread is not None and thread.ident == threading.get_ident()

    def dispose(self) -> None:
        """Take no more tasks and discard those that wait; join the worker unless it is the caller. Idempotent."""
        with self._lock:
            self._is_disposed = True
            waiting = [*self._ready, *(task for _, _, task in sorted(self._timed, key=lambda entry: entry[:2]))]
            self._ready.clear()
            self._timed.clear()
            self._wake()
            thread = self._thread
        for task in waiting:
            self._discard(task)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _discard(self, task: Task) -> None:
        reason = SchedulerDisposedError(f"{self!r} was disposed before it ran this task; dispose it after use")
        discard_task(task, reason, origin=self._name)

    def _work(self) -> None:
        while (task := self._next()) is not None:
            run_turn = None
            try:
                run_turn = turn_of(task)
                if run_turn is None:
                    cast("Callable[[], object]", task)()
                elif not run_turn(self):
                    self._again(task)
            except BaseException as error:
                dropped("task", error, origin=self._name)
            del task, run_turn  # an idle worker keeps nothing alive

    def _again(self, task: Task) -> None:
        with self._lock:
            if not self._is_disposed:
                self._ready.append(task)  # its place is free: it was taken out for this turn
                return
        self._discard(task)

    def _wake(self) -> None:
        if self._is_waiting:
            self._is_waiting = False
            self._wake_ups.put(None)

    def _next(self) -> Task | None:
        while True:
            with self._lock:
                if self._is_disposed:
                    return None
                wait_seconds = self._promote()
                self._is_waiting = True  # before the look: else what a finalizer schedules behind it would wait
                if self._ready:
                    self._is_waiting = False
                    return self._ready.popleft()
            with suppress(queue.Empty):
                self._wake_ups.get(timeout=wait_seconds)

    def _promote(self) -> float | None:
        """Move what is due to the ready tasks; return how long to wait for the next that is not, in seconds."""
        if not self._timed:
            return None
        now = time.monotonic()
        while self._timed and self._timed[0][0] <= now:
            self._ready.append(heapq.heappop(self._timed)[2])
        return min(self._timed[0][0] - now, threading.TIMEOUT_MAX) if self._timed else None

    def __repr__(self) -> str:
        return f"WorkerScheduler(name={self._name!r})"
