"""The status of a scheduler: running, pausing, paused or disposed."""

from enum import Enum


class SchedulerStatus(Enum):
    """The status of a scheduler.

    Running changes to pausing or, if no task is running, directly to paused; pausing changes to paused when the last
    running task has returned; both change back to running. Disposed is final.
    """

    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    DISPOSED = "disposed"
