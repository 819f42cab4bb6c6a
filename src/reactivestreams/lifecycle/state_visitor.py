"""Saving and loading the whole tree of a subscription, node by node."""

from collections.abc import Collection
from typing import Any, TypeVar

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle.subscription import OperatorSubscription, checked_subscription
from reactivestreams.state import (
    SaveToken,
    SnapshotReader,
    SnapshotWriter,
    has_tree_changed,
    load_nodes,
    save_nodes,
    tree_was_saved,
)

__all__ = ["StateVisitor"]

S = TypeVar("S")


class StateVisitor:
    """Save, load and check the state of one subscription.

    Args:
        subscription: The result of `bind`.

    Raises:
        ArgumentTypeError: It is None or not a subscription.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.state import SnapshotWriter
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.range(3).bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> state = StateVisitor(handle)
        >>> snapshot = SnapshotWriter()
        >>> token = state.save_state(snapshot)
        >>> state.has_state_changed()  # until the snapshot is stored
        True
        >>> state.on_state_saved(token)
        >>> state.has_state_changed()
        False
    """

    def __init__(self, subscription: OperatorSubscription) -> None:
        self._subscription = checked_subscription(subscription, "StateVisitor(subscription)")

    def has_state_changed(self) -> bool:
        """Return whether a node has state that is not yet stored; stops at the first such node."""
        return has_tree_changed(self._subscription)

    def save_state(self, snapshot: SnapshotWriter, *, allow_restart: bool = False) -> SaveToken:
        """Write the state of every node with state into its own record, while no elements are sent.

        Args:
            snapshot: The snapshot to which the records are added.
            allow_restart: As in `save_nodes`.

        Returns:
            The token of this snapshot, for `on_state_saved`.

        Raises:
            ArgumentTypeError: The snapshot is None or not a snapshot.
            StateError: Elements are being sent, a node cannot be saved, or a source would not continue where it is
                saved.
        """
        return save_nodes(
            self._subscription, _checked(snapshot, SnapshotWriter, "save_state"), allow_restart=allow_restart
        )

    def load_state(self, snapshot: SnapshotReader, *, removed: Collection[str] = ()) -> None:
        """Load every node that has state, between `set_context` and `start`.

        Args:
            snapshot: The snapshot; the caller calls its `finish` after all its trees are loaded.
            removed: Names of operators that were removed from the stream; their records are skipped.

        Raises:
            ArgumentTypeError: The snapshot is None or not a snapshot.
            StateError: The state does not fit.
        """
        load_nodes(self._subscription, _checked(snapshot, SnapshotReader, "load_state"), removed=removed)

    def on_state_saved(self, token: SaveToken | None = None) -> None:
        """Notify every node that a snapshot was stored; elements may be sent meanwhile.

        Args:
            token: The snapshot, as returned by `save_state`; None means the last one.

        Raises:
            ArgumentError: The token belongs to another tree.
            ArgumentTypeError: The value is not a token.
        """
        tree_was_saved(self._subscription, token)


def _checked(snapshot: Any, kind: type[S], call: str) -> S:
    if isinstance(snapshot, kind):
        return snapshot
    raise ArgumentTypeError(
        f"{call}(snapshot) needs a {kind.__name__}, got {snapshot!r} ({type(snapshot).__name__}); make one"
    )
