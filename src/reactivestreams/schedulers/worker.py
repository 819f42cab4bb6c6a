"""The scheduler with its own thread."""

from reactivestreams.schedulers.logical import DEFAULT_CAPACITY, LogicalScheduler
from reactivestreams.schedulers.worker_pool import WorkerPool


class WorkerScheduler(LogicalScheduler):
    """Run tasks one at a time in one daemon thread, which starts with the first task.

    Tasks run in the order in which they were scheduled, or are due; among ready tasks the one with the lowest priority
    runs first. An exception of a task that no handler has handled goes to the hook for dropped signals, and the worker
    continues.

    Args:
        name: The name of the thread.
        capacity: How many tasks may wait, from 1; one more is refused.

    Threads: any thread may call any method. A disposed scheduler never starts again.

    Example:
        >>> from reactivestreams.schedulers import WorkerScheduler
        >>> import threading
        >>> done = threading.Event()
        >>> with WorkerScheduler(name="example") as worker:
        ...     _ = worker.schedule(done.set)
        ...     done.wait(timeout=10)
        True
    """

    def __init__(self, *, name: str = "reactivestreams-worker", capacity: int = DEFAULT_CAPACITY) -> None:
        self._pool = WorkerPool(workers=1, name=name, on_unhandled="drop")
        super().__init__(self._pool, name=name, capacity=capacity)

    def dispose(self) -> None:
        """Refuse new tasks and discard waiting ones; join the worker unless it is the caller. Idempotent."""
        super().dispose()
        self._pool.dispose()
