"""The wrong subscribers that the standard's kit is tried on, and a few right ones that look wrong."""

import threading
from collections.abc import Callable
from typing import Any

from tests.tck_selftest.subscribers.collector import Collector

HALF_A_TIMEOUT_SECONDS = 0.15


class Idle:
    """Do nothing in all four signals."""

    def on_subscribe(self, subscription: Any, /) -> None:
        """Do nothing."""

    def on_next(self, element: Any, /) -> None:
        """Do nothing."""

    def on_error(self, error: Any, /) -> None:
        """Do nothing."""

    def on_complete(self) -> None:
        """Do nothing."""


class Keeping(Idle):
    """Keep the subscription, and call it in one signal.

    Args:
        signal: In which signal.
        call: What to do with the subscription.
    """

    def __init__(self, signal: str = "", call: Callable[[Any], None] = lambda subscription: None) -> None:
        self._signal = signal
        self._call = call
        self.subscription: Any = None

    def on_subscribe(self, subscription: Any, /) -> None:
        self.subscription = subscription
        self._when("on_subscribe")

    def on_next(self, element: Any, /) -> None:
        self._when("on_next")

    def on_error(self, error: Any, /) -> None:
        self._when("on_error")

    def on_complete(self) -> None:
        self._when("on_complete")

    def _when(self, signal: str) -> None:
        if self._signal == signal:
            self._call(self.subscription)


def ask(subscription: Any) -> None:
    """Request one element."""
    subscription.request(1)


def stop(subscription: Any) -> None:
    """Cancel."""
    subscription.cancel()


class Asking(Idle):
    """Request one element in `on_subscribe` and in every `on_next`."""

    subscription: Any = None

    def on_subscribe(self, subscription: Any, /) -> None:
        self.subscription = subscription
        subscription.request(1)

    def on_next(self, element: Any, /) -> None:
        self.subscription.request(1)


class CancellingWhatever(Idle):
    """Cancel every subscription, and count how often the stream ends."""

    def __init__(self) -> None:
        self.completed = threading.Event()

    def on_subscribe(self, subscription: Any, /) -> None:
        subscription.cancel()

    def on_complete(self) -> None:
        self.completed.set()


class Raising(Asking):
    """Raise what it is told of, as the cause of something else."""

    def on_next(self, element: Any, /) -> None:
        """Do nothing."""

    def on_error(self, error: Any, /) -> None:
        raise RuntimeError("Wrong, don't do this!") from error


class Namesake:
    """Something else whose methods have the names of signals."""

    def __init__(self, call: Callable[[Any], None], subscription: Any) -> None:
        self._call = call
        self._subscription = subscription

    def on_complete(self) -> None:
        self._call(self._subscription)

    def on_error(self, error: Any) -> None:
        self._call(self._subscription)


class CallingANamesake(Idle):
    """Call a method named like a terminal signal, of something else, inside `on_subscribe`."""

    def __init__(self, signal: str, call: Callable[[Any], None]) -> None:
        self._signal = signal
        self._call = call

    def on_subscribe(self, subscription: Any, /) -> None:
        namesake = Namesake(self._call, subscription)
        if self._signal == "on_complete":
            namesake.on_complete()
        else:
            namesake.on_error(None)


# --- with a probe ---


class CallingAtTheEnd(Collector):
    """Call the subscription in a terminal signal, then report that.

    Args:
        probe: Whom to report to.
        signal: In which signal.
        call: What to do with the subscription.
    """

    def __init__(self, probe: Any, signal: str, call: Callable[[Any], None]) -> None:
        super().__init__(probe)
        self._signal = signal
        self._call = call

    def report_error(self, error: Any) -> None:
        if self._signal == "on_error":
            self._call(self.subscription)
        super().report_error(error)

    def report_completion(self) -> None:
        if self._signal == "on_complete":
            self._call(self.subscription)
        super().report_completion()


class CallingANamesakeFirst(Collector):
    """Call a method named like a terminal signal, of something else, inside `on_subscribe`."""

    def __init__(self, probe: Any, signal: str, call: Callable[[Any], None]) -> None:
        super().__init__(probe)
        self._namesake = CallingANamesake(signal, call)

    def subscribed(self) -> None:
        super().subscribed()
        self._namesake.on_subscribe(self.subscription)


class DeafPuppet(Collector):
    """Request nothing when the kit asks for it."""

    def requested_by_kit(self, n: int) -> None:
        """Do nothing."""


class TakingEverySubscription(Collector):
    """Take each subscription and request of it."""

    def subscribed_again(self, subscription: Any) -> None:
        self.subscription = subscription
        subscription.request(1)


class RaisingAfterCancel(Collector):
    is_cancelled = False

    def cancelled_by_kit(self) -> None:
        self.is_cancelled = True
        super().cancelled_by_kit()

    def process(self, element: Any) -> None:
        if self.is_cancelled:
            raise RuntimeError("But I thought it's cancelled!")
        super().process(element)


class Scheduling(Collector):
    """Request and cancel a while after the kit asks for it, and insist on demand before elements."""

    has_demand = False

    def requested_by_kit(self, n: int) -> None:
        self.later(lambda: self.request_now(n))

    def request_now(self, n: int) -> None:
        self.has_demand = True
        self.request(n)

    def cancelled_by_kit(self) -> None:
        self.later(self.cancel)

    def process(self, element: Any) -> None:
        if not self.has_demand:
            raise RuntimeError("an element came before it was requested")
        super().process(element)

    def later(self, call: Callable[[], None]) -> None:
        timer = threading.Timer(HALF_A_TIMEOUT_SECONDS, call)
        timer.daemon = True
        timer.start()


class OneAtATime(Scheduling):
    """Request one element at a time, the next one a while after the one before has come."""

    wanted = unspent = 0

    def requested_by_kit(self, n: int) -> None:
        with self.lock:
            self.wanted += n
            is_waiting = self.wanted > n or self.unspent > 0
        if not is_waiting:
            self.later(self.request_one)

    def request_one(self) -> None:
        with self.lock:
            self.unspent += 1
        self.request(1)

    def process(self, element: Any) -> None:
        with self.lock:
            if self.unspent == 0:
                raise RuntimeError("an element came for which there was no demand")
            self.unspent -= 1
            self.wanted -= 1
            wants_more = self.wanted > 0
        Collector.process(self, element)
        if wants_more:
            self.later(self.request_one)


class SilentEnd(Collector):
    def report_completion(self) -> None:
        """Do not report it."""


class Unregistered(Collector):
    """Report everything but the subscription."""

    def subscribed(self) -> None:
        """Do not report it."""


class RaisingTheError(Collector):
    """Raise what it is told of, as the cause of something else."""

    def report_error(self, error: Any) -> None:
        raise RuntimeError("Wrong, don't do this!") from error
