"""The state of a whole tree of operators: saved as one snapshot, loaded into a tree of the same shape."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.state.record import load_record, save_record
from reactivestreams.state.registry import StateRegistry, default_registry
from reactivestreams.state.snapshot import SnapshotReader, SnapshotWriter
from rs_core.state.limits import DEFAULT_LIMITS, StateLimits
from rs_core.state.refusals import still_flowing
from rs_core.stream.quiescence import Quiescence
from rs_core.stream.tree_walk import TreePath, nodes_with_paths

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from reactivestreams.lifecycle import OperatorSubscription

__all__ = [
    "SaveToken",
    "has_tree_changed",
    "load_nodes",
    "load_tree",
    "save_nodes",
    "save_tree",
    "stateful_nodes",
    "tree_was_saved",
]


def stateful_nodes(subscription: "OperatorSubscription") -> Iterator[tuple[Any, TreePath]]:
    """Yield the nodes with state, each before its inputs, with its path.

    A node that is loaded meanwhile may get more inputs, which are visited next. Runs user code only where a node is
    foreign.

    Args:
        subscription: The handle of a subscription, or a node.
    """
    for node, path in nodes_with_paths(subscription):
        if hasattr(node, "save_state"):
            yield node, path


def has_tree_changed(subscription: "OperatorSubscription") -> bool:
    """Return whether a node has state that is not yet stored; stops at the first such node."""
    return any(node.state_changed for node, _ in stateful_nodes(subscription))


class SaveToken:
    """Identifies a snapshot of a tree: returned by `save_nodes`, for `tree_was_saved`."""

    __slots__ = ("_nodes", "_subscription")

    def __init__(self, subscription: "OperatorSubscription", nodes: list[tuple[Any, object]]) -> None:
        self._subscription = subscription
        self._nodes = nodes  # those that were saved, with the token of each

    @property
    def nodes(self) -> list[Any]:
        """The nodes that were saved."""
        return [node for node, _ in self._nodes]

    def was_saved(self, subscription: "OperatorSubscription") -> None:
        """Notify each node that this snapshot was stored."""
        if subscription is not self._subscription:
            raise ArgumentError(
                f"tree_was_saved({subscription!r}, token): it is the token of another tree, {self._subscription!r}; "
                f"pass what save_nodes returned for this one"
            )
        for node, token in self._nodes:
            if token is None:
                node.on_state_saved()
            else:
                node.on_state_saved(token)


def save_nodes(
    subscription: "OperatorSubscription",
    snapshot: SnapshotWriter,
    *,
    allow_restart: bool = False,
    quiescence: Quiescence | None = None,
) -> SaveToken:
    """Add a record to a snapshot for each node with state, including disposed nodes.

    All nodes are quiescent meanwhile, so that the records belong to one moment: pushes, requests and cancellations
    wait, and are processed after the last record, in this thread or on the stream's scheduler.

    Args:
        subscription: The handle of the subscription, while no elements are sent.
        snapshot: It may get the records of several trees, which are loaded in the same order.
        allow_restart: Save also sources that repeat their elements after a recovery, or lose some: those whose
            `recovery` is `restarts` or `none`.
        quiescence: Holds the nodes of several trees, whose records then belong to one moment: until its own end, not
            only until the last record of this tree.

    Returns:
        The token of this snapshot, for `tree_was_saved` after it was stored.

    Raises:
        StateError: An operator cannot be saved now, or a source would not continue where it is saved.
        StateTypeError: An operator has a value of an unknown class.
        StateLimitError: The state exceeds a limit.
    """
    if quiescence is None:
        with Quiescence() as quiescence:
            return save_nodes(subscription, snapshot, allow_restart=allow_restart, quiescence=quiescence)
    nodes = list(stateful_nodes(subscription))
    for node, path in nodes:
        if not quiescence.hold(node):
            raise still_flowing(node, f"{node.name or 'the end of the stream'} at {path}")
    saved: list[tuple[Any, object]] = []
    for node, path in nodes:
        if not allow_restart:
            _require_recovery(node, path)
        saved.append((node, save_record(node, snapshot, path=path)))
    return SaveToken(subscription, saved)


_WHY_NOT = {
    "restarts": "begins anew after a recovery, so that its elements would come twice, into state that is kept",
    "none": "does not give again what it gave, nor what comes before a recovery",
}


def _require_recovery(node: Any, path: TreePath) -> None:
    """Raise for a source that has not ended and does not continue where it was saved."""
    recovery = getattr(node, "recovery", None)
    if recovery in _WHY_NOT and not node.is_disposed:
        location = f"{node.name} at {path}"
        error = StateError(
            f"{location}: cannot save {node!r}: it {_WHY_NOT[recovery]} (its recovery is {recovery!r}); if it gives "
            f"the same elements each time, state recovery='skips' where from_iterable, from_publisher or "
            f"from_async_iterable makes it; else save with allow_restart=True"
        )
        error.location = location
        raise error


def load_nodes(
    subscription: "OperatorSubscription", snapshot: SnapshotReader, *, removed: Collection[str] = ()
) -> None:
    """Load each node that has state from the next record of a snapshot, before it is started.

    Nodes are subscribed if necessary, so that the whole tree exists; inputs that a node makes while it is loaded are
    loaded next. If a node raises, the nodes after it are not loaded.

    Args:
        subscription: The handle of the new subscription.
        snapshot: The snapshot; its maker finishes it after all trees are loaded.
        removed: Names of operators that were removed from the stream; their records are skipped.

    Raises:
        StateFormatError: There are more nodes than were saved.
        StateError: A record belongs to another operator or has a version that it does not read; or a node was started.
    """
    for node, path in nodes_with_paths(subscription):
        node.subscribe()  # once; from here on it has inputs
        if hasattr(node, "save_state"):
            load_record(node, snapshot, path=path, removed=removed)


def tree_was_saved(subscription: "OperatorSubscription", token: SaveToken | None = None) -> None:
    """Notify every node with state that a snapshot was stored; elements may be sent meanwhile.

    Changes since that snapshot must still be saved, and so must a newer snapshot that is not yet committed.

    Args:
        subscription: The handle of the subscription.
        token: Which snapshot, as `save_nodes` returned it; None: the last one, for hosts that take none while the
            commit of another one runs.

    Raises:
        ArgumentError: It is the token of another tree.
        ArgumentTypeError: It is none.
    """
    if token is None:
        for node, _ in stateful_nodes(subscription):
            node.on_state_saved()
    elif isinstance(token, SaveToken):
        token.was_saved(subscription)
    else:
        raise ArgumentTypeError(
            f"tree_was_saved(subscription, token) needs what save_nodes returned, got {token!r} "
            f"({type(token).__name__}); pass that, or None for the last snapshot"
        )


def save_tree(
    subscription: "OperatorSubscription",
    *,
    registry: StateRegistry = default_registry,
    limits: StateLimits = DEFAULT_LIMITS,
    allow_restart: bool = False,
) -> bytes:
    """Return the state of a tree: a record for each of its nodes, those that were disposed among them.

    Outstanding demand is not part of it, elements that were received and not passed on are. Save while no elements
    flow: when nothing is requested, or the stream is parked. All nodes stand still meanwhile, so that the records are
    of one moment: what is pushed, requested or cancelled until then is dealt with after the last record, in this
    thread or on the stream's scheduler. Runs user code: the operators' `save_fields`. A host that takes a snapshot
    while the commit of another one runs calls `save_nodes`, which returns what `tree_was_saved` tells them apart by.

    Args:
        subscription: The handle of the subscription.
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.
        allow_restart: Save sources, too, that repeat their elements after a recovery, or lose some:
            those whose `recovery` is `restarts` or `none`.

    Raises:
        StateError: An operator cannot be saved now, or a source would not go on where it is saved.
        StateTypeError: An operator holds a value of a class that is not known.
        StateLimitError: The state exceeds a limit.

    Example:
        >>> from reactivestreams import Stream
        >>> def totals():
        ...     return Stream.range(1, 100).scan(lambda total, n: total + n, 0)
        >>> class Printing:
        ...     def on_subscribe(self, subscription):
        ...         pass
        ...
        ...     def on_next(self, element):
        ...         print(element)
        ...
        ...     def on_error(self, error):
        ...         print(error)
        ...
        ...     def on_complete(self):
        ...         print("complete")
        >>> before = totals().bind(Printing())
        >>> before.initialize()
        >>> before.request(3)
        1
        3
        6
        >>> state = save_tree(before)
        >>> after = totals().bind(Printing())
        >>> load_tree(after, state)
        >>> after.initialize()
        >>> after.request(2)
        10
        15
    """
    snapshot = SnapshotWriter(registry=registry, limits=limits)
    save_nodes(subscription, snapshot, allow_restart=allow_restart)
    return snapshot.finish()


def load_tree(
    subscription: "OperatorSubscription",
    data: "Buffer",
    *,
    registry: StateRegistry = default_registry,
    limits: StateLimits = DEFAULT_LIMITS,
    removed: Collection[str] = (),
) -> None:
    """Load the state that `save_tree` returned into a tree of the same shape, before it is started.

    The n-th node gets the n-th record, and checks that it bears its name. Nodes that are not subscribed yet are, so
    that the whole tree is there. If an error is raised, a part of the tree may be loaded already: throw it away. An
    error about damaged bytes comes before anything is loaded. Runs user code: the operators' `load_fields`.

    Args:
        subscription: The handle of the new subscription.
        data: What was saved.
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.
        removed: Names of operators that were taken out of the stream since; their records are skipped.

    Raises:
        StateFormatError: The bytes are damaged or no snapshot; or the tree has more or fewer nodes than were saved.
        StateLimitError: They exceed a limit.
        StateError: A record belongs to another operator or has a version that it does not read; or a node was started.
        ArgumentTypeError: The data is not made of bytes.
    """
    snapshot = SnapshotReader(data, registry=registry, limits=limits)
    load_nodes(subscription, snapshot, removed=removed)
    snapshot.finish(removed=removed)
