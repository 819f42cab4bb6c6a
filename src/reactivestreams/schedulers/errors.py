"""Errors that only schedulers raise; those that the core raises too are in `reactivestreams.errors`."""

from reactivestreams.errors import ReactiveStreamsError

__all__ = ["PauseTimeoutError", "SchedulerAccessError", "VirtualTimeError"]


class PauseTimeoutError(ReactiveStreamsError, TimeoutError):
    """Report that tasks of a scheduler still ran when the time to wait for its pause was over."""


class SchedulerAccessError(ReactiveStreamsError, RuntimeError):
    """Report a call from a thread in which tasks of the scheduler do not run."""


class VirtualTimeError(ReactiveStreamsError, RuntimeError):
    """Report that tasks schedule each other for one tick of virtual time without end."""
