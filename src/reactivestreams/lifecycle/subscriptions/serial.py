"""Subscriptions of which one takes the place of the other."""

import threading

from reactivestreams.lifecycle.subscription import NodeVisitor, OperatorSubscription, checked_subscription
from reactivestreams.lifecycle.subscriptions.future import FutureSubscription

__all__ = ["SerialSubscription"]


class SerialSubscription(FutureSubscription):
    """Hold one subscription at a time: a new one takes the place of the one before, which is disposed.

    Once it is disposed it holds nothing, and nothing is visited behind it. An operator that uses it has to save whether
    there is a content, or the records of its state lose their places.

    Example:
        >>> from reactivestreams.lifecycle import NOP, StaticCompositeSubscription
        >>> serial = SerialSubscription()
        >>> serial.subscription = StaticCompositeSubscription(NOP)
        >>> serial.subscription = NOP  # disposes the composite
        >>> serial.subscription is NOP
        True
    """

    # I1: both fields are written under the lock only; once disposed, `_content` is None.
    __slots__ = ("_content", "_is_disposed", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._content: OperatorSubscription | None = None
        self._is_disposed = False

    @property
    def subscription(self) -> OperatorSubscription | None:
        """The content; None before one was assigned and after this was disposed.

        Assigning disposes the content before it; once this is disposed, what is assigned is disposed at once.

        Raises:
            ArgumentTypeError: What is assigned is None, or no subscription.
        """
        return self._content

    @subscription.setter
    def subscription(self, subscription: OperatorSubscription) -> None:
        content = checked_subscription(subscription, "subscription = value")
        over: OperatorSubscription | None = content
        with self._lock:
            if not self._is_disposed:
                over, self._content = self._content, content
        if over is not None and over is not self._content:
            over.dispose()

    def accept(self, visitor: NodeVisitor, /) -> None:
        """Have a visitor visit the content of this moment."""
        content = self._content
        if content is not None:
            content.accept(visitor)

    def dispose(self) -> None:
        """Dispose the content and forget it; later calls do nothing."""
        with self._lock:
            self._is_disposed = True
            content, self._content = self._content, None
        if content is not None:
            content.dispose()
