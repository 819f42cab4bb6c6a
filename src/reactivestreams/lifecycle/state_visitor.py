"""Saving and loading the whole tree behind a subscription, node by node."""

from collections.abc import Iterator

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle.stateful import StatefulOperator, StateReaderFactory, StateWriterFactory
from reactivestreams.lifecycle.subscription import OperatorSubscription, checked_subscription
from rs_core.tree_walk import nodes_of

__all__ = ["StateVisitor", "has_tree_state_changed", "load_tree_state", "save_tree_state", "tree_state_was_saved"]


def _stateful_nodes(subscription: OperatorSubscription, call: str) -> Iterator[StatefulOperator]:
    """Yield the nodes that have a record: those with state and a name. An end has none; it is its subscriber's."""
    checked_subscription(subscription, f"{call}(subscription)")
    for node in nodes_of(subscription):
        if isinstance(node, StatefulOperator) and node.name:
            yield node


def has_tree_state_changed(subscription: OperatorSubscription) -> bool:
    """Return whether a node has state that is not yet safely stored; looks no further than the first that has.

    Raises:
        ArgumentTypeError: The subscription is None, or none.
    """
    return any(node.state_changed for node in _stateful_nodes(subscription, "has_tree_state_changed"))


def save_tree_state(subscription: OperatorSubscription, writer_factory: StateWriterFactory) -> None:
    """Write the state of every node that has some, each into a record of its own, while nothing flows.

    Args:
        subscription: What `bind` returned; disposed parts are saved as disposed.
        writer_factory: Makes the records.

    Raises:
        ArgumentTypeError: The subscription or the factory is None, or none.
        StateError: Elements flow, or a node cannot be saved.
    """
    if not isinstance(writer_factory, StateWriterFactory):
        raise _no_factory("save_tree_state(writer_factory)", "StateWriterFactory", writer_factory)
    for node in _stateful_nodes(subscription, "save_tree_state"):
        with writer_factory.create(node) as writer:
            node.save_state(writer)


def load_tree_state(subscription: OperatorSubscription, reader_factory: StateReaderFactory) -> None:
    """Load every node that has state, between `set_context` and `start`.

    A node that makes inputs while it is loaded has them loaded next. What a node raises leaves those behind it
    unloaded.

    Args:
        subscription: Subscribed, and with its context.
        reader_factory: Finds the records.

    Raises:
        ArgumentTypeError: The subscription or the factory is None, or none.
        StateError: The state does not fit.
    """
    if not isinstance(reader_factory, StateReaderFactory):
        raise _no_factory("load_tree_state(reader_factory)", "StateReaderFactory", reader_factory)
    for node in _stateful_nodes(subscription, "load_tree_state"):
        with reader_factory.create(node) as reader:
            if reader is not None:
                node.load_state(reader, reader.version)


def tree_state_was_saved(subscription: OperatorSubscription) -> None:
    """Tell every node that has state that what it wrote last is stored; elements may flow again meanwhile.

    Raises:
        ArgumentTypeError: The subscription is None, or none.
    """
    for node in _stateful_nodes(subscription, "tree_state_was_saved"):
        node.on_state_saved()


class StateVisitor:
    """Save, load and look at the state of one subscription.

    Args:
        subscription: What `bind` returned.

    Raises:
        ArgumentTypeError: It is None, or no subscription.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.range(3).bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> StateVisitor(handle).has_state_changed()
        True
    """

    def __init__(self, subscription: OperatorSubscription) -> None:
        self._subscription = checked_subscription(subscription, "StateVisitor(subscription)")

    def has_state_changed(self) -> bool:
        """Return whether a node has state that is not yet safely stored."""
        return has_tree_state_changed(self._subscription)

    def save_state(self, writer_factory: StateWriterFactory) -> None:
        """Write the state of every node that has some."""
        save_tree_state(self._subscription, writer_factory)

    def load_state(self, reader_factory: StateReaderFactory) -> None:
        """Load every node that has state."""
        load_tree_state(self._subscription, reader_factory)

    def on_state_saved(self) -> None:
        """Tell every node that what it wrote last is stored."""
        tree_state_was_saved(self._subscription)


def _no_factory(call: str, kind: str, value: object) -> ArgumentTypeError:
    return ArgumentTypeError(
        f"{call} needs a {kind}, got {value!r} ({type(value).__name__}); pass an object with create(node)"
    )
