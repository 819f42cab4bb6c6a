"""Visitors of the whole tree of a subscription."""

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
    """Visit every node of a subscription, each before its inputs, the inputs in order; documented as a base.

    An exception of `visit_node` ends the walk and is raised by `apply`. The stack stays flat, however long the chain.

    Threads: any that the nodes allow; a visitor stores nothing about a walk.

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
        """Process a node; its inputs are visited next."""
        raise NotImplementedError(f"{type(self).__name__} has to define visit_node(self, node)")

    def visit(self, node: Any, /) -> None:
        """Visit a node and its upstream; None is ignored. `accept` calls this."""
        if node is not None:
            for each in nodes_of(node):
                self.visit_node(each)

    def apply(self, subscription: OperatorSubscription) -> None:
        """Visit all nodes of a subscription.

        Raises:
            ArgumentTypeError: It is None or not a subscription.
        """
        checked_subscription(subscription, "apply(subscription)").accept(self)


class TypedVisitor(TreeVisitor, Generic[N]):
    """Call actions with the nodes of given types; start with `SubscriptionVisitor.do`."""

    def __init__(self, *actions: tuple[type[Any], Callable[[Any], object]]) -> None:
        self._actions = actions

    def do(self, kind: Callable[..., M], action: Callable[[M], object]) -> "TypedVisitor[M]":
        """Return a visitor that also calls another action, after the earlier ones."""
        return TypedVisitor(*self._actions, _checked(kind, action))

    def visit_node(self, node: Any) -> None:
        """Call the actions for the node's types, in order."""
        for kind, action in self._actions:
            if isinstance(node, kind):
                action(node)


class SubscriptionVisitor:
    """Build visitors: `SubscriptionVisitor.do(Type, action).do(OtherType, other_action).apply(subscription)`.

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
            ArgumentTypeError: The kind is not a type, or the action is not callable.
        """
        return TypedVisitor(_checked(kind, action))


def _checked(kind: Callable[..., N], action: Callable[[N], object]) -> tuple[type[Any], Callable[[N], object]]:
    # A class; not `type[N]` for type checkers, which would exclude interfaces.
    if not isinstance(kind, type):
        raise ArgumentTypeError(
            f"do(kind) needs a class, got {kind!r} ({type(kind).__name__}); pass e.g. StatefulOperator"
        )
    return kind, checked_callable(action, operator="do", name="action")
