"""Binding a subject to types, which a host does when a stream looks up a subject by its id."""

from typing import Any, Protocol, cast, runtime_checkable

from reactivestreams.lifecycle import OperatorSubscription
from reactivestreams.spec import Subscriber
from reactivestreams.subjects.errors import SubjectTypeError
from reactivestreams.subjects.multi_subject import MultiSubject
from reactivestreams.subjects.untyped_subject import UntypedSubject

__all__ = ["DynamicSubject", "TypedView", "typed_subject"]


@runtime_checkable
class DynamicSubject(Protocol):
    """A subject that makes its own typed view, for cases that the general one does not cover."""

    def to_typed(self, accepts: Any, sends: Any, /) -> MultiSubject[Any, Any]:
        """Return a view with these types."""
        ...


class TypedView(MultiSubject[Any, Any]):
    """An untyped subject, bound to the types of one use.

    Args:
        subject: The untyped subject; called once for each observer and each subscription.
        accepts: The type of the elements that producers push.
        sends: The type of the elements that subscribers receive.

    Demand, Errors, State, Threads, Rules: as for the subject.
    """

    def __init__(self, subject: UntypedSubject, accepts: Any, sends: Any) -> None:
        self._subject = subject
        self._accepts = accepts
        self._sends = sends

    def create_observer(self) -> Subscriber[Any]:
        """Return the subject's observer for the type."""
        return self._subject.get_observer(self._accepts)

    def bind(self, subscriber: Subscriber[Any], /) -> OperatorSubscription:
        """Return the handle of a new subscription to the subject's elements of the type."""
        return self._subject.get_observable(self._sends).bind(subscriber)

    def dispose(self) -> None:
        """Dispose the subject."""
        self._subject.dispose()


def typed_subject(subject: object, *, accepts: Any = object, sends: Any = object) -> MultiSubject[Any, Any]:
    """Return a subject with types: the subject itself, its own view, or the general view of an untyped one.

    Args:
        subject: The object that a host has registered.
        accepts: The type of the elements that producers push.
        sends: The type of the elements that subscribers receive.

    Raises:
        SubjectTypeError: It is not a subject.

    Example:
        >>> from reactivestreams.subjects import SimpleSubject
        >>> subject = SimpleSubject()
        >>> typed_subject(subject, accepts=int, sends=int) is subject
        True
    """
    if isinstance(subject, MultiSubject):
        return subject  # pyright: ignore[reportUnknownVariableType]  # isinstance cannot determine the types
    if isinstance(subject, DynamicSubject):
        return subject.to_typed(accepts, sends)
    if isinstance(subject, UntypedSubject):
        return TypedView(subject, accepts, sends)
    raise SubjectTypeError(
        f"typed_subject(subject) needs a subject, got {cast('Any', subject)!r} ({type(subject).__name__}); pass a "
        f"MultiSubject, an UntypedSubject or an object with to_typed(accepts, sends)"
    )
