"""Errors that only the life cycle raises; errors of the core are in `reactivestreams.errors`."""

from reactivestreams.errors import ArgumentError, ReactiveStreamsError

__all__ = ["ArtifactKindError", "ArtifactNotReadyError", "LifecycleError", "UnknownArtifactError"]


class LifecycleError(ReactiveStreamsError, RuntimeError):
    """Report a call that an object does not allow, or not in its current state."""


class UnknownArtifactError(ArgumentError, LookupError):
    """Report that an execution environment does not know an id."""


class ArtifactKindError(LifecycleError):
    """Report that the artifact of an id has another kind than requested."""


class ArtifactNotReadyError(LifecycleError):
    """Report that an id is registered, but its artifact does not exist yet."""
