"""Verifications of publishers that are correct, and of ones that are wrong in one way each."""

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import Environment, PublisherVerification
from reactivestreams.tck.probes.source_publishers import AsynchronousPublisher, SynchronousPublisher
from tests.tck.settings import short_environment

_log = logging.getLogger(__name__)


class IdleSubscription:
    """A subscription that does nothing."""

    def request(self, n: int, /) -> None:
        """Do nothing."""

    def cancel(self) -> None:
        """Do nothing."""


class FailedPublisher:
    """Signal `on_subscribe`, then `on_error`."""

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        subscriber.on_subscribe(IdleSubscription())
        subscriber.on_error(RuntimeError("the publisher has failed"))


class SynchronousVerification(PublisherVerification):
    """A correct publisher that sends on the thread that requests."""

    kind: type[SynchronousPublisher] = SynchronousPublisher

    def create_publisher(self, elements: int) -> Any:
        return self.kind(elements)

    def create_failed_publisher(self) -> Any:
        return FailedPublisher()

    def create_publisher_failing_at(self, position: int) -> Any:
        def element(number: int) -> int:
            if number == position:
                raise ValueError(f"element {number} cannot be made")
            return number

        return self.kind(position + 10, element)


class AsynchronousVerification(SynchronousVerification):
    """A correct publisher that sends on threads of its own."""

    kind = AsynchronousPublisher


class ExecutorVerification(SynchronousVerification):
    """A correct publisher that sends from tasks of an executor."""

    def create_publisher_with_executor(self, executor: Any, elements: int) -> Any:
        return AsynchronousPublisher(elements, executor=executor)


class EndlessVerification(SynchronousVerification):
    """A correct publisher that never completes."""

    def create_publisher(self, elements: int) -> Any:
        return self.kind(MAX_DEMAND)

    def max_elements_from_publisher(self) -> int:
        return self.publisher_unable_to_signal_on_complete()


class SingleVerification(SynchronousVerification):
    """A correct publisher of one element."""

    def create_publisher(self, elements: int) -> Any:
        return self.kind(1)

    def max_elements_from_publisher(self) -> int:
        return 1


class EmptyVerification(SynchronousVerification):
    """A correct publisher of no element."""

    def create_publisher(self, elements: int) -> Any:
        return self.kind(0)

    def max_elements_from_publisher(self) -> int:
        return 0


class ScriptedPublisher:
    """Give each subscriber a subscription whose `request` and `cancel` are functions of the subscriber."""

    def __init__(
        self,
        request: Callable[[Any, int], None] = lambda subscriber, n: None,
        cancel: Callable[[Any], None] = lambda subscriber: None,
    ) -> None:
        self._request = request
        self._cancel = cancel

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        request, cancel = self._request, self._cancel

        class Link:
            def request(self, n: int, /) -> None:
                request(subscriber, n)

            def cancel(self) -> None:
                cancel(subscriber)

        subscriber.on_subscribe(Link())


class WrongVerification(PublisherVerification):
    """A publisher made by a function, judged with short times."""

    def __init__(self, create: Callable[[int], Any], failed: Any = None) -> None:
        self._create = create
        self._failed = failed

    def create_publisher(self, elements: int) -> Any:
        return self._create(elements)

    def create_failed_publisher(self) -> Any:
        return self._failed

    def create_environment(self) -> Environment:
        return short_environment()


class LinkOfNumbers:
    """A correct subscription of the numbers below a count, sent on the thread that requests; to be made wrong.

    Its steps are methods of their own, so that a mutant changes one of them.
    """

    def __init__(self, count: int, subscriber: Any) -> None:
        self.numbers: Iterator[int] = iter(range(count))
        self.count = count
        self.sent = 0
        self.demand = 0
        self.is_over = False
        self.is_sending = False
        self.refused: int | None = None
        self.lock = threading.Lock()
        self.subscriber: Any = subscriber

    def request(self, n: int, /) -> None:
        with self.lock:
            if self.is_over:
                return
            if n > 0:
                self.demand = self.added(n)
            else:
                self.refuse(n)
            if self.is_sending:
                return
            self.is_sending = True
        self.send()

    def added(self, n: int) -> int:
        return min(MAX_DEMAND, self.demand + n)

    def refuse(self, n: int) -> None:
        self.refused = n

    def send(self) -> None:
        while True:
            with self.lock:
                if self.refused is not None and not self.is_over:
                    refusal = ValueError(f"§3.9: non-positive subscription request: {self.refused}")
                    subscriber = self.end()
                    break
                refusal = None
                if self.is_over or self.sent == self.count or self.demand <= 0:
                    self.is_sending = False
                    if self.is_over or self.sent < self.count:
                        return
                    subscriber = self.end()
                    break
                self.demand -= 1
                self.sent += 1
                number = next(self.numbers)
                receiver = self.subscriber
            self.signal(receiver.on_next, number)
            del receiver  # it may cancel, and be let go then (§3.13)
        if refusal is None:
            self.signal(subscriber.on_complete)
        else:
            self.signal(subscriber.on_error, refusal)

    def signal(self, call: Callable[..., None], *argument: Any) -> None:
        try:
            call(*argument)
        except Exception as error:  # §2.13
            self.cancel()
            _log.debug("a subscriber has raised %r", error)

    def end(self) -> Any:
        subscriber, self.subscriber = self.subscriber, None
        self.is_over = True
        return subscriber

    def cancel(self) -> None:
        with self.lock:
            self.end()


class NumbersPublisher:
    """Publish numbers through a kind of link."""

    def __init__(self, count: int, link: type[LinkOfNumbers] = LinkOfNumbers) -> None:
        self._count = count
        self._link = link

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        link = self._link(self._count, subscriber)
        link.is_sending = True  # what on_subscribe requests only adds
        link.signal(subscriber.on_subscribe, link)
        link.send()
