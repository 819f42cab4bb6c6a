"""What a scheduler is at: running, on its way to a pause, paused, disposed."""

from enum import Enum


class SchedulerStatus(Enum):
    """The status of a scheduler.

    Running changes to pausing or, where no task runs, to paused at once; pausing to paused when the last running task
    has returned; both back to running. Disposed is final.
    """

    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    DISPOSED = "disposed"
