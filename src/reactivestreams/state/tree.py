"""The state of a whole tree of operators: saved as one snapshot, loaded into a tree of the same shape."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from reactivestreams.state.record import load_record, save_record
from reactivestreams.state.registry import StateRegistry, default_registry
from reactivestreams.state.snapshot import SnapshotReader, SnapshotWriter
from rs_core.state_limits import DEFAULT_LIMITS, StateLimits

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Handle", "TreePath", "load_tree", "save_tree", "stateful_nodes"]

# A longer path is shown by its end.
SHOWN_STEPS = 16


class Handle(Protocol):
    """What leads to the nodes of a tree: the handle of a subscription."""

    def accept(self, visitor: Any, /) -> object:
        """Call `visitor.visit(node)` for each node behind it."""


class TreePath:
    """The way from the handle to a node: at each step, which of the inputs."""

    __slots__ = ("index", "parent")

    def __init__(self, parent: "TreePath | None", index: int) -> None:
        self.parent = parent
        self.index = index

    def __str__(self) -> str:
        steps: list[str] = []
        at: TreePath | None = self
        while at is not None and at.parent is not None and len(steps) < SHOWN_STEPS:
            steps.append(str(at.index))
            at = at.parent
        more = at is not None and at.parent is not None
        return ("/..." if more else "") + "/" + "/".join(reversed(steps))


class _Reached:
    """A visitor that notes which nodes a handle leads to, and goes no further."""

    __slots__ = ("nodes", "visit")

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.visit = self.nodes.append


def stateful_nodes(handle: Handle) -> Iterator[tuple[Any, TreePath]]:
    """Visit the nodes that have state, each before its inputs, and these in their order.

    The inputs of a node are asked for when the iteration goes on behind it, so that a node which is loaded in the
    meantime may get more of them. The depth of the tree does not matter. Runs user code only where a node is foreign.

    Args:
        handle: The handle of a subscription, or a node.

    Yields:
        Each node with the way to it.
    """
    visitor = _Reached()
    reached = visitor.nodes
    handle.accept(visitor)
    root = TreePath(None, 0)
    pending = [(reached[0], root)] if len(reached) == 1 else _in_order(reached, root)
    while pending:
        node, path = pending.pop()
        if hasattr(node, "save_state"):
            yield node, path
        reached.clear()
        for upstream in node.inputs:
            upstream.accept(visitor)
        if len(reached) == 1:
            pending.append((reached[0], TreePath(path, 0)))
        elif reached:
            pending += _in_order(reached, path)


def _in_order(nodes: list[Any], path: TreePath) -> list[tuple[Any, TreePath]]:
    """Return the nodes behind the one at a path, each with the way to it, the last one first."""
    return [(nodes[index], TreePath(path, index)) for index in range(len(nodes) - 1, -1, -1)]


def save_tree(
    handle: Handle, *, registry: StateRegistry = default_registry, limits: StateLimits = DEFAULT_LIMITS
) -> bytes:
    """Return the state of a tree: a record for each of its nodes, those that were disposed among them.

    Outstanding demand is not part of it, elements that were received and not passed on are. Save while no elements
    flow: when nothing is requested, or the stream is parked. Runs user code: the operators' `save_fields`.

    Args:
        handle: The handle of the subscription.
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.

    Raises:
        StateError: An operator cannot be saved now.
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
    for node, path in stateful_nodes(handle):
        save_record(node, snapshot, path=path)
    return snapshot.finish()


def load_tree(
    handle: Handle,
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
        handle: The handle of the new subscription.
        data: What was saved.
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.
        removed: Names of operators that were taken out of the stream since; their records are skipped.

    Raises:
        StateFormatError: The bytes are damaged or no snapshot; or the tree has more or fewer nodes than were saved.
        StateLimitError: They exceed a limit.
        StateError: A record is that of another operator, or in a version that it does not read; or a node was started.
        ArgumentTypeError: The data is not made of bytes.
    """
    snapshot = SnapshotReader(data, registry=registry, limits=limits)
    for node, path in stateful_nodes(handle):
        node.subscribe()  # once; from here on it has inputs
        load_record(node, snapshot, path=path, removed=removed)
    snapshot.finish(removed=removed)
