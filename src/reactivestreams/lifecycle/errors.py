"""Errors that only the life cycle raises; those that the core raises too are in `reactivestreams.errors`."""

from reactivestreams.errors import ArgumentError, ReactiveStreamsError

__all__ = ["ArtifactKindError", "ArtifactNotReadyError", "LifecycleError", "UnknownArtifactError"]


class LifecycleError(ReactiveStreamsError, RuntimeError):
    """Report a call that an object does not allow, or does not allow at this point of its life."""


class UnknownArtifactError(ArgumentError, LookupError):
    """Report that an execution environment knows nothing under an id."""


class ArtifactKindError(LifecycleError):
    """Report that what an execution environment has under an id is not of the requested kind."""


class ArtifactNotReadyError(LifecycleError):
    """Report that what an execution environment has under an id was registered and not made yet."""
