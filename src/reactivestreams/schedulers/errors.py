"""Errors that only schedulers raise; those that the core raises too are in `reactivestreams.errors`."""

from reactivestreams.errors import ReactiveStreamsError

__all__ = ["PauseTimeoutError", "SchedulerAccessError", "VirtualTimeError"]


class PauseTimeoutError(ReactiveStreamsError, TimeoutError):
    """Report that tasks of a scheduler were still running when the timeout of its pause ended."""


class SchedulerAccessError(ReactiveStreamsError, RuntimeError):
    """Report a call from a thread that does not run tasks of the scheduler."""


class VirtualTimeError(ReactiveStreamsError, RuntimeError):
    """Report that tasks schedule each other endlessly within one tick of virtual time."""
