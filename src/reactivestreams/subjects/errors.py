"""Errors of subjects."""

from reactivestreams.lifecycle import LifecycleError

__all__ = ["SubjectDisposedError", "SubjectSealedError", "SubjectTypeError"]


class SubjectDisposedError(LifecycleError):
    """Report, to current subscribers and to later producers and subscribers, that a subject was disposed."""


class SubjectSealedError(LifecycleError):
    """Report that a sealed subject accepts no more subscribers."""


class SubjectTypeError(LifecycleError, TypeError):
    """Report that a subject has no data of the requested type."""
