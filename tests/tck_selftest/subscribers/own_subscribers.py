"""Our own wrong subscribers, thought of before any check had judged them."""

import threading
import time
from collections.abc import Callable
from contextvars import Context
from functools import partial
from typing import Any

from tests.tck_selftest.mutant import LONGEST_HANG_SECONDS
from tests.tck_selftest.subscribers.collector import Collector, require

SWITCH_SECONDS = 0.005
CANCELLING_THREADS = 6
SECONDS_TO_MEET = 10.0
LATE_SECONDS = 0.03
LONG_WORK_SECONDS = 0.3
"""Longer than a check waits in silence, also on a busy machine."""


def later(call: Callable[[], Any]) -> None:
    """Call something on another thread, a while later."""
    timer = threading.Timer(LATE_SECONDS, call)
    timer.daemon = True
    timer.start()


# --- a second subscription ---


class TakingTheSecond(Collector):
    """Cancel the old subscription in place of the new one."""

    def subscribed_again(self, subscription: Any) -> None:
        self.subscription.cancel()
        self.subscription = subscription


class CancellingBoth(Collector):
    def subscribed_again(self, subscription: Any) -> None:
        self.subscription.cancel()
        subscription.cancel()


class LosingTheFirst(Collector):
    """Cancel the new subscription, but keep that and forget the old one."""

    def subscribed_again(self, subscription: Any) -> None:
        subscription.cancel()
        self.subscription = subscription


class RequestingFromTheSecond(Collector):
    """Request before cancelling."""

    def subscribed_again(self, subscription: Any) -> None:
        subscription.request(1)
        subscription.cancel()


class RaisingForTheSecond(Collector):
    def subscribed_again(self, subscription: Any) -> None:
        subscription.cancel()
        raise RuntimeError("already subscribed")


# --- after the end ---


class CancellingAfterTheEnd(Collector):
    """Cancel a while after the end, from another thread."""

    def ended(self) -> None:
        super().ended()
        subscription = self.subscription
        if subscription is not None:
            later(subscription.cancel)


class RequestingAfterAnError(Collector):
    """Ask for more a while after an error, in the hope that it helps."""

    def report_error(self, error: Any) -> None:
        super().report_error(error)
        subscription = self.subscription
        if subscription is not None:
            later(lambda: subscription.request(1))


class TakingAfterAnError(Collector):
    """Go on with elements that come after an error."""

    def on_error(self, error: Any, /) -> None:
        require(error, "on_error")
        self.report_error(error)


class NeedingARequestForTheEnd(Collector):
    """Take an end for which nothing was requested for a fault."""

    has_requested = False

    def request(self, n: int) -> None:
        self.has_requested = True
        super().request(n)

    def on_complete(self) -> None:
        if not self.has_requested:
            raise RuntimeError("completed before anything was requested")
        super().on_complete()


class NeedingARequestForAnError(NeedingARequestForTheEnd):
    def on_complete(self) -> None:
        Collector.on_complete(self)

    def on_error(self, error: Any, /) -> None:
        if error is not None and not self.has_requested:
            raise RuntimeError("failed before anything was requested")
        super().on_error(error)


# --- when it has enough ---


class DeafToCancel(Collector):
    def cancelled_by_kit(self) -> None:
        """Go on."""


class ForgettingItsSubscription(Collector):
    """Take so many elements, and then forget the subscription without cancelling it."""

    def __init__(self, elements: int) -> None:
        super().__init__()
        self.wanted = elements

    def ask_for_more(self) -> None:
        if len(self.elements) < self.wanted:
            self.request(1)


# --- demand ---


class RequestingNothingAtLast(Collector):
    """Request what is left of four elements, which is nothing in the end."""

    def ask_for_more(self) -> None:
        self.request(min(1, 4 - len(self.elements)))


class RequestingANegativeNumber(Collector):
    def ask_for_more(self) -> None:
        self.request(1 if not self.elements else -1)


class RequestingFromTwoThreads(Collector):
    """Let two threads request at once."""

    def take(self, element: Any) -> None:
        self.process(element)
        for _ in range(2):
            threading.Thread(target=self.ask_for_more, name="mutant", daemon=True).start()


class CancellingBesideARequest(Collector):
    """Cancel from several threads at the moment in which another one requests."""

    def take(self, element: Any) -> None:
        if len(self.elements) == 3:
            together = threading.Barrier(CANCELLING_THREADS + 1)

            def cancel() -> None:
                together.wait(SECONDS_TO_MEET)
                self.cancel()

            for _ in range(CANCELLING_THREADS):
                threading.Thread(target=cancel, name="mutant", daemon=True).start()
            together.wait(SECONDS_TO_MEET)
        super().take(element)


# --- publishers that answer at once ---


class StoringTooLate(Collector):
    """Request before the subscription is stored."""

    def on_subscribe(self, subscription: Any, /) -> None:
        require(subscription, "on_subscribe")
        if self.subscription is not None:
            self.subscribed_again(subscription)
            return
        if self.probe is None:
            subscription.request(1)
            self.subscription = subscription
        else:
            self.subscription = subscription
            self.subscribed()

    def on_next(self, element: Any, /) -> None:
        if element is not None and self.subscription is None:
            raise RuntimeError("an element came before the subscription")
        super().on_next(element)


