"""A correct publisher of numbers whose steps are methods of their own, so that a mutant changes one of them."""

import logging
import threading
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from reactivestreams.spec import MAX_DEMAND

__all__ = ["Link", "NumbersPublisher", "Signal", "Worker", "here", "on_a_thread"]

_log = logging.getLogger(__name__)

Signal = tuple[Callable[..., None], tuple[Any, ...]]
"""A method of a subscriber, and what to call it with."""


Worker = Callable[[Callable[[], None]], None]
"""Calls a function, here or elsewhere, now or later."""


def here(work: Callable[[], None]) -> None:
    """Do work on the thread that asks for it."""
    work()


def on_a_thread(work: Callable[[], None]) -> None:
    """Do work on a thread of its own."""
    threading.Thread(target=work, name="mutant", daemon=True).start()


class Link:
    """Serve one subscriber; one thread at a time drains, the others leave their requests to it.

    Args:
        publisher: What it belongs to: the number of elements, and where to work.
        subscriber: Who is served.
    """

    def __init__(self, publisher: "NumbersPublisher", subscriber: Any) -> None:
        self.publisher = publisher
        self.subscriber: Any = subscriber
        self.numbers: Iterator[int] = count() if publisher.elements >= MAX_DEMAND else iter(range(publisher.elements))
        self.left = publisher.elements
        self.demand = 0
        self.failure: Exception | None = None
        self.is_over = False
        self.is_draining = True  # until on_subscribe has returned: what it requests only adds
        self.lock = threading.RLock()

    # --- for the subscriber ---

    def request(self, n: int, /) -> None:
        with self.lock:
            if self.is_over:
                return
            self.register(n)
            if self.is_draining:
                return
            self.is_draining = True
        self.start()

    def cancel(self) -> None:
        with self.lock:
            self.end()

    # --- steps ---

    def subscribed(self) -> None:
        self.deliver(self.subscriber.on_subscribe, self)
        self.start()

    def start(self) -> None:
        try:
            self.publisher.run(self.drain)
        except Exception as error:  # nobody else drains, so this thread may signal
            self.refused(error)

    def refused(self, error: Exception) -> None:
        with self.lock:
            subscriber = self.end()
        if subscriber is not None:
            self.deliver(subscriber.on_error, error)

    def register(self, n: int) -> None:
        if n > 0:
            self.demand = self.added(n)
        elif self.failure is None:
            self.failure = self.refusal(n)

    def added(self, n: int) -> int:
        return min(MAX_DEMAND, self.demand + n)

    def refusal(self, n: int) -> Exception:
        return ValueError(f"§3.9: non-positive subscription request: {n}")

    def drain(self) -> None:
        while True:
            signal = self.next_signal()
            if signal is None:
                return
            self.deliver(signal[0], *signal[1])
            del signal  # it refers to the subscriber

    def next_signal(self) -> Signal | None:
        with self.lock:
            if self.is_over:
                return self.stop()
            if self.failure is not None:
                failure = self.failure
                return self.end().on_error, (failure,)
            if self.left == 0:
                return self.completion()
            if self.demand == 0:
                return self.stop()
            self.spend()
            return self.element()

    def stop(self) -> Signal | None:
        self.is_draining = False
        return None

    def completion(self) -> Signal | None:
        return self.end().on_complete, ()

    def spend(self) -> None:
        self.demand -= 1

    def element(self) -> Signal | None:
        self.left -= 1
        number = next(self.numbers)
        try:
            element = self.publisher.create_element(number)
        except Exception as error:
            return self.source_failed(error)
        return self.subscriber.on_next, (element,)

    def source_failed(self, error: Exception) -> Signal | None:
        return self.end().on_error, (error,)

    def deliver(self, call: Callable[..., None], *argument: Any) -> None:
        try:
            call(*argument)
        except Exception as error:  # §2.13
            self.faulty(error)

    def faulty(self, error: Exception) -> None:
        self.cancel()
        _log.warning("a subscriber has raised %r", error)

    def end(self) -> Any:
        subscriber, self.subscriber = self.subscriber, None
        self.is_over = True
        return subscriber


class NumbersPublisher:
    """Send each subscriber the numbers below a count, from 0.

    Args:
        elements: How many; `MAX_DEMAND` for no end.
        link: What serves a subscriber.
        run: Where signals are sent: here, or on another thread.
        create_element: Makes the element of a number.
    """

    def __init__(
        self,
        elements: int,
        link: type[Link] = Link,
        *,
        run: Worker = here,
        create_element: Callable[[int], Any] = int,
    ) -> None:
        self.elements = elements
        self.run = run
        self.create_element = create_element
        self.link = link

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            self.without_subscriber()
        else:
            self.with_subscriber(subscriber)

    def without_subscriber(self) -> None:
        raise TypeError("§1.9: subscribe(None)")

    def with_subscriber(self, subscriber: Any) -> None:
        self.link(self, subscriber).subscribed()
