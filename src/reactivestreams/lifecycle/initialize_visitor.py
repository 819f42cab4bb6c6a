"""The phases of the life cycle, run over the whole tree behind a subscription."""

from typing import Any

from reactivestreams.lifecycle.operator import Operator
from reactivestreams.lifecycle.state_visitor import StateVisitor
from reactivestreams.lifecycle.subscription import OperatorSubscription, checked_subscription
from reactivestreams.lifecycle.visitor import SubscriptionVisitor
from reactivestreams.state import SnapshotReader

__all__ = ["InitializeVisitor", "initialize_tree", "set_tree_context", "start_tree", "subscribe_tree"]


def subscribe_tree(subscription: OperatorSubscription) -> None:
    """Make the whole tree behind a subscription: each node makes its inputs, which are visited next; nothing flows.

    Raises:
        ArgumentTypeError: It is None, or no subscription.
    """
    SubscriptionVisitor.do(Operator, lambda node: node.subscribe()).apply(subscription)


def set_tree_context(subscription: OperatorSubscription, context: object) -> None:
    """Hand the same context to every node behind a subscription.

    Args:
        subscription: Subscribed.
        context: What the host provides, such as an `OperatorContext`.

    Raises:
        ArgumentTypeError: It is None, or no subscription.
    """
    SubscriptionVisitor.do(Operator, lambda node: node.set_context(context)).apply(subscription)


def start_tree(subscription: OperatorSubscription) -> None:
    """Start every node behind a subscription, each before its inputs. Always runs user code.

    Raises:
        ArgumentTypeError: It is None, or no subscription.
    """
    SubscriptionVisitor.do(Operator, lambda node: node.start()).apply(subscription)


def initialize_tree(
    subscription: OperatorSubscription, context: object, *, snapshot: SnapshotReader | None = None
) -> None:
    """Run all phases: subscribe, set_context, load_state where there is state, start.

    Args:
        subscription: What `bind` returned.
        context: As for `set_tree_context`.
        snapshot: Where the state is; None begins without. Who made it calls its `finish` when all trees are loaded.

    Raises:
        ArgumentTypeError: The subscription is None, or none.
        StateError: The state does not fit.
    """
    subscribe_tree(subscription)
    set_tree_context(subscription, context)
    if snapshot is not None:
        StateVisitor(subscription).load_state(snapshot)
    start_tree(subscription)


class InitializeVisitor:
    """Run the phases on one subscription, all at once or one by one. The host says in which order.

    Args:
        subscription: What `bind` returned.

    Raises:
        ArgumentTypeError: It is None, or no subscription.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.lifecycle import DefaultOperatorContext
        >>> from reactivestreams.schedulers import ImmediateScheduler
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> subscriber = DefaultSubscriber(
        ...     on_next=lambda element, _: print(element), on_subscribe=lambda subscription: subscription.request(9)
        ... )
        >>> phases = InitializeVisitor(Stream.range(2).bind(subscriber))
        >>> phases.subscribe()
        >>> phases.set_context(DefaultOperatorContext("example", ImmediateScheduler()))
        >>> phases.start()
        0
        1
    """

    def __init__(self, subscription: OperatorSubscription) -> None:
        self._subscription = checked_subscription(subscription, "InitializeVisitor(subscription)")

    def subscribe(self) -> None:
        """Make the whole tree; nothing flows."""
        subscribe_tree(self._subscription)

    def set_context(self, context: Any) -> None:
        """Hand the same context to every node."""
        set_tree_context(self._subscription, context)

    def load_state(self, snapshot: SnapshotReader) -> None:
        """Load every node that has state, between `set_context` and `start`.

        Raises:
            ArgumentTypeError: The snapshot is None, or none.
            StateError: The state does not fit.
        """
        StateVisitor(self._subscription).load_state(snapshot)

    def start(self) -> None:
        """Start every node. Always runs user code."""
        start_tree(self._subscription)

    def initialize(self, context: Any, *, snapshot: SnapshotReader | None = None) -> None:
        """Run all phases."""
        initialize_tree(self._subscription, context, snapshot=snapshot)
