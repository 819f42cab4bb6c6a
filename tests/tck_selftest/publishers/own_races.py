"""Publishers that go wrong when two threads meet, or make a thread wait that must not."""

import threading
import time
from collections.abc import Callable
from typing import Any

from reactivestreams.tck.kit.check_environment import current_check
from tests.tck_selftest.mutant import LONGEST_HANG_SECONDS
from tests.tck_selftest.publishers.numbers import Link, NumbersPublisher, Signal, on_a_thread

SWITCH_SECONDS = 0.002
"""How long a thread stays where it must not be interrupted, so that it is, even between many short calls."""

LONG_SWITCH_SECONDS = 0.03
"""The same where there is only one call that can interrupt it."""

TRICKLE_SECONDS = 0.02

# --- signals that overlap ---


class DrainingInEveryRequest(Link):
    """Drain on the thread of each request, whoever drains already."""

    def request(self, n: int, /) -> None:
        with self.lock:
            if self.is_over:
                return
            self.register(n)
        self.start()


class DrainingDuringOnSubscribe(Link):
    """Let a request inside `on_subscribe` start the drain, which is on another thread."""

    def subscribed(self) -> None:
        self.is_draining = False
        self.deliver(self.subscriber.on_subscribe, self)


class RefusingOnTheCallersThread(Link):
    """Signal the error of a bad request at once, whoever sends."""

    def register(self, n: int) -> None:
        super().register(n)
        failure, self.failure = self.failure, None
        if failure is not None:
            subscriber = self.end()
            if subscriber is not None:
                self.deliver(subscriber.on_error, failure)


class EndOvertakingElements(Link):
    """Send each element from a thread of its own, one after the other, and the end from this one."""

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        self.in_order = threading.Lock()

    def deliver(self, call: Callable[..., None], *argument: Any) -> None:
        if call.__name__ != "on_next":
            super().deliver(call, *argument)
            return
        sent = threading.Event()

        def send() -> None:
            with self.in_order:
                sent.set()
                Link.deliver(self, call, *argument)

        on_a_thread(send)
        sent.wait()


class CompletingBeforeItEnds(Link):
    """Enter the final state only after `on_complete` has returned, without holding the drain."""

    def completion(self) -> Signal | None:
        self.is_draining = False
        return self.complete, (self.subscriber,)

    def complete(self, subscriber: Any) -> None:
        subscriber.on_complete()
        self.end()


class EndingAMomentAfterCompleting(CompletingBeforeItEnds):
    """Do that late enough for a subscriber to request meanwhile."""

    def complete(self, subscriber: Any) -> None:
        subscriber.on_complete()
        time.sleep(LONG_SWITCH_SECONDS)
        self.end()


class LookingTwiceAtTheEnd(Link):
    """Decide without the lock that the stream has ended, and end it a moment later."""

    def next_signal(self) -> Signal | None:
        if self.left == 0 and not self.is_over and self.failure is None:
            self.is_draining = False
            subscriber = self.subscriber
            time.sleep(LONG_SWITCH_SECONDS)
            self.end()
            return (subscriber.on_complete, ()) if subscriber is not None else None
        return super().next_signal()


# --- demand that is lost ---


class AddingWithoutLock(Link):
    """Read what was requested so far, and write the sum a moment later."""

    requested = sent = 0

    def request(self, n: int, /) -> None:
        if not self.is_over:
            self.register(n)
        with self.lock:
            if self.is_over or self.is_draining:
                return
            self.is_draining = True
        self.start()

    def added(self, n: int) -> int:
        total = self.requested + n
        time.sleep(SWITCH_SECONDS)
        self.requested = total
        return max(0, total - self.sent)

    def next_signal(self) -> Signal | None:
        with self.lock:
            self.demand = max(0, self.requested - self.sent)
            return super().next_signal()

    def spend(self) -> None:
        self.sent += 1


