"""A subscriber that calls a function for each signal."""

from collections.abc import Callable
from typing import Any

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.observed_subscriber import ObservedSubscriber, stop_flood

__all__ = ["ElementHandler", "ScriptedSubscriber", "cancel_at_first"]

MOST_AFTER_CANCEL = 20_000
"""How many elements after `cancel` are tolerated; a publisher that sends more is stopped."""

Handler = Callable[["ScriptedSubscriber"], None]
ElementHandler = Callable[["ScriptedSubscriber", Any], None]


class ScriptedSubscriber(ObservedSubscriber):
    """Count signals and call a function for each; without one an element is dropped and an error is a flop.

    Args:
        environment: The environment of the check.
        on_subscribed: Called with the subscriber once the subscription is stored.
        on_element: Called with the subscriber and the element.
        on_failed: Called with the subscriber and the error; without it the error is a flop.
        on_completed: Called with the subscriber.
        kept_elements: How many of the first elements to keep.
        name: The name in messages.
        subscriptions_allowed: How many times `on_subscribe` may be called.

    Attributes:
        elements: The first elements.
        signalled: How many elements arrived.
        ended: Closed when a terminal signal has been handled.
        error: The argument of `on_error`, or None.
    """

    def __init__(
        self,
        environment: CheckEnvironment,
        *,
        on_subscribed: Handler | None = None,
        on_element: ElementHandler | None = None,
        on_failed: ElementHandler | None = None,
        on_completed: Handler | None = None,
        kept_elements: int = 64,
        name: str | None = None,
        subscriptions_allowed: int = 1,
    ) -> None:
        super().__init__(environment, name=name, subscriptions_allowed=subscriptions_allowed)
        self._on_subscribed = on_subscribed
        self._on_element = on_element
        self._on_failed = on_failed
        self._on_completed = on_completed
        self._kept = kept_elements
        self.elements: list[Any] = []
        self.signalled: int = 0
        self.ended: Latch = Latch(environment)
        self.error: Any = None

    def handle_elements(self, on_element: ElementHandler) -> None:
        """Call another function for each element from now on."""
        self._on_element = on_element

    def when_subscribe(self, subscription: Any) -> None:
        """Call the function for it."""
        if self._on_subscribed is not None:
            self._on_subscribed(self)

    def when_next(self, element: Any) -> None:
        """Count the element and call the function for it.

        Raises:
            BufferOverflowError: The publisher does not stop after it was cancelled.
            PublisherStopped: It ignored that.
        """
        self.signalled += 1
        excess = self.ledger.signals_after_cancel - MOST_AFTER_CANCEL
        if excess > 0:
            message = f"the publisher still signals, {MOST_AFTER_CANCEL} elements after cancel() was called"
            if excess == 1:
                self.environment.violation("3.12", message)
            stop_flood(excess, message)
        if len(self.elements) < self._kept:
            self.elements.append(element)
        if self._on_element is not None:
            self._on_element(self, element)

    def when_error(self, error: Any) -> None:
        """Store the error and call the function for it."""
        self.error = error
        if self._on_failed is not None:
            self._on_failed(self, error)
        elif isinstance(error, BaseException):
            self.environment.flop(error)
        self.ended.close()

    def when_complete(self) -> None:
        """Call the function for completion."""
        if self._on_completed is not None:
            self._on_completed(self)
        self.ended.close()

    def wait_signalled(self, count: int, timeout_milliseconds: float | None = None) -> bool:
        """Wait until a number of elements, or a terminal signal, has arrived; return whether the elements have."""
        environment = self.environment
        timeout = environment.default_timeout_milliseconds if timeout_milliseconds is None else timeout_milliseconds
        environment.wait(self.ledger.changed, lambda: self.ledger.delivered >= count or bool(self.ledger.end), timeout)
        return self.ledger.delivered >= count

    def wait_silence(self, timeout_milliseconds: float) -> bool:
        """Wait until there was no signal for two consecutive no-signals timeouts; return whether this happened."""
        environment = self.environment
        quiet = environment.no_signals_timeout_milliseconds
        silent, waited, seen = 0, 0, self._signals
        while waited < timeout_milliseconds:
            environment.pause(quiet)
            waited += quiet
            now = self._signals
            silent, seen = (silent + 1 if now == seen else 0), now
            if silent == 2:
                return True
        return False

    @property
    def _signals(self) -> int:
        return self.ledger.delivered + self.ledger.signals_after_cancel


def cancel_at_first(subscriber: ScriptedSubscriber, element: object) -> None:
    """Cancel inside the `on_next` of the first element: an `on_element`."""
    if subscriber.signalled == 1:
        subscriber.cancel()
