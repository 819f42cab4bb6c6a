"""What a subscription is whose content comes later."""

from abc import abstractmethod

from reactivestreams.lifecycle.subscription import OperatorSubscription

__all__ = ["FutureSubscription"]


class FutureSubscription(OperatorSubscription):
    """Hold at most one subscription, which is assigned when it is known.

    What is disposed is disposed outside of every lock.

    Threads: any, all members, also from inside the content's `dispose`, from finalizers and signal handlers: locks are
    re-entrant.
    """

    __slots__ = ("__weakref__",)

    @property
    @abstractmethod
    def subscription(self) -> OperatorSubscription | None:
        """The content; None before it was assigned and after this was disposed.

        Assigned once this is disposed, it is disposed at once.

        Raises:
            ArgumentTypeError: What is assigned is None, or no subscription.
        """

    @subscription.setter
    @abstractmethod
    def subscription(self, subscription: OperatorSubscription) -> None:
        pass
