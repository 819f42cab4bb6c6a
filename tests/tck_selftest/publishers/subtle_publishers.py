"""Publishers that are wrong in subtle ways: now and then, in a moment of a line, or for somebody else."""

import threading
import time
from collections.abc import Callable
from typing import Any

from reactivestreams.spec import MAX_DEMAND
from tests.tck_selftest.publishers.numbers import Link, NumbersPublisher, Signal

MOMENT_SECONDS = 0.0001
"""As long as a thread needs to be woken."""


# --- unbounded demand that ends ---


class ReplacingWhatIsUnbounded(Link):
    """Take the last request for the demand where there was unbounded demand before."""

    def added(self, n: int) -> int:
        return n if self.demand >= MAX_DEMAND // 2 else super().added(n)


class WrappingToTheLast(Link):
    """Let a sum that is too large become the last count."""

    def added(self, n: int) -> int:
        total = self.demand + n
        return n if total > MAX_DEMAND else total


# --- requests that are lost in a moment ---


class GivingUpAMomentLater(Link):
    """Look for demand, and give the drain up a moment later, whatever has been requested meanwhile."""

    def drain(self) -> None:
        super().drain()
        time.sleep(MOMENT_SECONDS)
        self.is_draining = False

    def stop(self) -> Signal | None:
        return None


class GivingUpALineLater(Link):
    """Look for demand, and give the drain up a line later, whatever has been requested meanwhile."""

    def drain(self) -> None:
        super().drain()
        self.is_draining = False

    def stop(self) -> Signal | None:
        return None


# --- one subscription that ends another ---


class EndingTheOthers(NumbersPublisher):
    """End all subscriptions when one is cancelled."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.links: list[Link] = []

    def with_subscriber(self, subscriber: Any) -> None:
        publisher = self

        class Shared(self.link):  # type: ignore[name-defined,misc]
            def cancel(self) -> None:
                for link in publisher.links:
                    Link.cancel(link)

        link = Shared(self, subscriber)
        self.links.append(link)
        link.subscribed()


class CompletingTheOthers(EndingTheOthers):
    """Complete all other subscriptions when one is cancelled."""

    def with_subscriber(self, subscriber: Any) -> None:
        publisher = self

        class Shared(self.link):  # type: ignore[name-defined,misc]
            def cancel(self) -> None:
                super().cancel()
                for link in publisher.links:
                    if not link.is_over:
                        link.deliver(link.end().on_complete)

        link = Shared(self, subscriber)
        self.links.append(link)
        link.subscribed()


# --- elements out of order ---


class SwappingNowAndThen(Link):
    """Send every seventeenth element before the one that precedes it."""

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        self.waiting: list[int] = []

    def element(self) -> Signal | None:
        if self.waiting:
            self.left -= 1
            return self.subscriber.on_next, (self.waiting.pop(),)
        if self.left % 17 == 0 and self.left > 1:
            self.waiting.append(next(self.numbers))
        return super().element()


# --- references that are kept ---


class KeepingTheMethod(Link):
    """Prepare the method to be called next, and forget it only when there is no demand left."""

    kept: list[Callable[..., None]]

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        self.keeper: dict[int, Any] = publisher.__dict__.setdefault("kept", {})

    def spend(self) -> None:
        super().spend()
        self.keeper[id(self)] = self.subscriber.on_next
        if self.demand == 0:
            del self.keeper[id(self)]


# --- signals that overlap now and then ---


class OverlappingNowAndThen(Link):
    """Let a request drain beside the drain that runs, once in many."""

    requests = 0

    def request(self, n: int, /) -> None:
        with self.lock:
            if self.is_over:
                return
            self.register(n)
            self.requests += 1
            if self.is_draining and (self.requests % 7 or threading.get_ident() == self.owner):
                return
            self.is_draining = True
        self.start()

    owner = 0

    def drain(self) -> None:
        self.owner = threading.get_ident()
        super().drain()
