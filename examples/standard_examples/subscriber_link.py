"""What the subscriptions of these publishers share: the subscriber, its demand, and how it learns of the end."""

import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from examples.standard_examples.normal_return import refusal_of_request, returns_normally
from reactivestreams import Subscriber, Subscription
from reactivestreams.errors import ReactiveStreamsError

__all__ = ["SubscriberLink"]

T = TypeVar("T")


class SubscriberLink(Subscription, Generic[T]):
    """Keep the state of one subscription, under a lock that is never held while code of others runs.

    Any thread may call `request` and `cancel`. The other methods are for the publisher, which signals on one thread at
    a time. The subscription is over when it has no subscriber any more; whoever takes it out has the last word to it.

    Args:
        subscriber: Whom to serve.
        demand: The demand to begin with.
    """

    def __init__(self, subscriber: Subscriber[T], *, demand: int = 0) -> None:
        self._lock = threading.Lock()
        self._subscriber: Subscriber[T] | None = subscriber
        self._demand = demand
        self._refusal: ReactiveStreamsError | None = None

    @abstractmethod
    def when_requested(self, demand_before: int) -> None:
        """See to it that the demand, which was raised just now, is served; called on the thread that requests."""

    def request(self, n: int, /) -> None:
        """Add to the demand, or leave word of a bad request, which counts as 1 so that somebody comes to see it."""
        refusal = refusal_of_request(n)
        with self._lock:
            if self._subscriber is None:  # §3.6, whatever n is
                return
            demand_before = self._demand
            if refusal is None:
                self._demand += n  # §3.8; §3.17: an int has no end
            else:
                self._demand += 1
                self._refusal = self._refusal or refusal
        self.when_requested(demand_before)

    def cancel(self) -> None:
        """Let the subscriber go; what is being signalled to it ends by itself."""
        self._take_subscriber()

    @property
    def demand(self) -> int:
        """What was requested and not served."""
        with self._lock:
            return self._demand

    def demand_after(self, served: int) -> int:
        """Take what was served from the demand and return what is left."""
        with self._lock:
            self._demand -= served
            return self._demand

    def receiver(self) -> Subscriber[T] | None:
        """Return whom to signal next, or None when it is over; a bad request ends it here (§3.9)."""
        with self._lock:
            subscriber, refusal = self._subscriber, self._refusal
        if refusal is None:
            return subscriber
        self.finish()
        return None

    def signal(self, signal: Callable[[Any], None], argument: object) -> None:
        """Call a method of the subscriber; if it raises, that is as if the subscriber had cancelled (§2.13)."""
        if not returns_normally("2.13", signal, argument):
            self.cancel()

    def finish(self, error: Exception | None = None) -> None:
        """Signal the end, or what went wrong first, unless the subscription is over (§1.7)."""
        subscriber = self._take_subscriber()
        failure = error if self._refusal is None else self._refusal
        if subscriber is None:
            return
        if failure is None:
            returns_normally("2.13", subscriber.on_complete)
        else:
            returns_normally("2.13", subscriber.on_error, failure)

    def _take_subscriber(self) -> Subscriber[T] | None:
        # Returned, so that it is freed, if at all, when the lock is no longer held.
        with self._lock:
            subscriber, self._subscriber = self._subscriber, None  # §3.13
            return subscriber
