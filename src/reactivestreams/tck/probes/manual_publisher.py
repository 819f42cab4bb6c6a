"""A publisher that a check drives by hand, signal by signal, for one subscriber."""

import threading
from collections import deque
from typing import Any, NoReturn

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.driven_subscriber import DrivenSubscriber
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.recording_subscription import RecordingSubscription

__all__ = ["ManualPublisher"]

MOST_WAITING_REQUESTS = 10_000
"""How many requests are stored separately; further ones are added to the last of them."""


class ManualPublisher:
    """Send signals for the check and record the subscriber's requests; a second subscriber is a flop.

    Requests wait until a check takes them out, without a limit, so that a check that ignores them does not affect the
    subscriber. Signals are sent through a `DrivenSubscriber`: they are logged, checked and guarded.

    Args:
        environment: The environment of the check.

    Attributes:
        driven: The subscriber, or None.
        pending: The number of elements of the requests that were taken out, minus the sent ones.
    """

    def __init__(self, environment: CheckEnvironment) -> None:
        self.environment = environment
        self.name: str = environment.name_for("publisher")
        self.driven: DrivenSubscriber | None = None
        self.pending: int = 0
        self.cancelled: Latch = Latch(environment)
        self._requests: deque[int] = deque()
        self._changed = threading.Condition()

    def __repr__(self) -> str:
        return self.name

    def subscribe(self, subscriber: Any, /) -> None:
        """Accept the only subscriber and give it a subscription that records its calls."""
        if self.driven is not None:
            self.environment.flop("TestPublisher doesn't support more than one Subscriber")
            return
        self.driven = DrivenSubscriber(self.environment, subscriber)
        self.driven.on_subscribe(_Link(self))

    @property
    def subscriber(self) -> Any:
        """The subject: by default the subscriber; None before it subscribes."""
        return None if self.driven is None else self.driven.subscriber

    @property
    def subscription(self) -> RecordingSubscription:
        """The subscription of the subscriber.

        Raises:
            Failed: There is no subscriber.
        """
        if self.driven is None:
            self.environment.flop_and_fail("Cannot look at a subscription before having a Subscriber")
        return self.driven.subscription

    def take_request(self, n: int) -> None:
        """Store a request until the check reads it."""
        with self._changed:
            if len(self._requests) < MOST_WAITING_REQUESTS:
                self._requests.append(n)
            else:
                self._requests[-1] += n
            self._changed.notify_all()

    # --- send ---

    def send_next(self, element: Any) -> BaseException | None:
        """Send an element; return an exception of the subscriber, which violates §2.13."""
        driven = self._receiver("on_next")
        self.pending -= driven is not None
        return None if driven is None else driven.on_next(element)

    def send_completion(self) -> BaseException | None:
        """Send completion; return an exception of the subscriber, which violates §2.13."""
        driven = self._receiver("on_complete")
        return None if driven is None else driven.on_complete()

    def send_error(self, error: BaseException) -> BaseException | None:
        """Send an error; return an exception of the subscriber, which violates §2.13."""
        driven = self._receiver("on_error")
        return None if driven is None else driven.on_error(error)

    def send_stray_next(self, element: Any) -> BaseException | None:
        """Send an element that no publisher may send; return an exception of the subscriber, which is not judged."""
        driven = self._receiver("on_next")
        return None if driven is None else driven.stray_next(element, self.subscriber)

    def _receiver(self, signal: str) -> DrivenSubscriber | None:
        if self.driven is None:
            self.environment.flop(f"Cannot send {signal} before having a Subscriber")
        return self.driven

    # --- expect ---

    def expect_request(self, timeout_milliseconds: float | None = None, *, addendum: str = "") -> int:
        """Take out the oldest request; add it to `pending`.

        Args:
            timeout_milliseconds: How long to wait; by default the default timeout of the environment.
            addendum: An additional text for the message if none arrives.

        Raises:
            Failed: None arrived in time, or it is not positive.
        """
        timeout = self._timeout(timeout_milliseconds)
        self.environment.step("expect a request")
        if not self.environment.wait(self._changed, lambda: bool(self._requests), timeout):
            more = f". {addendum}" if addendum else ""
            self.fail_for_want_of_demand(f"Did not receive expected `request` call{more} within {timeout:g} ms")
        with self._changed:
            n = self._requests.popleft()
        if n <= 0:
            self.environment.flop_and_fail(f"Requests cannot be zero or negative but received request({n})")
        self.pending += n
        return n

    def fail_for_want_of_demand(self, message: str) -> NoReturn:
        """End the check because there is too little demand.

        Raises:
            Unmet: Nothing was requested at all (§2.1).
            Failed: Elements were requested, but not enough.
        """
        if self.driven is not None:
            self.driven.fail_for_want_of_demand(message)
        self.environment.flop_and_fail(message)

    def expect_exact_request(self, expected: int, timeout_milliseconds: float | None = None) -> None:
        """Take out the oldest request; flop if it has another count."""
        n = self.expect_request(timeout_milliseconds)
        if n != expected:
            self.environment.flop(f"Received `request({n})` on upstream but expected `request({expected})`")

    def expect_no_request(self, timeout_milliseconds: float | None = None) -> None:
        """Expect no request for the no-signals timeout; flop if one comes."""
        quiet = self.environment.no_signals_timeout_milliseconds
        timeout = quiet if timeout_milliseconds is None else timeout_milliseconds
        self.environment.step("expect no request")
        if self.environment.wait(self._changed, lambda: bool(self._requests), timeout, is_for_silence=True):
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
        """Return whether the subscriber has cancelled."""
        return self.cancelled.is_closed()

    def _timeout(self, timeout_milliseconds: float | None) -> float:
        default = self.environment.default_timeout_milliseconds
        return default if timeout_milliseconds is None else timeout_milliseconds


class _Link:
    """The receiver of the subscriber's requests and cancellation."""

    def __init__(self, publisher: ManualPublisher) -> None:
        self.request = publisher.take_request
        self.cancel = publisher.cancelled.close
