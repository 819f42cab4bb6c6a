"""What can be bound: a publisher whose subscriptions are nodes that a host visits."""

from abc import ABCMeta, abstractmethod
from typing import Any

from reactivestreams.lifecycle.subscription import OperatorSubscription
from reactivestreams.spec.structure import PlainInterface, structural

__all__ = ["Subscribable"]


@structural
class Subscribable(PlainInterface, metaclass=ABCMeta):
    """Give each subscriber a handle that does nothing until a host, or `subscribe`, runs its life cycle.

    A class conforms by inheriting, or by being registered, since `bind` means something else in many libraries. Streams
    are subscribable; so is what derives from `OperatorPublisher`.
    """

    __slots__ = ()

    @abstractmethod
    def bind(self, subscriber: Any, /) -> OperatorSubscription:
        """Attach a subscriber: nothing flows, no input is made, nothing is scheduled. Each call stands for itself.

        Raises:
            NullElementError: The subscriber is None (§1.9).
        """
