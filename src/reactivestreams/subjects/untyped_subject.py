"""Subjects whose types are given where they are used, as nodes that a host visits."""

from typing import Any

from reactivestreams.lifecycle import OperatorNode, StatefulNode, Subscribable, Version, Versioned
from reactivestreams.spec import Subscriber

__all__ = ["StatefulUntypedSubject", "UntypedSubject", "VersionedUntypedSubject"]


class UntypedSubject(OperatorNode):
    """Be subject, operator and subscription at once: the host makes it, sets its context and starts it; a base.

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
        """Return an entrance for elements of a type.

        Args:
            element_type: A class, an annotation or the id of a schema: whatever this subject understands.

        Raises:
            SubjectTypeError: The type is not compatible with what the subject has.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define get_observer(element_type)")

    def get_observable(self, element_type: Any, /) -> Subscribable:
        """Return what sends elements of a type; arguments and errors as for `get_observer`."""
        raise NotImplementedError(f"{type(self).__name__} has to define get_observable(element_type)")


class VersionedUntypedSubject(UntypedSubject, Versioned):
    """Have a name and a version, too; a base.

    Class attributes that a subclass sets:
        name: The id of the implementation.
        version: Four integers, (1, 0, 0, 0) by default.
    """

    # A class attribute is all that the properties of the interface ask for.
    name: str = ""  # pyright: ignore[reportIncompatibleMethodOverride]
    version: Version = (1, 0, 0, 0)  # pyright: ignore[reportIncompatibleMethodOverride]


class StatefulUntypedSubject(UntypedSubject, StatefulNode):
    """Have state, too, whose first field is whether the subject was disposed; a base: see `StatefulNode`."""
