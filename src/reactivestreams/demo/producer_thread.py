"""Run a publisher in its own thread and observe the demand that reaches it."""

from collections.abc import Callable
from typing import TypeVar

from reactivestreams.errors import NullElementError
from reactivestreams.schedulers import Scheduler
from reactivestreams.spec import Publisher, Subscriber, Subscription

__all__ = ["ProducerThread"]

T = TypeVar("T")


class ProducerThread(Publisher[T]):
    """Forward every request to a scheduler, so that the publisher emits in its thread, and report the request there.

    Signals pass through unchanged. A publisher emits in the thread whose request finds it idle (§3.10), so moving the
    requests moves the publisher.

    Args:
        publisher: The publisher.
        scheduler: The scheduler that makes its requests, one task for each.
        on_request: Called with n before each `request(n)`, in that thread; it must not raise.
    """

    def __init__(self, publisher: Publisher[T], *, scheduler: Scheduler, on_request: Callable[[int], None]) -> None:
        self._publisher = publisher
        self._scheduler = scheduler
        self._on_request = on_request

    def subscribe(self, subscriber: Subscriber[T]) -> None:
        """Subscribe to the publisher."""
        if subscriber is None:
            raise NullElementError(
                "§1.9: subscribe(subscriber) got None; pass an object with the four on_ methods", rule="1.9"
            )
        self._publisher.subscribe(_MovedSubscriber(subscriber, self._scheduler, self._on_request))


class _MovedSubscriber(Subscriber[T]):
    def __init__(self, subscriber: Subscriber[T], scheduler: Scheduler, on_request: Callable[[int], None]) -> None:
        self._subscriber = subscriber
        self._scheduler = scheduler
        self._on_request = on_request

    def on_subscribe(self, subscription: Subscription) -> None:
        self._subscriber.on_subscribe(_MovedSubscription(subscription, self._scheduler, self._on_request))

    def on_next(self, element: T) -> None:
        self._subscriber.on_next(element)

    def on_error(self, error: Exception) -> None:
        self._subscriber.on_error(error)

    def on_complete(self) -> None:
        self._subscriber.on_complete()


class _MovedSubscription(Subscription):
    def __init__(self, subscription: Subscription, scheduler: Scheduler, on_request: Callable[[int], None]) -> None:
        self._subscription = subscription
        self._scheduler = scheduler
        self._on_request = on_request

    def request(self, n: int) -> None:
        def ask() -> None:
            self._on_request(n)
            self._subscription.request(n)

        self._scheduler.schedule(ask)

    def cancel(self) -> None:
        self._subscription.cancel()
