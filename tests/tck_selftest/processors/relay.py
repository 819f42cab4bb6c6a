"""A correct processor whose steps are methods of their own, so that a mutant changes one of them."""

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from tests.tck_selftest.subscribers.collector import require

__all__ = ["Relay", "RelayLink"]

_log = logging.getLogger(__name__)

Step = Callable[[], None]


class RelayLink:
    """What one subscriber of a relay holds."""

    def __init__(self, relay: "Relay", subscriber: Any) -> None:
        self.relay = relay
        self.subscriber: Any = subscriber
        self.demand = 0
        self.failure: Exception | None = None

    def request(self, n: int, /) -> None:
        with self.relay.lock:
            if n > 0:
                self.demand += n
            elif self.failure is None:
                self.failure = ValueError(f"§3.9: non-positive subscription request: {n}")
        self.relay.drain()

    def cancel(self) -> None:
        self.relay.leave(self)
        self.relay.drain()


class Relay:
    """Send each element to all subscribers at once, as soon as every one of them has asked for it.

    Whoever subscribes late gets what comes from then on. An error overtakes an element that still waits. Upstream is
    asked for one element at a time, and cancelled when the last subscriber has left.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.links: list[RelayLink] = []
        self.waiting: deque[Any] = deque()
        self.upstream: Any = None
        self.is_asking = False
        self.had_subscribers = False
        self.is_over = False
        self.error: BaseException | None = None
        self.is_draining = False

    # --- as a subscriber ---

    def on_subscribe(self, subscription: Any, /) -> None:
        require(subscription, "on_subscribe")
        if self.upstream is not None:
            self.subscribed_again(subscription)
            return
        self.upstream = subscription
        self.drain()

    def on_next(self, element: Any, /) -> None:
        require(element, "on_next")
        with self.lock:
            self.is_asking = False
            if not self.is_over:
                self.waiting.append(element)
        self.drain()

    def on_error(self, error: Any, /) -> None:
        require(error, "on_error")
        with self.lock:
            self.failed(error)
        self.drain()

    def on_complete(self) -> None:
        with self.lock:
            self.is_over = True
        self.drain()

    # --- as a publisher ---

    def subscribe(self, subscriber: Any, /) -> None:
        if subscriber is None:
            raise TypeError("§1.9: subscribe(None)")
        self.serve(RelayLink(self, subscriber))

    def serve(self, link: RelayLink) -> None:
        subscriber = link.subscriber
        self.deliver(link, subscriber.on_subscribe, link)
        with self.lock:
            if link.subscriber is not None:
                self.links.append(link)
                self.had_subscribers = True
        self.drain()

    def leave(self, link: RelayLink) -> Any:
        with self.lock:
            subscriber, link.subscriber = link.subscriber, None
            self.links = [other for other in self.links if other is not link]
            return subscriber

    # --- steps ---

    def drain(self) -> None:
        with self.lock:
            if self.is_draining:
                return
            self.is_draining = True
        while True:
            with self.lock:
                step = self.next_step()
                if step is None:
                    self.is_draining = False
                    return
            step()
            del step  # it refers to subscribers

    def next_step(self) -> Step | None:
        refused = next((link for link in self.links if link.failure is not None), None)
        if refused is not None:
            subscriber, failure = self.leave(refused), refused.failure
            return lambda: self.deliver(refused, subscriber.on_error, failure)
        if self.links and self.is_over and not self.waiting:
            return self.last_step()
        if self.links and all(link.demand > 0 for link in self.links):
            return self.step_for_demand()
        if not self.links and self.had_subscribers and not self.is_over and self.upstream is not None:
            return self.step_without_subscribers()
        return None

    def last_step(self) -> Step:
        error, links = self.error, list(self.links)
        subscribers = [self.leave(link) for link in links]

        def end() -> None:
            for link, subscriber in zip(links, subscribers, strict=True):
                if error is None:
                    self.deliver(link, subscriber.on_complete)
                else:
                    self.deliver(link, subscriber.on_error, error)

        return end

    def step_for_demand(self) -> Step | None:
        if self.waiting:
            element, links = self.waiting.popleft(), list(self.links)
            for link in links:
                link.demand -= 1
            return lambda: self.send(element, links)
        if self.upstream is not None and not self.is_asking:
            self.is_asking = True
            return lambda: self.upstream.request(1)
        return None

    def step_without_subscribers(self) -> Step | None:
        self.is_over = True
        self.waiting.clear()
        cancel: Step = self.upstream.cancel
        return cancel

    def send(self, element: Any, links: list[RelayLink]) -> None:
        for link in links:
            subscriber = link.subscriber
            if subscriber is not None:
                self.deliver(link, subscriber.on_next, element)

    def failed(self, error: BaseException) -> None:
        self.is_over = True
        self.error = error
        self.waiting.clear()

    def subscribed_again(self, subscription: Any) -> None:
        subscription.cancel()  # §2.5

    def deliver(self, link: RelayLink, call: Callable[..., None], *arguments: Any) -> None:
        try:
            call(*arguments)
        except Exception as error:  # §2.13
            self.leave(link)
            _log.warning("a subscriber has raised %r", error)
