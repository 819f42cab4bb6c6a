"""A subject with the key of a group."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from reactivestreams.lifecycle import LifecycleError, OperatorSubscription
from reactivestreams.spec import Subscriber
from reactivestreams.subjects.multi_subject import MultiSubject

__all__ = ["GroupedSubject"]

T_in = TypeVar("T_in")
T_out = TypeVar("T_out")


class GroupedSubject(MultiSubject[T_in, T_out]):
    """A subject with the key of the group of its elements; everything else is forwarded to the subject.

    Args:
        key: The key; may be None.
        subject: The subject that gets everything.

    Demand, Errors, State, Threads, Rules: as for the subject.

    Example:
        >>> from reactivestreams.subjects import SimpleSubject
        >>> GroupedSubject("LHR", SimpleSubject()).key
        'LHR'
    """

    def __init__(self, key: Hashable, subject: MultiSubject[T_in, T_out]) -> None:
        self._key = key
        self._subject = subject

    @property
    def key(self) -> Hashable:
        """The key of the group."""
        return self._key

    def create_observer(self) -> Subscriber[T_in]:
        """Return a subscriber for producers, made by the subject."""
        return self._subject.create_observer()

    def bind(self, subscriber: Subscriber[T_out], /) -> OperatorSubscription:
        """Return the handle of a new subscription to the subject."""
        return self._subject.bind(subscriber)

    def seal(self, *, on_empty: Callable[[], object] | None = None) -> None:
        """Seal the subject.

        Raises:
            LifecycleError: The subject cannot be sealed.
        """
        seal: Any = getattr(self._subject, "seal", None)
        if seal is None:
            raise LifecycleError(f"{self._subject!r} cannot be sealed; wrap a subject that has seal()")
        seal(on_empty=on_empty)

    def dispose(self) -> None:
        """Dispose the subject."""
        self._subject.dispose()
