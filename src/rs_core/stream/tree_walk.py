"""Walking the tree of a subscription: which nodes there are, in the order in which visitors see them, and where.

Depth: the walk keeps a list of what is still to be visited instead of calling itself, so that a chain of a hundred
thousand operators needs a flat stack.
"""

from collections.abc import Iterator
from typing import Any

from rs_core.errors import ArgumentTypeError

__all__ = ["TreePath", "nodes_of", "nodes_with_paths"]

# A longer path is shown by its end.
SHOWN_STEPS = 16


class TreePath:
    """The way from a handle to a node: at each step, which of the inputs."""

    __slots__ = ("index", "parent")

    def __init__(self, parent: "TreePath | None", index: int) -> None:
        self.parent: TreePath | None = parent
        self.index: int = index

    def __str__(self) -> str:
        steps: list[str] = []
        at: TreePath = self
        while at.parent is not None and len(steps) < SHOWN_STEPS:
            steps.append(str(at.index))
            at = at.parent
        return ("/..." if at.parent is not None else "") + "/" + "/".join(reversed(steps))


def nodes_of(subscription: Any) -> Iterator[Any]:
    """Yield the nodes behind a subscription, each before its inputs, the inputs in their order.

    The inputs of a node are asked for when the next node is: what was done to a node meanwhile counts, such as
    `subscribe()`, which makes inputs. Never runs user code but `accept` and `inputs` of nodes that are not ours.

    Args:
        subscription: Has `accept(visitor)`: a handle, a node, or several of them as a composite.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.range(3).map(str).bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> [node.name for node in nodes_of(handle)]
        ['', 'rx://operators/map', 'rx://sources/range']
    """
    visitor = _reached_by(subscription)
    reached = visitor.nodes
    waiting = reached[::-1]
    while waiting:
        node = waiting.pop()
        if node is None:  # to visit None means nothing
            continue
        yield node
        reached.clear()
        for each in node.inputs:
            each.accept(visitor)
        waiting += reached[::-1]


def nodes_with_paths(subscription: Any) -> Iterator[tuple[Any, TreePath]]:
    """Yield the nodes behind a subscription as `nodes_of` does, each with the way to it.

    Args:
        subscription: Has `accept(visitor)`.

    Raises:
        ArgumentTypeError: It has not, such as a stream that was not bound.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> handle = Stream.range(3).map(str).bind(DefaultSubscriber())
        >>> handle.initialize()
        >>> [str(path) for node, path in nodes_with_paths(handle)]
        ['/', '/0', '/0/0']
    """
    visitor = _reached_by(subscription)
    reached = visitor.nodes
    above = TreePath(None, 0)
    waiting = [(reached[0], above)] if len(reached) == 1 else _last_first(reached, above)
    while waiting:
        node, path = waiting.pop()
        if node is None:
            continue
        yield node, path
        reached.clear()
        for each in node.inputs:
            each.accept(visitor)
        if len(reached) == 1:
            waiting.append((reached[0], TreePath(path, 0)))
        elif reached:
            waiting += _last_first(reached, path)


class _Reached:
    """Notes the nodes behind subscriptions, without going further."""

    __slots__ = ("nodes", "visit")

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.visit = self.nodes.append


def _reached_by(subscription: Any) -> _Reached:
    """Return the visitor of a walk, after it has noted where the walk begins."""
    if not callable(getattr(subscription, "accept", None)):
        raise ArgumentTypeError(
            f"a tree is reached from the handle of its subscription, and {subscription!r:.200} "
            f"({type(subscription).__name__}) is none: it does not run and has no state; pass what bind(subscriber) "
            f"returned"
        )
    visitor = _Reached()
    subscription.accept(visitor)
    return visitor


def _last_first(nodes: list[Any], path: TreePath) -> list[tuple[Any, TreePath]]:
    """Return the nodes behind the one at a path, each with the way to it, the last one first."""
    return [(nodes[index], TreePath(path, index)) for index in range(len(nodes) - 1, -1, -1)]
