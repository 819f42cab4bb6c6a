"""Binding a subject to types: what a host does when a stream asks for a subject by its id."""

from typing import Any, Protocol, cast, runtime_checkable

from reactivestreams.lifecycle import OperatorSubscription
from reactivestreams.spec import Subscriber
from reactivestreams.subjects.errors import SubjectTypeError
from reactivestreams.subjects.multi_subject import MultiSubject
from reactivestreams.subjects.untyped_subject import UntypedSubject

__all__ = ["DynamicSubject", "TypedView", "typed_subject"]


@runtime_checkable
class DynamicSubject(Protocol):
    """Make a typed view of its own, where the general one does not do."""

    def to_typed(self, accepts: Any, sends: Any, /) -> MultiSubject[Any, Any]:
        """Return a view with these types."""
        ...


class TypedView(MultiSubject[Any, Any]):
    """An untyped subject, bound to the types of one use.

    Args:
        subject: Whose view it is; asked once for each observer and each subscription.
        accepts: The type of the elements that are pushed.
        sends: The type of the elements that subscribers get.

    Demand, Errors, State, Threads, Rules: the subject's.
    """

    def __init__(self, subject: UntypedSubject, accepts: Any, sends: Any) -> None:
        self._subject = subject
        self._accepts = accepts
        self._sends = sends

    def create_observer(self) -> Subscriber[Any]:
        """Return the subject's entrance for the type."""
        return self._subject.get_observer(self._accepts)

    def bind(self, subscriber: Subscriber[Any], /) -> OperatorSubscription:
        """Return the handle of a new subscription to what the subject sends of the type."""
        return self._subject.get_observable(self._sends).bind(subscriber)

    def dispose(self) -> None:
        """Dispose the subject."""
        self._subject.dispose()


def typed_subject(subject: object, *, accepts: Any = object, sends: Any = object) -> MultiSubject[Any, Any]:
    """Return a subject with types: itself, its own view, or the general view of an untyped one.

    Args:
        subject: What a host has registered.
        accepts: The type of the elements that are pushed.
        sends: The type of the elements that subscribers get.

    Raises:
        SubjectTypeError: It is no subject.

    Example:
        >>> from reactivestreams.subjects import SimpleSubject
        >>> subject = SimpleSubject()
        >>> typed_subject(subject, accepts=int, sends=int) is subject
        True
    """
    if isinstance(subject, MultiSubject):
        return subject  # pyright: ignore[reportUnknownVariableType]  # of which types, isinstance cannot say
    if isinstance(subject, DynamicSubject):
        return subject.to_typed(accepts, sends)
    if isinstance(subject, UntypedSubject):
        return TypedView(subject, accepts, sends)
    raise SubjectTypeError(
        f"typed_subject(subject) needs a subject, got {cast('Any', subject)!r} ({type(subject).__name__}); pass a "
        f"MultiSubject, an UntypedSubject or an object with to_typed(accepts, sends)"
    )
