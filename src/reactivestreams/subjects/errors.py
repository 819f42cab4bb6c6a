"""Errors of subjects."""

from reactivestreams.lifecycle import LifecycleError

__all__ = ["SubjectDisposedError", "SubjectSealedError", "SubjectTypeError"]


class SubjectDisposedError(LifecycleError):
    """Report that a subject was disposed: to its subscribers, and to later producers and subscribers."""


class SubjectSealedError(LifecycleError):
    """Report that a sealed subject takes no more subscribers."""


class SubjectTypeError(LifecycleError, TypeError):
    """Report that a subject has no data of the requested type."""