class EndingOnlyAfterARequest(Collector):
    """Take an end that comes inside a request for a fault."""

    is_requesting = False

    def request(self, n: int) -> None:
        self.is_requesting = True
        super().request(n)
        self.is_requesting = False

    def on_complete(self) -> None:
        if self.is_requesting:
            raise RuntimeError("completed before request has returned")
        super().on_complete()


class RequestingFirst(Collector):
    """Ask for the next element before this one has been worked on."""

    def take(self, element: Any) -> None:
        self.ask_for_more()
        self.process(element)


class RequestingUnderALock(Collector):
    """Hold a lock while requesting that `on_next` needs."""

    def __init__(self, probe: Any = None) -> None:
        super().__init__(probe)
        self.sending = threading.Lock()

    def request(self, n: int) -> None:
        with self.sending:
            super().request(n)

    def on_next(self, element: Any, /) -> None:
        require(element, "on_next")
        if not self.sending.acquire(timeout=LONGEST_HANG_SECONDS):
            return
        try:
            self.process(element)
        finally:
            self.sending.release()
        if self.probe is None:
            self.ask_for_more()


# --- exceptions ---


class RaisingAtTheThird(Collector):
    def process(self, element: Any) -> None:
        super().process(element)
        if len(self.elements) == 3:
            raise RuntimeError("three are enough")


class LettingRequestsRaise(Collector):
    """Let out what a broken subscription raises from `request`."""

    def ask_for_more(self) -> None:
        self.subscription.request(1)


class LettingCancelRaise(Collector):
    def subscribed_again(self, subscription: Any) -> None:
        subscription.cancel()


class RefusingNoneOtherwise(Collector):
    def on_subscribe(self, subscription: Any, /) -> None:
        if subscription is None:
            raise ValueError("a subscription is needed")
        super().on_subscribe(subscription)


class RaisingWhenCompletedAfterCancel(Collector):
    is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True
        super().cancel()

    def on_complete(self) -> None:
        if self.is_cancelled:
            raise RuntimeError("completed, though cancelled")
        super().on_complete()


class ElementIsACoroutine(Collector):
    async def on_next(self, element: Any, /) -> None:  # type: ignore[override]
        super().on_next(element)


# --- work on other threads ---


class HoldingThePublisherUp(Collector):
    """Take long over each element, on the thread that sends it."""

    def process(self, element: Any) -> None:
        time.sleep(LONG_WORK_SECONDS)
        super().process(element)


class RequestingOutOfContext(Collector):
    """Ask for more from a timer that knows nothing of the signal before it."""

    def take(self, element: Any) -> None:
        self.process(element)
        later(partial(Context().run, self.ask_for_more))

    def ask_for_more(self) -> None:
        with self.lock:  # §2.7, though a timer be late
            super().ask_for_more()


class AThreadForEachSignal(Collector):
    """Work on each element in a thread of its own, so that they overtake one another."""

    def take(self, element: Any) -> None:
        delay = SWITCH_SECONDS if len(self.elements) % 2 == 0 else 0.0

        def work() -> None:
            time.sleep(delay)
            Collector.take(self, element)

        threading.Thread(target=work, name="mutant", daemon=True).start()


class OneSlot(Collector):
    """Hand elements to a thread through a single place, where the next one replaces what was not taken yet."""

    def __init__(self, probe: Any = None) -> None:
        super().__init__(probe)
        self.slot: list[Any] = []

    def take(self, element: Any) -> None:
        self.slot[:] = [element]
        threading.Thread(target=self.empty_slot, name="mutant", daemon=True).start()

    def empty_slot(self) -> None:
        time.sleep(SWITCH_SECONDS)
        with self.lock:
            taken, self.slot[:] = list(self.slot), []
        for element in taken:
            Collector.take(self, element)


# --- right, though it looks wrong ---


class TakingMany(Collector):
    """Request a hundred at once, and 75 more whenever as many have come."""

    def subscribed(self) -> None:
        if self.probe is None:
            self.request(100)
        else:
            super().subscribed()

    def ask_for_more(self) -> None:
        if len(self.elements) % 75 == 0:
            self.request(75)


class RequestingWithoutBound(Collector):
    def requested_by_kit(self, n: int) -> None:
        self.request(2**63 - 1)


class CancellingTwice(Collector):
    def subscribed_again(self, subscription: Any) -> None:
        subscription.cancel()
        subscription.cancel()


class RequestingAfterCancel(Collector):
    """Ask for more even after having cancelled, which does nothing (§3.6)."""

    def cancelled_by_kit(self) -> None:
        self.cancel()
        self.request(1)


class RefusingNoneOnce(Collector):
    """Look at the first element only."""

    def on_next(self, element: Any, /) -> None:
        if element is None and self.elements:
            return
        super().on_next(element)
