"""The error of a command that was called with unusable arguments."""

from reactivestreams.errors import ReactiveStreamsError

__all__ = ["UsageError"]


class UsageError(ReactiveStreamsError, ValueError):
    """End a command with the status for wrong usage; the message names the actual and the expected arguments."""
