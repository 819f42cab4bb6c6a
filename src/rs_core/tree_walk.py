"""Walking the tree of a subscription: which nodes there are, in the order in which visitors see them.

Depth: the walk keeps a list of what is still to be visited instead of calling itself, so that a chain of a hundred
thousand operators needs a flat stack.
"""

from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["nodes_below", "nodes_of"]


class _Gathered(list[Any]):
    """Notes the nodes behind a subscription, without going further."""

    def visit(self, node: Any) -> None:
        if node is not None:
            self.append(node)


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
    return _walk([subscription])


def nodes_below(node: Any) -> Iterator[Any]:
    """Yield a node, then the nodes behind its inputs, as `nodes_of` does.

    Args:
        node: Has `inputs`.
    """
    yield node
    yield from _walk(node.inputs)


def _walk(subscriptions: Iterable[Any]) -> Iterator[Any]:
    waiting = _nodes_behind(subscriptions)  # the next one last
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _nodes_behind(node.inputs)


def _nodes_behind(subscriptions: Iterable[Any]) -> list[Any]:
    gathered = _Gathered()
    for subscription in subscriptions:
        subscription.accept(gathered)
    gathered.reverse()
    return gathered
