"""The handle of a running subscription's tree of nodes, and its visitors."""

from abc import ABCMeta, abstractmethod
from typing import Any

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.spec.structure import PlainInterface, has_methods, structural

__all__ = ["NodeVisitor", "OperatorSubscription", "checked_subscription"]


@structural
class NodeVisitor(PlainInterface, metaclass=ABCMeta):
    """Visit the nodes of a subscription; `TreeVisitor` also visits their inputs."""

    __slots__ = ()

    @abstractmethod
    def visit(self, node: Any, /) -> object:
        """Visit a node, once per walk. An exception ends the walk.

        Args:
            node: The node, or None, which is ignored.
        """

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "visit") if cls is NodeVisitor else NotImplemented


@structural
class OperatorSubscription(PlainInterface, metaclass=ABCMeta):
    """Represent one or several running operators, which can be visited and disposed.

    An operator is its own subscription. A class conforms by its methods: `Stream.bind` returns one, every stage is one.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> isinstance(Stream.empty().bind(DefaultSubscriber()), OperatorSubscription)
        True
    """

    __slots__ = ()

    @abstractmethod
    def accept(self, visitor: NodeVisitor, /) -> None:
        """Call `visitor.visit(node)` for each direct node of this subscription, also after it was disposed.

        Do not call it while elements are sent, unless the visitor allows it.
        """

    @abstractmethod
    def dispose(self) -> None:
        """Dispose the nodes of this subscription, from downstream to upstream, without a signal downstream.

        Idempotent; may be called in any thread, inside any signal, and before the start.
        """

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "accept", "dispose") if cls is OperatorSubscription else NotImplemented


def checked_subscription(value: object, call: str) -> OperatorSubscription:
    """Return a subscription that can be visited and disposed, or raise.

    Args:
        value: The argument.
        call: The call, for the message: `add(subscription)`.

    Raises:
        ArgumentTypeError: The value is None, or lacks a method.
    """
    if isinstance(value, OperatorSubscription):
        return value
    raise ArgumentTypeError(
        f"{call} needs a subscription, got {value!r} ({type(value).__name__}); "
        f"pass what bind() returned, or an object with accept(visitor) and dispose()"
    )
