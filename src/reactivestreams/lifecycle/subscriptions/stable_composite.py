"""Several subscriptions that are read more often than they change."""

import threading
from collections.abc import Iterable

from reactivestreams.lifecycle.subscription import OperatorSubscription, checked_subscription
from reactivestreams.lifecycle.subscriptions.composite import CompositeSubscription
from reactivestreams.lifecycle.subscriptions.disposal import dispose_all

__all__ = ["StableCompositeSubscription"]


class StableCompositeSubscription(CompositeSubscription):
    """Hold members that change seldom: each change makes a new tuple, so that reading them takes no lock and no copy.

    Args:
        subscriptions: The first members.

    Raises:
        ArgumentTypeError: One of them is no subscription.

    Example:
        >>> from reactivestreams.lifecycle import NOP
        >>> inputs = StableCompositeSubscription()
        >>> inputs.add_range([NOP, NOP])
        >>> len(inputs)
        2
    """

    # I1: `_members` is written under the lock only, and read as one reference; None: disposed.
    __slots__ = ("_lock", "_members")

    def __init__(self, *subscriptions: OperatorSubscription) -> None:
        self._lock = threading.RLock()
        self._members: tuple[OperatorSubscription, ...] | None = _checked(subscriptions, type(self).__name__)

    def add(self, subscription: OperatorSubscription) -> None:
        """Add a member at the end."""
        self._append((checked_subscription(subscription, "add(subscription)"),))

    def add_range(self, subscriptions: Iterable[OperatorSubscription]) -> None:
        """Add members at the end, all at once: no reader sees a part of them.

        Raises:
            ArgumentTypeError: One of them is no subscription; then none is added.
        """
        self._append(_checked(subscriptions, "add_range"))

    def _append(self, added: tuple[OperatorSubscription, ...]) -> None:
        with self._lock:
            while True:
                members = self._members
                longer = added if members is None else members + added
                if self._members is members:  # else a finalizer, run by what made the tuple, has changed it
                    break
            if members is not None:
                self._members = longer
        if members is None:
            dispose_all(added, origin=type(self).__name__)

    def remove(self, subscription: OperatorSubscription) -> None:
        """Take the first member out that is this object, and dispose it."""
        member = checked_subscription(subscription, "remove(subscription)")
        with self._lock:
            members = self._members or ()
            position = next((at for at, each in enumerate(members) if each is member), None)
            if position is None:
                return
            self._members = members[:position] + members[position + 1 :]
        member.dispose()

    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the members of this moment; none after `dispose`."""
        return self._members or ()

    def dispose(self) -> None:
        """Dispose each member and forget it; later calls do nothing."""
        with self._lock:
            members, self._members = self._members or (), None
        dispose_all(members, origin=type(self).__name__)


def _checked(subscriptions: Iterable[OperatorSubscription], call: str) -> tuple[OperatorSubscription, ...]:
    return tuple(checked_subscription(each, f"{call}(subscriptions)") for each in subscriptions)
