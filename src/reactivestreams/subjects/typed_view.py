"""Binding a subject to types, which a host does when a stream looks up a subject by its id."""

from typing import Any, Protocol, cast, runtime_checkable

from reactivestreams.subjects.errors import SubjectTypeError
from reactivestreams.subjects.multi_subject import MultiSubject
from reactivestreams.subjects.untyped_subject import TypedView

__all__ = ["DynamicSubject", "TypedView", "typed_subject"]


@runtime_checkable
class DynamicSubject(Protocol):
    """A subject that makes typed views of itself: an `UntypedSubject`, or one that checks its elements."""

    def to_typed(self, accepts: Any, sends: Any, /) -> MultiSubject[Any, Any]:
        """Return a view with these types."""
        ...


def typed_subject(subject: object, *, accepts: Any = object, sends: Any = object) -> MultiSubject[Any, Any]:
    """Return a subject with types: what its `to_typed` returns, or where it has none the subject itself.

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
    if isinstance(subject, DynamicSubject):
        return subject.to_typed(accepts, sends)
    if isinstance(subject, MultiSubject):
        return subject  # pyright: ignore[reportUnknownVariableType]  # isinstance cannot determine the types
    raise SubjectTypeError(
        f"typed_subject(subject) needs a subject, got {cast('Any', subject)!r} ({type(subject).__name__}); pass a "
        f"MultiSubject, an UntypedSubject or an object with to_typed(accepts, sends)"
    )
