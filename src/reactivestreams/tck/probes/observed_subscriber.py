"""The base of all probes of a publisher: a subscriber with a ledger, which never disturbs its subject."""

import time
from collections.abc import Callable
from typing import Any, NoReturn

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.kit.failure import BufferOverflowError, CheckAbandoned, Failed, PublisherStopped
from reactivestreams.tck.kit.ledger import Ledger
from reactivestreams.tck.kit.subject import SUBSCRIPTION_METHODS, missing_methods
from reactivestreams.tck.probes.promise import Promise

__all__ = ["ObservedSubscriber", "stop_flood"]

MOST_LATE_SIGNALS = 1000
"""How many signals after the end of a check are ignored; a publisher that sends more is stopped by an exception."""


_MOST_EXCEPTIONS = 10
_THROTTLE_SECONDS = 0.05


def stop_flood(times: int, message: str) -> NoReturn:
    """Raise an exception that makes a publisher stop: first one that it must not swallow, then one that it hardly can.

    A publisher that swallows both is slowed down, so that it leaves processor time to other threads.

    Args:
        times: How many times it was told to stop, including this time.
        message: The reason.

    Raises:
        BufferOverflowError: The first few times.
        PublisherStopped: After that.
    """
    if times <= _MOST_EXCEPTIONS:
        raise BufferOverflowError(message)
    if times > 2 * _MOST_EXCEPTIONS:
        time.sleep(_THROTTLE_SECONDS)
    raise PublisherStopped(message)


class ObservedSubscriber:
    """Record every signal in a ledger, then handle it; subclasses define how, in `when_subscribe` and its siblings.

    A handler raises nothing (§2.13), except to stop a publisher that floods it.

    Args:
        environment: The environment of the check.
        name: The name in messages; by default `"subscriber 1"` and so on.
        subscriptions_allowed: How many times `on_subscribe` may be called.
    """

    def __init__(
        self, environment: CheckEnvironment, *, name: str | None = None, subscriptions_allowed: int = 1
    ) -> None:
        self.environment = environment
        self.name: str = environment.name_for("subscriber") if name is None else name
        self.ledger: Ledger = Ledger(environment, self.name, subscriptions_allowed=subscriptions_allowed)
        self.subscription: Promise[Any] = Promise(environment)
        self._late_signals = 0
        environment.register(self)

    def __repr__(self) -> str:
        return self.name

    # --- called by a publisher ---

    def on_subscribe(self, subscription: Any, /) -> None:
        """Receive the subscription."""
        self._signal("on_subscribe", self._subscribe, subscription)

    def on_next(self, element: Any, /) -> None:
        """Receive an element."""
        self._signal("on_next", self.when_next, element)

    def on_error(self, error: Any, /) -> None:
        """Receive the failure of the stream."""
        self._signal("on_error", self.when_error, error)

    def on_complete(self) -> None:
        """Receive completion."""
        self._signal("on_complete", self.when_complete)

    # --- defined by subclasses ---

    def when_subscribe(self, subscription: Any) -> None:
        """Handle the first subscription, which is already stored."""
        self.when_signal("on_subscribe")

    def when_next(self, element: Any) -> None:
        """Handle an element."""
        self.when_signal("on_next")

    def when_error(self, error: Any) -> None:
        """Handle the failure of the stream."""
        self.when_signal("on_error")

    def when_complete(self) -> None:
        """Handle completion."""
        self.when_signal("on_complete")

    def when_signal(self, signal: str) -> None:
        """Handle a signal without a handler of its own; for subclasses that treat all signals alike."""

    # --- called by a check ---

    def request(self, n: int) -> None:
        """Request elements; a `request` that raises violates §3.16.

        Raises:
            Failed: It raised, and this thread is not inside a signal.
        """
        subscription = self._subscription_for("request from")
        self.ledger.requesting(n)
        self._after(self.environment.call("3.16", f"request({safe_repr(n)})", subscription.request, n))

    def cancel(self) -> None:
        """Cancel the subscription without releasing it; a `cancel` that raises violates §3.15.

        Raises:
            Failed: It raised, and this thread is not inside a signal.
        """
        subscription = self._subscription_for("cancel")
        self.ledger.cancelling()
        self._after(self.environment.call("3.15", "cancel()", subscription.cancel))

    def cancel_quietly(self) -> None:
        """Cancel the subscription if there is an active one; raise nothing."""
        if self.subscription.is_completed() and not self.ledger.end and not self.ledger.is_cancelled:
            subscription = self.subscription.value()
            self.ledger.cancelling()
            if subscription is not None:
                self.environment.call("3.15", "cancel()", subscription.cancel)

    def wait_signals_returned(self) -> bool:
        """Wait until no signal is being handled; return whether this happened."""
        timeout = self.environment.default_timeout_milliseconds
        return self.environment.wait(self.ledger.changed, lambda: not self.ledger.signals_running, timeout)

    @property
    def has_subscription(self) -> bool:
        """Whether `on_subscribe` was called."""
        return self.subscription.is_completed()

    # --- within ---

    def _signal(self, name: str, handler: Callable[..., None], *argument: Any) -> None:
        if self.environment.is_closed or self.environment.is_abandoned:
            self._come_late(name, *argument)
            return
        self.ledger.enter(name, *argument)
        try:
            handler(*argument)
        finally:
            self.ledger.leave()

    def _subscribe(self, subscription: Any) -> None:
        missing = missing_methods(subscription, SUBSCRIPTION_METHODS)
        if missing:
            self.environment.violation(
                "1.9",
                f"on_subscribe({safe_repr(subscription)}): a subscription has request and cancel, "
                f"this {type(subscription).__name__} has no {' and no '.join(missing)}",
            )
        elif not self.subscription.is_completed():
            self.subscription.complete(subscription)
            self.when_subscribe(subscription)

    def _come_late(self, name: str, *argument: Any) -> None:
        if name == "on_subscribe" and not missing_methods(argument[0], SUBSCRIPTION_METHODS):
            argument[0].cancel()  # §2.6: it is no longer needed
        self._late_signals += 1
        if self.environment.is_abandoned:
            raise CheckAbandoned(f"{self.environment.check_name} was given up by the watchdog")
        if self._late_signals > MOST_LATE_SIGNALS:
            stop_flood(
                self._late_signals - MOST_LATE_SIGNALS,
                f"{self._late_signals} signals came after {self.environment.check_name} had cancelled and ended; stop",
            )

    def _subscription_for(self, purpose: str) -> Any:
        if not self.subscription.is_completed():
            message = f"Cannot {purpose} a subscription before having received it"
            self.environment.flop(message)
            raise Failed(message)
        return self.subscription.value()

    def _after(self, error: BaseException | None) -> None:
        # Inside a signal the exception would go to the publisher, which did not cause it.
        if error is not None and not self.ledger.is_inside():
            raise Failed(error_text(error)) from error
