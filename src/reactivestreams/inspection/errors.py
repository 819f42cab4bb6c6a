"""The error of a look into another process."""

from reactivestreams.errors import ReactiveStreamsError

__all__ = ["InspectionError"]


class InspectionError(ReactiveStreamsError, RuntimeError):
    """Report that a process cannot be looked into; the message says what to do."""
