"""The base of subscribers that are nodes of the tree: at the root, with state."""

from typing import Any

from reactivestreams.lifecycle.stateful_node import StatefulNode
from rs_core.authors.subscriber import BaseSubscriber

__all__ = ["ObserverNode"]


class ObserverNode(StatefulNode, BaseSubscriber[Any]):
    """Take the elements of a stream as a node that hosts visit, save and load; documented as a base.

    The host holds it together with the handle of the stream, the observer first, so that it is ready before elements
    come: `StaticCompositeSubscription(observer, stream.bind(observer))`.

    Hooks: those of `StatefulNode`, and of `BaseSubscriber`: `hook_on_subscribe()`, `hook_on_next(element)`,
    `hook_on_error(error)`, `hook_on_complete()`, `hook_on_cancel()`. A subclass may forget `super().__init__()`.

    Demand: what `request(n)` asks for; by default everything.
    Errors: as in `BaseSubscriber`.
    State: whether it is disposed, and what `save_fields` writes.
    Threads: hooks of signals as the publisher sends them; `dispose`, which cancels the stream, by any.
    Rules: §2.1, §2.3, §2.4, §2.5, §2.7, §2.8, §2.9, §2.10, §2.12, §2.13.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.lifecycle import StaticCompositeSubscription, initialize_tree
        >>> class Total(ObserverNode):
        ...     name = "example/total"
        ...     total = 0
        ...
        ...     def hook_on_next(self, element):
        ...         self.total += element
        ...
        ...     def save_fields(self, writer):
        ...         writer.write(self.total)
        ...
        ...     def load_fields(self, reader, version):
        ...         self.total = reader.read(int)
        >>> total = Total()
        >>> initialize_tree(StaticCompositeSubscription(total, Stream.range(5).bind(total)), None)
        >>> total.total, total.is_disposed
        (10, True)
    """

    def hook_on_next(self, element: Any) -> None:
        """Take an element."""
        raise NotImplementedError(f"{type(self).__name__} has to define hook_on_next(self, element)")

    def on_error(self, error: Exception) -> None:
        """Take the error that ended the stream; this node is over then."""
        super().on_error(error)
        self.dispose()

    def on_complete(self) -> None:
        """Take notice that the stream is complete; this node is over then."""
        super().on_complete()
        self.dispose()

    def cancel(self) -> None:
        """Cancel the stream: the same as `dispose`."""
        self.dispose()

    def _node_tear_down(self) -> None:
        try:
            # To name the type of its elements would make an object at run time.
            BaseSubscriber.cancel(self)  # pyright: ignore[reportUnknownMemberType]
        finally:
            super()._node_tear_down()
