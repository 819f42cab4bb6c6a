"""Visitors that go through the whole tree behind a subscription."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle.subscription import OperatorSubscription, checked_subscription
from rs_core.interp.deferred_functions import refuses_deferred_hooks
from rs_core.stream.tree_walk import nodes_of

__all__ = ["SubscriptionVisitor", "TreeVisitor", "TypedVisitor"]

N = TypeVar("N")
M = TypeVar("M")


@refuses_deferred_hooks("and await when the walk is over")
class TreeVisitor:
    """Visit every node behind a subscription, each before its inputs, the inputs in their order; documented as a base.

    What `visit_node` raises ends the walk and is raised by `apply`. A walk needs a flat stack, however long the chain.

    Threads: a visitor keeps nothing of a walk, so any; whether the nodes allow it is another matter.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> class Names(TreeVisitor):
        ...     def visit_node(self, node):
        ...         print(node.name or "the end")
        >>> handle = Stream.range(3).map(str).bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> Names().apply(handle)
        the end
        rx://operators/map
        rx://sources/range
    """

    def visit_node(self, node: Any) -> None:
        """Take a node; the inputs that it has afterwards are visited next."""
        raise NotImplementedError(f"{type(self).__name__} has to define visit_node(self, node)")

    def visit(self, node: Any, /) -> None:
        """Visit a node and all that is upstream of it; None is ignored. This is what `accept` calls."""
        if node is not None:
            for each in nodes_of(node):
                self.visit_node(each)

    def apply(self, subscription: OperatorSubscription) -> None:
        """Visit all nodes behind a subscription.

        Raises:
            ArgumentTypeError: It is None, or no subscription.
        """
        checked_subscription(subscription, "apply(subscription)").accept(self)


class TypedVisitor(TreeVisitor, Generic[N]):
    """Call an action with every node of a type; begin with `SubscriptionVisitor.do`."""

    def __init__(self, *actions: tuple[type[Any], Callable[[Any], object]]) -> None:
        self._actions = actions

    def do(self, kind: Callable[..., M], action: Callable[[M], object]) -> "TypedVisitor[M]":
        """Return a visitor that also calls another action; a node of both types gets this one last."""
        return TypedVisitor(*self._actions, _checked(kind, action))

    def visit_node(self, node: Any) -> None:
        """Call the actions whose type the node is of, in the order in which they were given."""
        for kind, action in self._actions:
            if isinstance(node, kind):
                action(node)


class SubscriptionVisitor:
    """Where visitors are built: `SubscriptionVisitor.do(Type, action).do(OtherType, other_action).apply(subscription)`.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.lifecycle import StatefulOperator
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.range(3).take(2).bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> changed = []
        >>> SubscriptionVisitor.do(StatefulOperator, lambda node: changed.append(node.state_changed)).apply(handle)
        >>> changed
        [True, True, True]
    """

    @staticmethod
    def do(kind: Callable[..., N], action: Callable[[N], object]) -> TypedVisitor[N]:
        """Return a visitor that calls an action with every node of a type.

        Args:
            kind: A class or an interface, such as `StatefulOperator`.
            action: Called with the node.

        Raises:
            ArgumentTypeError: The kind is no type, or the action cannot be called.
        """
        return TypedVisitor(_checked(kind, action))


def _checked(kind: Callable[..., N], action: Callable[[N], object]) -> tuple[type[Any], Callable[[N], object]]:
    # A class; to a type checker no `type[N]`, which would leave out interfaces.
    if not isinstance(kind, type):
        raise ArgumentTypeError(
            f"do(kind) needs a class, got {kind!r} ({type(kind).__name__}); pass e.g. StatefulOperator"
        )
    return kind, checked_callable(action, operator="do", name="action")
