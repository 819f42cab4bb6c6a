"""Publishers that begin or end their streams wrongly, as the inventory of the standard's kit proposes them."""

from collections.abc import Callable
from typing import Any

from reactivestreams.spec import MAX_DEMAND
from tests.tck_selftest.publishers.numbers import Link, NumbersPublisher, Signal

# --- subscribe ---


class TakingNone(NumbersPublisher):
    def without_subscriber(self) -> None:
        """Return, as if nothing were wrong."""


class RefusingNoneOtherwise(NumbersPublisher):
    def without_subscriber(self) -> None:
        raise ValueError("a subscriber is needed")


class RememberingSubscribers(NumbersPublisher):
    def with_subscriber(self, subscriber: Any) -> None:
        self.subscribers = {subscriber}
        super().with_subscriber(subscriber)


class Silent(Link):
    def subscribed(self) -> None:
        """Signal nothing."""


class SubscribingTwice(Link):
    def subscribed(self) -> None:
        self.deliver(self.subscriber.on_subscribe, self)
        super().subscribed()


class EmptyWithoutSubscription(Link):
    def subscribed(self) -> None:
        if self.left == 0:
            self.deliver(self.subscriber.on_complete)
        else:
            super().subscribed()


class RefusedWithoutSubscription(Link):
    def subscribed(self) -> None:
        try:
            self.publisher.run(super().subscribed)
        except RuntimeError as error:
            self.deliver(self.subscriber.on_error, error)


# --- the end ---


class CompletingOnDemand(Link):
    """Complete only while there is demand."""

    def completion(self) -> Signal | None:
        return super().completion() if self.demand else self.stop()


class NeverCompleting(Link):
    def completion(self) -> Signal | None:
        return self.stop()


class EndingWith(Link):
    """Signal something else after the end, or in its place."""

    def completion(self) -> Signal | None:
        subscriber = self.end()
        return (lambda: self.last_signals(subscriber)), ()

    def last_signals(self, subscriber: Any) -> None:
        raise NotImplementedError


class CompletingTwice(EndingWith):
    def last_signals(self, subscriber: Any) -> None:
        subscriber.on_complete()
        subscriber.on_complete()


class FailingAfterTheEnd(EndingWith):
    def last_signals(self, subscriber: Any) -> None:
        subscriber.on_complete()
        subscriber.on_error(RuntimeError("late"))


class SendingAfterTheEnd(EndingWith):
    def last_signals(self, subscriber: Any) -> None:
        subscriber.on_complete()
        subscriber.on_next(-1)


class NoneForTheEnd(EndingWith):
    def last_signals(self, subscriber: Any) -> None:
        subscriber.on_next(None)


class ServingAfterTheEnd(Link):
    """Go on for ever: neither end nor cancellation stops it, only a lack of demand."""

    def completion(self) -> Signal | None:
        self.left = MAX_DEMAND
        self.numbers = iter(int, None)
        return self.subscriber.on_complete, ()

    def cancel(self) -> None:
        """Do nothing."""


class RefusingAfterTheEnd(Link):
    """Take a request after the end for an error."""

    def completion(self) -> Signal | None:
        self.finished = self.subscriber
        return super().completion()

    def request(self, n: int, /) -> None:
        if self.is_over and self.left == 0:
            self.finished.on_error(RuntimeError("the stream has ended"))
        super().request(n)


class LosingTheLast(Link):
    """Lose the last element, and never complete."""

    def next_signal(self) -> Signal | None:
        if self.left == 1:
            return self.stop()
        return super().next_signal()


# --- several subscribers ---


class DifferentForEach(NumbersPublisher):
    """Send each subscriber other numbers."""

    def __init__(self, elements: int, link: type[Link] = Link, **settings: Callable[..., Any]) -> None:
        super().__init__(elements, link, **settings)
        self.subscribers = 0

    def with_subscriber(self, subscriber: Any) -> None:
        self.subscribers += 1
        offset = 1000 * self.subscribers
        publisher = NumbersPublisher(self.elements, self.link, create_element=lambda number: number + offset)
        publisher.with_subscriber(subscriber)