class SleepingThroughRequests(Link):
    """Leave a moment between the last look for demand and the end of the drain."""

    def drain(self) -> None:
        super().drain()
        time.sleep(LONG_SWITCH_SECONDS)
        with self.lock:
            self.is_draining = False

    def stop(self) -> Signal | None:
        return None


# --- calls that wait ---


class CancelWaitingForTheDrain(Link):
    """Return from `cancel` only when nobody sends any more, unless it is called from inside a signal."""

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        self.sending = threading.RLock()

    def drain(self) -> None:
        with self.sending:
            super().drain()

    def cancel(self) -> None:
        super().cancel()
        with self.sending:
            return


class DeliveringUnderALock(Link):
    """Hold a lock during signals that `request` and `cancel` need, too; a thread cannot take it twice."""

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        self.sending = threading.Lock()

    def deliver(self, call: Callable[..., None], *argument: Any) -> None:
        if call.__name__ != "on_next":
            super().deliver(call, *argument)
            return
        with self.sending:
            super().deliver(call, *argument)

    def enter(self) -> None:
        if self.sending.acquire(timeout=LONGEST_HANG_SECONDS):
            self.sending.release()


class RequestDeadlocking(DeliveringUnderALock):
    def request(self, n: int, /) -> None:
        self.enter()
        super().request(n)


class CancelDeadlocking(DeliveringUnderALock):
    def cancel(self) -> None:
        self.enter()
        super().cancel()


class RequestWaitingForElements(Link):
    """Return from `request` only when all that was requested has been sent, unless the drain itself requests."""

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        self.drained = threading.Event()
        self.drainer: int | None = None

    def drain(self) -> None:
        self.drainer = threading.get_ident()
        super().drain()
        self.drained.set()

    def request(self, n: int, /) -> None:
        self.drained.clear()
        super().request(n)
        if threading.get_ident() != self.drainer and not self.is_over:
            self.drained.wait(LONGEST_HANG_SECONDS)


# --- cancel that others do not see ---


class EndingAfterCancel(Link):
    """Signal the end from another thread, a while after `cancel`."""

    def cancel(self) -> None:
        subscriber = self.subscriber
        super().cancel()
        if subscriber is not None:
            timer = threading.Timer(0.03, subscriber.on_complete)
            timer.daemon = True
            timer.start()


class TricklingAfterCancel(Link):
    """Take no notice of `cancel`, but send so slowly that it hardly shows; give up when the check is over."""

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        self.check = current_check()

    def cancel(self) -> None:
        """Go on."""

    def deliver(self, call: Callable[..., None], *argument: Any) -> None:
        super().deliver(call, *argument)
        if self.left < self.publisher.elements:
            time.sleep(TRICKLE_SECONDS)
        if self.check is None or self.check.is_closed:
            super().cancel()


class CancelNotForThreads(Link):
    """Clean up in `cancel` twice when two threads call it at once."""

    def cancel(self) -> None:
        if not self.is_over:
            entries = {self}
            self.entries = entries
            time.sleep(LONG_SWITCH_SECONDS)
            self.is_over = True
            self.subscriber = None
            self.entries.remove(self)


class BoundToOneThread(Link):
    """Refuse to be called from another thread than the one that subscribed."""

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        self.owner = threading.get_ident()

    def request(self, n: int, /) -> None:
        if threading.get_ident() != self.owner:
            raise RuntimeError("called from another thread than the one that subscribed")
        super().request(n)


# --- on_subscribe at the wrong time ---


class SubscribingLater(Link):
    """Signal `on_subscribe` from another thread, a while after `subscribe`, but the end of an empty stream at once."""

    def subscribed(self) -> None:
        if self.left == 0:
            self.deliver(self.subscriber.on_complete)
        on_a_thread(self.subscribe_now)

    def subscribe_now(self) -> None:
        time.sleep(0.02)
        Link.subscribed(self)
