"""A subscription that is assigned once."""

import threading

from reactivestreams.lifecycle.errors import LifecycleError
from reactivestreams.lifecycle.subscription import NodeVisitor, OperatorSubscription, checked_subscription
from reactivestreams.lifecycle.subscriptions.future import FutureSubscription

__all__ = ["SingleAssignmentSubscription"]


class SingleAssignmentSubscription(FutureSubscription):
    """Hold one subscription that is assigned once, and can be visited for good, also after it was disposed.

    So what is behind it keeps its place among the saved records: a part of the tree that is over is saved as disposed.

    Example:
        >>> from reactivestreams.lifecycle import NOP, StableCompositeSubscription
        >>> later = SingleAssignmentSubscription()
        >>> later.dispose()
        >>> members = StableCompositeSubscription(NOP)
        >>> later.subscription = members  # it comes too late
        >>> later.subscription is None, len(members)
        (True, 0)
    """

    # I1: both fields are written under the lock only. `_content` is what visitors reach: the first that was assigned.
    __slots__ = ("_content", "_is_disposed", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._content: OperatorSubscription | None = None
        self._is_disposed = False

    @property
    def subscription(self) -> OperatorSubscription | None:
        """The content; None before it was assigned and after this was disposed.

        Assigned once this is disposed, it is disposed at once; the first such can be visited all the same.

        Raises:
            ArgumentTypeError: What is assigned is None, or no subscription.
            LifecycleError: It was assigned before, and this is not disposed.
        """
        with self._lock:
            return None if self._is_disposed else self._content

    @subscription.setter
    def subscription(self, subscription: OperatorSubscription) -> None:
        content = checked_subscription(subscription, "subscription = value")
        with self._lock:
            previous = self._content
            if previous is None:
                self._content = content
            is_late = self._is_disposed
        if is_late:
            content.dispose()
        elif previous is not None:
            raise LifecycleError(
                f"subscription = {content!r}: {previous!r} was assigned before, and this is assigned once; "
                f"use a SerialSubscription to replace it"
            )

    def accept(self, visitor: NodeVisitor, /) -> None:
        """Have a visitor visit what was assigned first, disposed or not."""
        content = self._content
        if content is not None:
            content.accept(visitor)

    def dispose(self) -> None:
        """Dispose the content, now or as soon as it is assigned; later calls do nothing."""
        with self._lock:
            content = None if self._is_disposed else self._content
            self._is_disposed = True
        if content is not None:
            content.dispose()
