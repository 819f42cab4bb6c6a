"""The subscriber: it receives the signals of a publisher and requests as many elements as it can process."""

from abc import ABCMeta, abstractmethod
from typing import TypeVar

from reactivestreams.spec.structure import Interface, has_methods, structural
from reactivestreams.spec.subscription import Subscription

__all__ = ["SIGNALS", "Subscriber"]

T_contra = TypeVar("T_contra", contravariant=True)

SIGNALS = ("on_subscribe", "on_next", "on_error", "on_complete")
"""The names of the methods of a subscriber, in the order in which they may first be called."""


@structural
class Subscriber(Interface[T_contra], metaclass=ABCMeta):
    """Receive the signals of one publisher.

    The methods are called one after the other, never at the same time (§1.3), though perhaps by different threads. They
    return normally (§2.13): a subscriber that cannot continue cancels its subscription instead of raising.

    Example:
        >>> class Sink:
        ...     def on_subscribe(self, subscription): ...
        ...     def on_next(self, element): ...
        ...     def on_error(self, error): ...
        ...     def on_complete(self): ...
        >>> isinstance(Sink(), Subscriber), issubclass(dict, Subscriber)
        (True, False)
    """

    __slots__ = ()

    @abstractmethod
    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Receive the subscription; called once, before every other signal (§1.9, §2.12).

        No element is sent before it was requested (§2.1). A subscriber that has an active subscription cancels the new
        one (§2.5).

        Args:
            subscription: The subscription, to request elements or to cancel.

        Raises:
            TypeError: The subscription is None (§2.13).
        """

    @abstractmethod
    def on_next(self, element: T_contra, /) -> None:
        """Receive the next element; called at most as often as elements were requested (§1.1).

        May still be called for a while after `cancel` (§2.8).

        Args:
            element: The element, never None.

        Raises:
            TypeError: The element is None (§2.13).
        """

    @abstractmethod
    def on_error(self, error: Exception, /) -> None:
        """Handle the failure of the stream: the last signal, which needs no request (§2.10).

        Call nothing on the subscription or the publisher from here (§2.3); the subscription counts as cancelled (§2.4).

        Args:
            error: The failure, an exception instance.

        Raises:
            TypeError: The error is None (§2.13).
        """

    @abstractmethod
    def on_complete(self) -> None:
        """Handle the completion of the stream: the last signal, which needs no request (§2.9).

        Call nothing on the subscription or the publisher from here (§2.3); the subscription counts as cancelled (§2.4).
        """

    @classmethod
    def __subclasshook__(cls, candidate: type, /) -> bool:
        return has_methods(candidate, *SIGNALS) if cls is Subscriber else NotImplemented
