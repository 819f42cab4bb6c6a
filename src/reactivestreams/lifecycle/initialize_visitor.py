"""The phases of the life cycle for the whole tree of a subscription."""

from collections.abc import Iterator
from typing import Any

from reactivestreams.lifecycle.operator import Operator
from reactivestreams.lifecycle.state_visitor import StateVisitor
from reactivestreams.lifecycle.subscription import OperatorSubscription, checked_subscription
from reactivestreams.state import SnapshotReader
from rs_core.stream.tree_walk import nodes_of

__all__ = ["InitializeVisitor", "initialize_tree", "set_tree_context", "start_tree", "subscribe_tree"]


def subscribe_tree(subscription: OperatorSubscription) -> None:
    """Make the whole tree of a subscription: each node makes its inputs, which are visited next. Nothing is sent.

    Raises:
        ArgumentTypeError: It is None or not a subscription.
    """
    for node in _operators_of(subscription):
        node.subscribe()


def set_tree_context(subscription: OperatorSubscription, context: object) -> None:
    """Pass the same context to every node of a subscription.

    Args:
        subscription: The subscription, after `subscribe`.
        context: The context of the host, such as an `OperatorContext`.

    Raises:
        ArgumentTypeError: It is None or not a subscription.
    """
    for node in _operators_of(subscription):
        node.set_context(context)


def start_tree(subscription: OperatorSubscription) -> None:
    """Start every node of a subscription, each before its inputs. Always runs user code.

    Raises:
        ArgumentTypeError: It is None or not a subscription.
    """
    for node in _operators_of(subscription):
        node.start()


def _operators_of(subscription: OperatorSubscription) -> Iterator[Operator]:
    checked_subscription(subscription, "apply(subscription)")
    return (node for node in nodes_of(subscription) if isinstance(node, Operator))


def initialize_tree(
    subscription: OperatorSubscription, context: object, *, snapshot: SnapshotReader | None = None
) -> None:
    """Run all phases: subscribe, set_context, load_state if there is state, start.

    Args:
        subscription: The result of `bind`.
        context: As for `set_tree_context`.
        snapshot: The state; None starts without. The caller calls its `finish` after all trees are loaded.

    Raises:
        ArgumentTypeError: The subscription is None or not a subscription.
        StateError: The state does not fit.
    """
    subscribe_tree(subscription)
    set_tree_context(subscription, context)
    if snapshot is not None:
        StateVisitor(subscription).load_state(snapshot)
    start_tree(subscription)


class InitializeVisitor:
    """Run the phases of one subscription, all at once or one by one, in the order of the host's calls.

    Args:
        subscription: The result of `bind`.

    Raises:
        ArgumentTypeError: It is None or not a subscription.

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
        """Make the whole tree. Nothing is sent."""
        subscribe_tree(self._subscription)

    def set_context(self, context: Any) -> None:
        """Pass the same context to every node."""
        set_tree_context(self._subscription, context)

    def load_state(self, snapshot: SnapshotReader) -> None:
        """Load every node that has state, between `set_context` and `start`.

        Raises:
            ArgumentTypeError: The snapshot is None or not a snapshot.
            StateError: The state does not fit.
        """
        StateVisitor(self._subscription).load_state(snapshot)

    def start(self) -> None:
        """Start every node. Always runs user code."""
        start_tree(self._subscription)

    def initialize(self, context: Any, *, snapshot: SnapshotReader | None = None) -> None:
        """Run all phases."""
        initialize_tree(self._subscription, context, snapshot=snapshot)
