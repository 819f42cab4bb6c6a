"""A subscriber that records its signals, and requests when a test says so."""

import threading
from typing import Any, Protocol

from reactivestreams.spec import MAX_DEMAND, Subscriber, Subscription
from reactivestreams.testing.recorded import Notification, OnComplete, OnError, OnNext, Recorded

__all__ = ["UNBOUNDED", "TestObserver"]

UNBOUNDED = MAX_DEMAND
"""A request for any number of elements."""


class TestClock(Protocol):
    """What gives signals their ticks: virtual time, or a real clock."""

    @property
    def ticks(self) -> int:
        """The current tick."""
        ...


class TestObserver(Subscriber[Any]):
    """Record the tick and the notification of each signal; made by `TestScheduler.create_observer`.

    Args:
        clock: The clock whose ticks are recorded.
        requests_all: Whether it requests all elements when it is subscribed; otherwise only `request` requests.

    Attributes:
        messages: The notifications in the order of their arrival, which also shows a publisher that breaks the rules.
        requests: The requests with their ticks.

    Rules: §2.5, §2.12: a second subscription is cancelled.
    Threads: any.
    """

    __test__ = False

    def __init__(self, clock: TestClock, *, requests_all: bool = True) -> None:
        self.messages: list[Recorded[Notification]] = []
        self.requests: list[Recorded[int]] = []
        self.changed: threading.Condition = threading.Condition()  # notified of each message
        self._clock = clock
        self._early = [UNBOUNDED] if requests_all else []  # requests from before there was a subscription
        self._subscription: Subscription | None = None

    @property
    def is_subscribed(self) -> bool:
        """Whether it has received a subscription."""
        return self._subscription is not None

    def request(self, n: int) -> None:
        """Request n elements, now or when it is subscribed; n is passed to the publisher unchecked."""
        with self.changed:
            subscription = self._subscription
            if subscription is None:
                self._early.append(n)
                return
            self.requests.append(Recorded(self._clock.ticks, n))
        subscription.request(n)

    def cancel(self) -> None:
        """Cancel the subscription, if there is one."""
        if self._subscription is not None:
            self._subscription.cancel()

    def on_subscribe(self, subscription: Subscription) -> None:
        """Receive the subscription, and request the elements of earlier calls of `request`."""
        with self.changed:
            is_first, early = self._subscription is None, self._early
            if is_first:
                self._subscription, self._early = subscription, []
        if not is_first:
            subscription.cancel()
            return
        for n in early:
            self.request(n)

    def on_next(self, element: Any) -> None:
        """Record an element."""
        self._record(OnNext(element))

    def on_error(self, error: Exception) -> None:
        """Record an error."""
        self._record(OnError(error))

    def on_complete(self) -> None:
        """Record completion."""
        self._record(OnComplete())

    def _record(self, notification: Notification) -> None:
        with self.changed:
            self.messages.append(Recorded(self._clock.ticks, notification))
            self.changed.notify_all()

    def __repr__(self) -> str:
        return f"TestObserver({len(self.messages)} messages)"

    def _repr_html_(self) -> str:
        from reactivestreams.testing.marbles import MarbleLine, marble_diagram  # which draws observers

        if not self.messages and not self.requests:
            return f"<pre>{self!r}</pre>"
        return marble_diagram([MarbleLine.of_observer("recorded", self)], label=repr(self))
