"""Untyped subjects: each use names its type; they are nodes that a host visits."""

from typing import Any

from reactivestreams.lifecycle import (
    OperatorNode,
    OperatorSubscription,
    StatefulNode,
    Subscribable,
    Version,
    Versioned,
)
from reactivestreams.spec import Subscriber
from reactivestreams.subjects.multi_subject import MultiSubject

__all__ = ["StatefulUntypedSubject", "TypedView", "UntypedSubject", "VersionedUntypedSubject"]


class UntypedSubject(OperatorNode):
    """A subject, operator and subscription in one: the host makes it, sets its context and starts it; a base.

    A subclass defines `get_observer` and `get_observable`, which decide whether a type is compatible with what the
    subject has, and convert. Each use may name another type, such as another version of an event. For the hooks of the
    life cycle see `OperatorNode`.

    Example:
        >>> from reactivestreams.lifecycle import initialize_tree
        >>> class Orders(UntypedSubject):
        ...     def on_start(self):
        ...         print("open")
        >>> initialize_tree(Orders(), None)
        open
    """

    def get_observer(self, element_type: Any, /) -> Subscriber[Any]:
        """Return a subscriber that accepts elements of a type.

        Args:
            element_type: A class, an annotation or the id of a schema: whatever this subject accepts.

        Raises:
            SubjectTypeError: The type is not compatible with what the subject has.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define get_observer(element_type)")

    def get_observable(self, element_type: Any, /) -> Subscribable:
        """Return a publisher of elements of a type; arguments and errors as for `get_observer`."""
        raise NotImplementedError(f"{type(self).__name__} has to define get_observable(element_type)")

    def to_typed(self, accepts: Any, sends: Any, /) -> MultiSubject[Any, Any]:
        """Return a view that is bound to the types of one use; override it where the general one does not do.

        Args:
            accepts: The type of the elements that producers push.
            sends: The type of the elements that subscribers receive.
        """
        return TypedView(self, accepts, sends)


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


class VersionedUntypedSubject(UntypedSubject, Versioned):
    """An untyped subject with a name and a version; a base.

    Class attributes that a subclass sets:
        name: The id of the implementation.
        version: Four integers, (1, 0, 0, 0) by default.
    """

    # A class attribute satisfies the properties of the interface.
    name: str = ""  # pyright: ignore[reportIncompatibleMethodOverride]
    version: Version = (1, 0, 0, 0)  # pyright: ignore[reportIncompatibleMethodOverride]


class StatefulUntypedSubject(UntypedSubject, StatefulNode):
    """An untyped subject with state, whose first field is whether it was disposed; a base: see `StatefulNode`."""
