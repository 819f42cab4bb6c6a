"""The handle of a running subscription's tree of nodes, and the visitors of these."""

from abc import ABCMeta, abstractmethod
from typing import Any

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.spec.structure import PlainInterface, has_methods, structural

__all__ = ["NodeVisitor", "OperatorSubscription", "checked_subscription"]


@structural
class NodeVisitor(PlainInterface, metaclass=ABCMeta):
    """Visit the nodes behind a subscription; `TreeVisitor` is the one that goes on to their inputs."""

    __slots__ = ()

    @abstractmethod
    def visit(self, node: Any, /) -> object:
        """Take a node, once in each walk. What it raises ends the walk.

        Args:
            node: The node, or None, which is ignored.
        """

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "visit") if cls is NodeVisitor else NotImplemented


@structural
class OperatorSubscription(PlainInterface, metaclass=ABCMeta):
    """Stand for one or several running operators: they can be visited, and disposed.

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
        """Call `visitor.visit(node)` for each node directly behind this subscription; also after it was disposed.

        Never runs while elements flow, but for visits that say so themselves.
        """

    @abstractmethod
    def dispose(self) -> None:
        """Tear down what is behind this subscription, from downstream to upstream; nothing is signalled downstream.

        Idempotent; from any thread, from inside any signal, before the start too.
        """

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, "accept", "dispose") if cls is OperatorSubscription else NotImplemented


def checked_subscription(value: object, call: str) -> OperatorSubscription:
    """Return a subscription that can be visited and disposed, or raise.

    Args:
        value: What was given for it.
        call: The call that it was given to, as the message begins: `add(subscription)`.

    Raises:
        ArgumentTypeError: The value is None, or lacks a method.
    """
    if isinstance(value, OperatorSubscription):
        return value
    raise ArgumentTypeError(
        f"{call} needs a subscription, got {value!r} ({type(value).__name__}); "
        f"pass what bind() returned, or an object with accept(visitor) and dispose()"
    )
