"""What a command raises when it was called with something that it cannot work with."""

from reactivestreams.errors import ReactiveStreamsError

__all__ = ["UsageError"]


class UsageError(ReactiveStreamsError, ValueError):
    """End a command with the status for wrong usage; the message says what was given and what was expected."""
