"""The scheduler for the delays of streams that run without a host."""

import sys
import threading

from reactivestreams.schedulers.event_loop import EventLoopScheduler
from reactivestreams.schedulers.scheduler import Scheduler
from reactivestreams.schedulers.status import SchedulerStatus
from reactivestreams.schedulers.worker import WorkerScheduler

__all__ = ["SHARED_NAME", "scheduler_for_delays", "shared_scheduler"]

SHARED_NAME = "reactivestreams-shared"
"""The name of its thread, a daemon that ends with the process."""

_lock = threading.Lock()
_shared: list[Scheduler] = []


def shared_scheduler() -> Scheduler:
    """Return the scheduler of this process, whose thread starts with the first task; do not dispose it."""
    with _lock:
        if not _shared or _shared[0].status is SchedulerStatus.DISPOSED:  # as in a child of os.fork
            _shared[:] = [WorkerScheduler(name=SHARED_NAME)]
        return _shared[0]


def scheduler_for_delays(host: Scheduler | None) -> Scheduler:
    """Return the scheduler for the delays of an operator.

    Args:
        host: The scheduler of its host, which is returned; or None.

    Returns:
        Without a host, a scheduler of the asyncio loop that runs in the calling thread, or else the shared one.
    """
    if host is not None:
        return host
    asyncio = sys.modules.get("asyncio")
    loop = None if asyncio is None else asyncio._get_running_loop()
    return shared_scheduler() if loop is None else EventLoopScheduler(loop, name="delays")
