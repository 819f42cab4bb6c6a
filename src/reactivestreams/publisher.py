"""`Publisher` and `DefaultPublisher`, for packages that contain or expect a module of this name.

Inside the project the interface is imported from `reactivestreams.spec`.
"""

from typing import TypeVar

from reactivestreams.spec.publisher import Publisher
from reactivestreams.spec.subscriber import Subscriber
from rs_core.errors import NullElementError
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["DefaultPublisher", "Publisher", "Subscriber"]

T = TypeVar("T")


@refuses_deferred_hooks("or make the stream with Stream.from_async_iterable()")
class DefaultPublisher(Publisher[T]):
    """Store the last subscriber in `_subscriber`; documented as a base.

    It sends nothing, not even `on_subscribe`: a subclass calls `super().subscribe(subscriber)` and sends the signals.
    To write a publisher that follows the rules, derive from `rs_core.authors.base_classes.BasePublisher` instead.

    Example:
        >>> from reactivestreams.subscriber import DefaultSubscriber
        >>> from reactivestreams.subscription import DefaultSubscription
        >>> class Single(DefaultPublisher[str], DefaultSubscription):
        ...     def subscribe(self, subscriber):
        ...         super().subscribe(subscriber)
        ...         subscriber.on_subscribe(self)
        ...
        ...     def request(self, n):
        ...         self._subscriber.on_next("hello", is_complete=True)
        >>> subscriber = DefaultSubscriber(on_next=print)
        >>> Single().subscribe(subscriber)
        >>> subscriber.subscription.request(1)
        hello True
    """

    _subscriber: Subscriber[T] | None = None

    def subscribe(self, subscriber: Subscriber[T]) -> None:
        """Store the subscriber in place of the one before.

        Args:
            subscriber: The subscriber.

        Raises:
            NullElementError: The subscriber is None (§1.9).
        """
        if subscriber is None:
            raise NullElementError("§1.9: subscribe(subscriber) got None; pass a subscriber", rule="1.9")
        self._subscriber = subscriber
