"""Several subscriptions that stay the same for life."""

from typing import NoReturn

from reactivestreams.lifecycle.errors import LifecycleError
from reactivestreams.lifecycle.once import Once
from reactivestreams.lifecycle.subscription import OperatorSubscription, checked_subscription
from reactivestreams.lifecycle.subscriptions.composite import CompositeSubscription
from reactivestreams.lifecycle.subscriptions.disposal import dispose_all

__all__ = ["StaticCompositeSubscription"]


class StaticCompositeSubscription(CompositeSubscription):
    """Hold members that are fixed; they stay members after `dispose`, and can be visited.

    Args:
        subscriptions: The members.

    Raises:
        ArgumentTypeError: One of them is no subscription.

    Example:
        >>> from reactivestreams.lifecycle import NOP
        >>> both = StaticCompositeSubscription(NOP, NOP)
        >>> both.dispose()
        >>> len(both)
        2
    """

    __slots__ = ("_disposal", "_members")

    def __init__(self, *subscriptions: OperatorSubscription) -> None:
        call = "StaticCompositeSubscription(subscriptions)"
        self._members = tuple(checked_subscription(each, call) for each in subscriptions)
        self._disposal = Once()

    def add(self, subscription: OperatorSubscription) -> NoReturn:
        """Refuse: the members are fixed."""
        raise self._is_fixed("add", subscription)

    def remove(self, subscription: OperatorSubscription) -> NoReturn:
        """Refuse: the members are fixed."""
        raise self._is_fixed("remove", subscription)

    def _is_fixed(self, call: str, subscription: OperatorSubscription) -> LifecycleError:
        checked_subscription(subscription, f"{call}(subscription)")
        return LifecycleError(
            f"{call}({subscription!r}): the {len(self._members)} members of {self!r} are fixed; "
            f"use a StableCompositeSubscription where they change"
        )

    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the members, also after `dispose`."""
        return self._members

    def dispose(self) -> None:
        """Dispose each member; later calls do nothing."""
        if self._disposal.begin():
            dispose_all(self._members, origin=type(self).__name__)
