"""A correct subscriber whose steps are methods of their own, so that a mutant changes one of them."""

import threading
from collections.abc import Callable
from typing import Any

__all__ = ["Collector", "Puppet", "require"]


def require(argument: object, signal: str) -> None:
    """Raise for None, which no signal carries (§2.13)."""
    if argument is None:
        raise TypeError(f"§2.13: {signal}(None)")


class Puppet:
    """Make a collector request and cancel."""

    def __init__(self, collector: "Collector") -> None:
        self._collector = collector

    def trigger_request(self, elements: int) -> None:
        self._collector.requested_by_kit(elements)

    def signal_cancel(self) -> None:
        self._collector.cancelled_by_kit()


class Collector:
    """Take elements, and report them to a probe where there is one.

    With a probe it requests what the kit makes it request; without one it asks for one element at a time.

    Args:
        probe: Whom to report to; without one, nobody.
    """

    def __init__(self, probe: Any = None) -> None:
        self.probe = probe
        self.subscription: Any = None
        self.is_done = False
        self.elements: list[Any] = []
        self.lock = threading.RLock()

    # --- signals ---

    def on_subscribe(self, subscription: Any, /) -> None:
        require(subscription, "on_subscribe")
        if self.subscription is not None:
            self.subscribed_again(subscription)
            return
        self.subscription = subscription
        self.subscribed()

    def on_next(self, element: Any, /) -> None:
        require(element, "on_next")
        if not self.is_done:
            self.take(element)

    def on_error(self, error: Any, /) -> None:
        require(error, "on_error")
        self.ended()
        self.report_error(error)

    def on_complete(self) -> None:
        self.ended()
        self.report_completion()

    # --- steps ---

    def subscribed(self) -> None:
        if self.probe is None:
            self.ask_for_more()
        else:
            self.probe.register_on_subscribe(Puppet(self))

    def subscribed_again(self, subscription: Any) -> None:
        self.call(subscription.cancel)  # §2.5

    def take(self, element: Any) -> None:
        self.process(element)
        if self.probe is None:
            self.ask_for_more()

    def process(self, element: Any) -> None:
        self.elements.append(element)
        self.report_element(element)

    def ask_for_more(self) -> None:
        self.request(1)

    def request(self, n: int) -> None:
        self.call(self.subscription.request, n)

    def cancel(self) -> None:
        self.call(self.subscription.cancel)

    def call(self, method: Callable[..., None], *arguments: int) -> None:
        try:
            method(*arguments)
        except Exception:  # the publisher breaks §3.15 or §3.16; §2.13 holds all the same
            self.is_done = True

    def ended(self) -> None:
        self.is_done = True

    def requested_by_kit(self, n: int) -> None:
        self.request(n)

    def cancelled_by_kit(self) -> None:
        self.cancel()

    # --- reports ---

    def report_element(self, element: Any) -> None:
        if self.probe is not None:
            self.probe.register_on_next(element)

    def report_error(self, error: Any) -> None:
        if self.probe is not None:
            self.probe.register_on_error(error)

    def report_completion(self) -> None:
        if self.probe is not None:
            self.probe.register_on_complete()
