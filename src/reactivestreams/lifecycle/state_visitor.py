"""Saving and loading the whole tree behind a subscription, node by node, as a visitor that is bound to it."""

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
    """Save, load and look at the state of one subscription.

    Args:
        subscription: What `bind` returned.

    Raises:
        ArgumentTypeError: It is None, or no subscription.

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
        """Return whether a node has state that is not yet safely stored; looks no further than the first that has."""
        return has_tree_changed(self._subscription)

    def save_state(self, snapshot: SnapshotWriter, *, allow_restart: bool = False) -> SaveToken:
        """Write the state of every node that has some, each into a record of its own, while nothing flows.

        Args:
            snapshot: Where the records go.
            allow_restart: As in `save_nodes`.

        Returns:
            The token of this snapshot, for `on_state_saved`.

        Raises:
            ArgumentTypeError: The snapshot is None, or none.
            StateError: Elements flow, or a node cannot be saved, or a source would not go on where it is saved.
        """
        return save_nodes(
            self._subscription, _checked(snapshot, SnapshotWriter, "save_state"), allow_restart=allow_restart
        )

    def load_state(self, snapshot: SnapshotReader, *, removed: Collection[str] = ()) -> None:
        """Load every node that has state, between `set_context` and `start`.

        Args:
            snapshot: Whoever made it calls its `finish`, when all trees that are in it are loaded.
            removed: Names of operators that were taken out of the stream since; their records are skipped.

        Raises:
            ArgumentTypeError: The snapshot is None, or none.
            StateError: The state does not fit.
        """
        load_nodes(self._subscription, _checked(snapshot, SnapshotReader, "load_state"), removed=removed)

    def on_state_saved(self, token: SaveToken | None = None) -> None:
        """Tell every node that a snapshot is stored; elements may flow again meanwhile.

        Args:
            token: Which one, as `save_state` returned it; None: the last one.

        Raises:
            ArgumentError: It is the token of another tree.
            ArgumentTypeError: It is none.
        """
        tree_was_saved(self._subscription, token)


def _checked(snapshot: Any, kind: type[S], call: str) -> S:
    if isinstance(snapshot, kind):
        return snapshot
    raise ArgumentTypeError(
        f"{call}(snapshot) needs a {kind.__name__}, got {snapshot!r} ({type(snapshot).__name__}); make one"
    )
