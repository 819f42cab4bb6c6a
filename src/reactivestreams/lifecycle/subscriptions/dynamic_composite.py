"""Several subscriptions of which many come and go."""

import threading
from collections import deque

from reactivestreams.lifecycle.subscription import OperatorSubscription, checked_subscription
from reactivestreams.lifecycle.subscriptions.composite import CompositeSubscription
from reactivestreams.lifecycle.subscriptions.disposal import dispose_all

__all__ = ["DynamicCompositeSubscription"]


class DynamicCompositeSubscription(CompositeSubscription):
    """Hold members that come and go: adding and removing take the same time whatever the number of members.

    Args:
        subscriptions: The first members.

    Raises:
        ArgumentTypeError: One of them is no subscription.

    Example:
        >>> class Node:
        ...     def accept(self, visitor):
        ...         visitor.visit(self)
        ...
        ...     def dispose(self):
        ...         print("disposed")
        >>> first, second = Node(), Node()
        >>> inner = DynamicCompositeSubscription(first, second)
        >>> inner.remove(first)
        disposed
        >>> list(inner) == [second]
        True
        >>> inner.dispose()
        disposed
    """

    # I1: `_members` has the members by the numbers under which they were added, so in their order; `_numbers` has those
    # numbers by the identity of the member, the lowest first. I2: both are used under the lock only; None: disposed.
    __slots__ = ("_lock", "_members", "_next_number", "_numbers")

    def __init__(self, *subscriptions: OperatorSubscription) -> None:
        self._lock = threading.RLock()
        self._members: dict[int, OperatorSubscription] | None = {}
        self._numbers: dict[int, deque[int]] = {}
        self._next_number = 0
        for subscription in subscriptions:
            self.add(subscription)

    def add(self, subscription: OperatorSubscription) -> None:
        """Add a member at the end."""
        member = checked_subscription(subscription, "add(subscription)")
        with self._lock:
            number = self._next_number
            self._next_number = number + 1
            members = self._members
            if members is not None:
                members[number] = member
                self._numbers.setdefault(id(member), deque()).append(number)
            is_late = self._members is None  # now, since a finalizer may have disposed this in between
        if is_late:
            member.dispose()

    def remove(self, subscription: OperatorSubscription) -> None:
        """Take the first member out that is this object, and dispose it."""
        member = checked_subscription(subscription, "remove(subscription)")
        with self._lock:
            numbers = self._numbers.get(id(member))
            if self._members is None or not numbers:
                return
            del self._members[numbers.popleft()]
            if not numbers:
                del self._numbers[id(member)]
        member.dispose()

    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the members of this moment; none after `dispose`."""
        with self._lock:
            return () if self._members is None else tuple(self._members.values())

    def dispose(self) -> None:
        """Dispose each member and forget it; later calls do nothing."""
        with self._lock:
            members, self._members, self._numbers = self._members, None, {}
        if members is not None:
            dispose_all(members.values(), origin=type(self).__name__)
