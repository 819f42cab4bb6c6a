"""A synchronous subscriber: it works on one element at a time, on the thread that signals it."""

import logging
import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

from examples.standard_examples.normal_return import require_argument, returns_normally
from reactivestreams import Subscriber, Subscription

__all__ = ["SyncSubscriber"]

T = TypeVar("T")

_log = logging.getLogger("standard_examples")


class SyncSubscriber(Subscriber[T]):
    """Work on elements one by one, and request the next when one is done; subclasses say how.

    Signals come one at a time (§1.3), so that only `on_subscribe`, which a second publisher may call at any time, needs
    the lock. The subscription is over when it was cancelled or has ended; whatever still comes then is ignored (§2.8).
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscription: Subscription | None = None
        self._is_over = False

    # --- what subclasses say ---

    @abstractmethod
    def when_next(self, element: T) -> bool:
        """Work on an element; return whether another one is wanted. What it raises cancels and goes to `when_error`."""

    def when_error(self, error: Exception) -> None:
        """Learn that the stream has failed, or that `when_next` has."""

    def when_complete(self) -> None:
        """Learn that the stream has ended."""

    # --- what the publisher calls ---

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Keep the first subscription and request an element; cancel every other one."""
        require_argument(subscription, "on_subscribe", rule="2.13")
        with self._lock:
            is_first = self._subscription is None and not self._is_over
            if is_first:
                self._subscription = subscription  # before the request, in which elements may come (§3.10)
        if is_first:
            self.dispatch(self._request_next)
        else:
            returns_normally("3.15", subscription.cancel)  # §2.5

    def on_next(self, element: T, /) -> None:
        """Work on the element."""
        require_argument(element, "on_next", rule="2.13")
        self.dispatch(self._handle_element, element)

    def on_error(self, error: Exception, /) -> None:
        """Learn that the stream has failed."""
        require_argument(error, "on_error", rule="2.13")
        self.dispatch(self._handle_end, "on_error", self.when_error, error)

    def on_complete(self) -> None:
        """Learn that the stream has ended."""
        self.dispatch(self._handle_end, "on_complete", self.when_complete)

    # --- how it is done ---

    def dispatch(self, handler: Callable[..., None], *arguments: Any) -> None:
        """Call a handler: here and now."""
        handler(*arguments)

    def cancel(self) -> None:
        """Cancel the subscription, if there is one and it is not over."""
        subscription = self._take_subscription()
        if subscription is not None:
            returns_normally("3.15", subscription.cancel)

    def fail(self, error: Exception) -> None:
        """Cancel the subscription (§2.13: there is no other way to tell the publisher) and report the error."""
        self.cancel()
        returns_normally("2.13", self.when_error, error)

    def _request_next(self) -> None:
        subscription = self._subscription
        if subscription is not None:
            returns_normally("3.16", subscription.request, 1)

    def _handle_element(self, element: T) -> None:
        self._report_unless_subscribed("on_next")
        if self._subscription is None:
            return
        try:
            is_next_wanted = self.when_next(element)
        except Exception as error:
            self.fail(error)
            return
        if is_next_wanted:
            self._request_next()  # the last statement: the next element may come in it (§3.10)
        else:
            self.cancel()  # §2.6

    def _handle_end(self, signal: str, hook: Callable[..., None], *arguments: Any) -> None:
        if not self._is_over:
            self._report_unless_subscribed(signal)
            self._take_subscription()  # §2.4; and §2.3: it is let go without a call
            returns_normally("2.13", hook, *arguments)

    def _report_unless_subscribed(self, signal: str) -> None:
        if self._subscription is None and not self._is_over:
            _log.error("§1.9: %s came before on_subscribe; the publisher has to call that first", signal)

    def _take_subscription(self) -> Subscription | None:
        with self._lock:
            self._is_over = True
            subscription, self._subscription = self._subscription, None
            return subscription
