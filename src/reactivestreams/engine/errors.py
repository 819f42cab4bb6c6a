"""Errors that only the engine raises."""

from reactivestreams.errors import ArgumentError, ReactiveStreamsError, StateError
from reactivestreams.lifecycle import LifecycleError

__all__ = [
    "CheckpointError",
    "DefinitionChangedError",
    "EgressAheadError",
    "EngineStatusError",
    "EngineUnloadedError",
    "IngressGapError",
    "StoreError",
    "StoreFencedError",
    "StoreLockedError",
    "UnknownFactoryError",
]


class EngineStatusError(LifecycleError):
    """Report a call that the engine does not allow in its present status."""


class EngineUnloadedError(EngineStatusError):
    """Report that an operation was ended because the engine is being unloaded, or was."""


class CheckpointError(ReactiveStreamsError, RuntimeError):
    """Report a checkpoint that was not stored; its causes are the exceptions of the group that caused it."""


class UnknownFactoryError(ArgumentError, LookupError):
    """Report a factory that is not registered, or not in a version that can be used."""


class DefinitionChangedError(StateError):
    """Report that a factory builds something else than what was saved; the message has the difference."""


class EgressAheadError(ReactiveStreamsError, RuntimeError):
    """Report an egress that has batches of later checkpoints than the store, which was begun anew or is a backup."""


class IngressGapError(ReactiveStreamsError, RuntimeError):
    """Report an ingress whose positions do not follow each other, so that elements were lost or came twice."""


class StoreError(ReactiveStreamsError, RuntimeError):
    """Report a store that cannot be used, or whose content is not that of an engine."""


class StoreLockedError(StoreError):
    """Report that another engine uses the store."""


class StoreFencedError(StoreError):
    """Report that another engine has taken the store over, so that this one must not write any more."""
