"""The base of subscribers that are nodes: the root of a tree, with state."""

from typing import Any

from reactivestreams.lifecycle.stateful_node import StatefulNode
from rs_core.authors.subscriber import BaseSubscriber

__all__ = ["ObserverNode"]


class ObserverNode(StatefulNode, BaseSubscriber[Any]):
    """A subscriber that is a node, which hosts visit, save and load; documented as a base.

    The host combines it with the handle of the stream, the observer first, so that it is ready before elements arrive:
    `StaticCompositeSubscription(observer, stream.bind(observer))`.

    Hooks: those of `StatefulNode`, and of `BaseSubscriber`: `hook_on_subscribe()`, `hook_on_next(element)`,
    `hook_on_error(error)`, `hook_on_complete()`, `hook_on_cancel()`. A subclass may forget `super().__init__()`.

    Demand: that of `request(n)`; by default unbounded.
    Errors: as in `BaseSubscriber`.
    State: whether it is disposed, and the fields of `save_fields`.
    Threads: hooks of signals run in the publisher's threads; `dispose`, which cancels the stream, may be called in any.
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
        """Process an element."""
        raise NotImplementedError(f"{type(self).__name__} has to define hook_on_next(self, element)")

    def on_error(self, error: Exception) -> None:
        """Handle the error that ended the stream; this node ends, too."""
        super().on_error(error)
        self.dispose()

    def on_complete(self) -> None:
        """Handle the completion of the stream; this node ends, too."""
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
