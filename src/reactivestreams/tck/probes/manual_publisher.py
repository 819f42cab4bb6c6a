"""A publisher that a check drives by hand, signal by signal, for one subscriber."""

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from reactivestreams.tck.check_environment import CheckEnvironment
from reactivestreams.tck.element_text import error_text, shown
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.recording_subscription import RecordingSubscription
from reactivestreams.tck.subject import guarded_call

__all__ = ["ManualPublisher"]


class ManualPublisher:
    """Send what the check says and note what the subscriber asks for; a second subscriber is a flop.

    Requests wait without limit until a check takes them out, so that a subscriber never suffers from a check that does
    not look at them.

    Args:
        environment: Of the check.

    Attributes:
        subscriber: Who subscribed, or None.
        subscription: What it was given, or None.
        pending: Elements requested in requests that were taken out, and not sent.
    """

    def __init__(self, environment: CheckEnvironment) -> None:
        self.environment = environment
        self.name = environment.name_for("publisher")
        self.subscriber: Any = None
        self.subscription: RecordingSubscription | None = None
        self.pending = 0
        self.cancelled = Latch(environment)
        self._requests: deque[int] = deque()
        self._changed = threading.Condition()

    def __repr__(self) -> str:
        return self.name

    def subscribe(self, subscriber: Any, /) -> None:
        """Take the only subscriber and give it a subscription that notes its calls."""
        if self.subscriber is not None:
            self.environment.flop("TestPublisher doesn't support more than one Subscriber")
            return
        self.subscriber = subscriber
        self.subscription = RecordingSubscription(
            self.environment, on_request=self._requested, on_cancel=self.cancelled.close
        )
        self.environment.log.signal("subscriber", "on_subscribe", self.subscription)
        guarded_call(self.environment, "2.13", "on_subscribe", subscriber.on_subscribe, self.subscription)

    def _requested(self, n: int) -> None:
        with self._changed:
            self._requests.append(n)
            self._changed.notify_all()

    # --- send ---

    def send_next(self, element: Any) -> BaseException | None:
        """Send an element; return what the subscriber raised, which violates §2.13."""
        return self._send("on_next", lambda subscriber: subscriber.on_next, element)

    def send_completion(self) -> BaseException | None:
        """Send the end; return what the subscriber raised, which violates §2.13."""
        return self._send("on_complete", lambda subscriber: subscriber.on_complete)

    def send_error(self, error: BaseException) -> BaseException | None:
        """Send an error; return what the subscriber raised, which violates §2.13."""
        return self._send("on_error", lambda subscriber: subscriber.on_error, error)

    def _send(self, signal: str, method: Callable[[Any], Any], *argument: Any) -> BaseException | None:
        if self.subscriber is None:
            self.environment.flop(f"Cannot send {signal} before having a Subscriber")
            return None
        if signal == "on_next":
            self.pending -= 1
        elif self.subscription is not None:
            self.subscription.is_over = True
        self.environment.log.signal("subscriber", signal, *argument)
        what = f"{signal}({shown(argument[0]) if argument else ''})"
        error = guarded_call(self.environment, "2.13", what, method(self.subscriber), *argument)
        if error is not None and error.__cause__ is not None:
            self.environment.note(f"it was caused by {type(error.__cause__).__name__}: {error_text(error.__cause__)}")
        return error

    # --- expect ---

    def expect_request(self, timeout_milliseconds: float | None = None, *, addendum: str = "") -> int:
        """Take out the oldest request; add it to what is pending.

        Args:
            timeout_milliseconds: How long to wait; the default timeout of the environment by default.
            addendum: What to say besides if none comes.

        Raises:
            Failed: None came in time, or it is not positive.
        """
        timeout = self._timeout(timeout_milliseconds)
        self.environment.step("expect a request")
        if not self.environment.wait(self._changed, lambda: bool(self._requests), timeout):
            more = f". {addendum}" if addendum else ""
            self.environment.flop_and_fail(f"Did not receive expected `request` call{more} within {timeout:g} ms")
        with self._changed:
            n = self._requests.popleft()
        if n <= 0:
            self.environment.flop_and_fail(f"Requests cannot be zero or negative but received request({n})")
        self.pending += n
        return n

    def expect_exact_request(self, expected: int, timeout_milliseconds: float | None = None) -> None:
        """Take out the oldest request; flop if it asks for another number."""
        n = self.expect_request(timeout_milliseconds)
        if n != expected:
            self.environment.flop(f"Received `request({n})` on upstream but expected `request({expected})`")

    def expect_no_request(self, timeout_milliseconds: float | None = None) -> None:
        """Expect no request for the no-signals timeout; flop if one comes."""
        quiet = self.environment.no_signals_timeout_milliseconds
        timeout = quiet if timeout_milliseconds is None else timeout_milliseconds
        self.environment.step("expect no request")
        if self.environment.wait(self._changed, lambda: bool(self._requests), timeout):
            with self._changed:
                n = self._requests.popleft()
            self.environment.flop(f"Received an unexpected call to: request: [{n}]")

    def expect_cancelling(self, timeout_milliseconds: float | None = None) -> None:
        """Wait for `cancel`; flop if it does not come."""
        self.environment.step("expect a cancel")
        self.cancelled.expect_close(
            "Did not receive expected cancelling of upstream subscription", timeout_milliseconds
        )

    def is_cancelled(self) -> bool:
        """Tell whether the subscriber has cancelled."""
        return self.cancelled.is_closed()

    def _timeout(self, timeout_milliseconds: float | None) -> float:
        default = self.environment.default_timeout_milliseconds
        return default if timeout_milliseconds is None else timeout_milliseconds
