"""Publishers that can be bound: their subscriptions are nodes that a host can visit."""

from abc import ABCMeta, abstractmethod
from typing import Any

from reactivestreams.lifecycle.subscription import OperatorSubscription
from reactivestreams.spec.structure import PlainInterface, structural

__all__ = ["Subscribable"]


@structural
class Subscribable(PlainInterface, metaclass=ABCMeta):
    """Return a handle for each subscriber, which does nothing until a host, or `subscribe`, runs its life cycle.

    A class conforms by inheriting, or by being registered, because `bind` has another meaning in many libraries.
    Streams are subscribable, and so are subclasses of `OperatorPublisher`.
    """

    __slots__ = ()

    @abstractmethod
    def bind(self, subscriber: Any, /) -> OperatorSubscription:
        """Attach a subscriber without making inputs, scheduling or sending. Each call returns a new subscription.

        Raises:
            NullElementError: The subscriber is None (§1.9).
        """
