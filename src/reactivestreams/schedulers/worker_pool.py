"""The physical scheduler with its own threads."""

import os
import sys
import threading
from typing import TYPE_CHECKING, Literal

from reactivestreams.arguments import checked_count
from reactivestreams.dropped import dropped
from reactivestreams.errors import ArgumentError
from reactivestreams.schedulers.physical import PhysicalScheduler
from reactivestreams.schedulers.run_queue import RunQueue
from reactivestreams.schedulers.unhandled import SchedulerUnhandledException
from rs_core.scheduling.serial_queue import SerialQueue

MOST_WORKERS = 4096
"""The maximum number of threads of a pool."""

if TYPE_CHECKING:
    from reactivestreams.schedulers.logical import LogicalScheduler

OnUnhandled = Literal["dispose", "drop", "excepthook"]
ON_UNHANDLED: tuple[OnUnhandled, ...] = ("dispose", "drop", "excepthook")


class WorkerPool(PhysicalScheduler):
    """A fixed number of daemon threads, which start with the first tasks.

    All threads share one run queue: the next free thread takes the first queue, gives its tasks at most `SLICE_TURNS`
        turns, and appends it again. Timers need no extra thread: an idle thread sleeps until the earliest.

    Args:
        workers: The number of threads, from 1; by default the number of processors.
        name: The name of the threads; several are numbered.
        on_unhandled: What happens to an exception of a task that no handler has handled. `"dispose"`: it goes to the
            hook for dropped signals, and the task's tree of schedulers is disposed. `"drop"`: it goes to the hook.
            `"excepthook"`: it goes to `threading.excepthook`. The threads continue in each case.

    Raises:
        ArgumentTypeError: The number of workers is not an integer.
        ArgumentError: It is not positive, or `on_unhandled` is unknown.

    Threads: `dispose` waits until the running tasks have finished their turns, unless one of them calls it.

    Example:
        >>> from reactivestreams.schedulers import LogicalScheduler, WorkerPool
        >>> import threading
        >>> done = threading.Event()
        >>> with WorkerPool(workers=2, name="example") as pool:
        ...     _ = LogicalScheduler(pool).schedule(done.set)
        ...     done.wait(timeout=10)
        True
    """

    def __init__(
        self,
        *,
        workers: int | None = None,
        name: str = "reactivestreams-pool",
        on_unhandled: OnUnhandled = "dispose",
    ) -> None:
        if workers is None:
            workers = os.cpu_count() or 1
        width = checked_count(workers, operator="WorkerPool", name="workers", at_least=1, at_most=MOST_WORKERS)
        if on_unhandled not in ON_UNHANDLED:
            raise ArgumentError(
                f"WorkerPool(on_unhandled) needs one of {ON_UNHANDLED}, got {on_unhandled!r}; pass one of these words"
            )
        super().__init__(name=name, width=width)
        self._on_unhandled = on_unhandled
        self._run_queue = RunQueue()
        self._threads_lock = threading.RLock()
        self._threads: list[threading.Thread] = []
        self._thread_ids: set[int] = set()

    def prepare(self) -> bool:
        """Start one more thread, until all have been started."""
        if len(self._threads) == self.width:
            return True
        with self._threads_lock:
            if self.is_disposed:
                raise self.refusal(self)
            number = len(self._threads) + 1
            if number > self.width:
                return True
            name = self.name if self.width == 1 else f"{self.name}-{number}"
            thread = threading.Thread(target=self._work, name=name, daemon=True)
            self._threads.append(thread)
        try:
            # Without the lock: a callback of the garbage collector may run in a thread that is starting, and schedule a
            # task.
            thread.start()
        except BaseException:
            with self._threads_lock:
                self._threads.remove(thread)
            raise
        return number == self.width

    def run_soon(self, queue: SerialQueue) -> None:
        """Append a queue."""
        self._run_queue.put(queue)

    def wake_at(self, queue: SerialQueue, due_nanoseconds: int) -> None:
        """Ring a queue at a time."""
        self._run_queue.set_alarm(queue, due_nanoseconds)

    def remove_root(self, root: "LogicalScheduler", queue: SerialQueue) -> None:
        """Remove a root that was disposed, and the alarm of its queue."""
        super().remove_root(root, queue)
        self._run_queue.forget(queue)

    def is_current(self) -> bool:
        """Return whether the calling thread is one of the workers; never runs user code."""
        return threading.get_ident() in self._thread_ids

    def give_up(self, unhandled: SchedulerUnhandledException) -> None:
        """Apply `on_unhandled`."""
        error = unhandled.exception
        if self._on_unhandled == "excepthook":
            thread = threading.current_thread()
            threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, thread)))
            return
        try:
            dropped("task", error, origin=unhandled.scheduler.name)
        finally:
            if self._on_unhandled == "dispose":
                unhandled.scheduler.root.dispose()

    def dispose(self) -> None:
        """Dispose all logical schedulers, and join the threads unless the caller is one of them. Idempotent."""
        super().dispose()
        with self._threads_lock:
            threads = list(self._threads)
        self._run_queue.close()
        if not self.is_current():  # two workers that wait for each other would never end
            for thread in threads:
                if thread.is_alive():  # else it ends, or has not started and will find the run queue closed
                    thread.join()

    def end_in_child(self) -> None:
        """Forget the threads, which exist only in the parent."""
        self._threads_lock = threading.RLock()
        self._threads = []
        self._thread_ids = set()
        self._run_queue.lose_other_threads()
        self.leave_to_parent()

    def _work(self) -> None:
        self._thread_ids.add(threading.get_ident())
        while not self.is_disposed:
            try:
                queue = self._run_queue.take(self.clock_nanoseconds())
                if queue is not None:
                    queue.run_slice()
            except BaseException:  # of a hook for dropped signals; other queues need this thread
                threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
            queue = None  # an idle worker must not keep the queue alive

    def __repr__(self) -> str:
        return f"WorkerPool(workers={self.width}, name={self.name!r})"
