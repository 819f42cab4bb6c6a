"""Subscriptions that are wrong in one way each, as the inventory of the standard's kit proposes them."""

from typing import Any

from reactivestreams.spec import MAX_DEMAND
from tests.tck_selftest.publishers.numbers import Link, Signal

# --- demand ---


class StartingUnasked(Link):
    def subscribed(self) -> None:
        self.demand = 1
        super().subscribed()


class OneMore(Link):
    def added(self, n: int) -> int:
        return super().added(n + 1)


class Replacing(Link):
    def added(self, n: int) -> int:
        return n


class DeafWhileSending(Link):
    def request(self, n: int, /) -> None:
        if not self.is_draining or self.left == self.publisher.elements:
            super().request(n)


class Recursing(Link):
    """Send inside `request`, whoever sends already."""

    def request(self, n: int, /) -> None:
        self.is_draining = False
        super().request(n)


class Wrapping(Link):
    def added(self, n: int) -> int:
        return (self.demand + n + 2**63) % 2**64 - 2**63

    def next_signal(self) -> Signal | None:
        if self.demand < 0 and not self.is_over and self.left:
            return self.stop()
        return super().next_signal()


class Narrow(Wrapping):
    def added(self, n: int) -> int:
        return (self.demand + n + 2**31) % 2**32 - 2**31


class FailingAboveTheMaximum(Link):
    def added(self, n: int) -> int:
        if self.is_too_much(self.demand + n):
            self.failure = RuntimeError(f"demand of {self.demand + n} is too much")
        return super().added(n)

    def is_too_much(self, demand: int) -> bool:
        return demand > MAX_DEMAND


class FailingAtTheMaximum(FailingAboveTheMaximum):
    def is_too_much(self, demand: int) -> bool:
        return demand >= MAX_DEMAND


class RaisingAboveTheMaximum(Link):
    """Raise from `request`; the loop that sends swallows it where it comes back through `on_next`."""

    def added(self, n: int) -> int:
        if self.demand + n > MAX_DEMAND:
            raise OverflowError("demand does not fit")
        return super().added(n)

    def faulty(self, error: Exception) -> None:
        """Take no notice."""


class BatchingOffByOne(Link):
    """Send one element more for each full batch of 1024."""

    def added(self, n: int) -> int:
        return super().added(n + n // 1024)


# --- requests that are not positive ---


class DeafToBadRequests(Link):
    def register(self, n: int) -> None:
        if n > 0:
            super().register(n)


class RaisingForBadRequests(Link):
    def register(self, n: int) -> None:
        if n <= 0:
            raise self.refusal(n)
        super().register(n)


class OtherErrorForBadRequests(Link):
    def refusal(self, n: int) -> Exception:
        return RuntimeError(f"§3.9: non-positive subscription request: {n}")


class UnhelpfulForBadRequests(Link):
    def refusal(self, n: int) -> Exception:
        return ValueError("no")


class GoingOnAfterBadRequests(Link):
    def next_signal(self) -> Signal | None:
        failure, self.failure = self.failure, None
        if failure is not None and not self.is_over:
            return self.subscriber.on_error, (failure,)
        return super().next_signal()


class TakingZero(Link):
    def register(self, n: int) -> None:
        if n:
            super().register(n)


class EndingAfterBadRequests(Link):
    """Signal the error, then an element and the end."""

    def next_signal(self) -> Signal | None:
        if self.failure is None or self.is_over:
            return super().next_signal()
        failure, subscriber = self.failure, self.end()
        return (lambda: self.last_signals(subscriber, failure)), ()

    def last_signals(self, subscriber: Any, failure: Exception) -> None:
        subscriber.on_error(failure)
        subscriber.on_next(0)
        subscriber.on_complete()


# --- cancel ---


class TalkingAfterCancel(Link):
    """Do something in `request` after `cancel`."""

    def cancel(self) -> None:
        self.cancelled = self.subscriber
        super().cancel()

    def request(self, n: int, /) -> None:
        if getattr(self, "cancelled", None) is not None:
            self.requested_late(n)
        else:
            super().request(n)

    def requested_late(self, n: int) -> None:
        raise NotImplementedError


class RefusingAfterCancel(TalkingAfterCancel):
    def requested_late(self, n: int) -> None:
        if n <= 0:
            self.cancelled.on_error(self.refusal(n))


class RaisingAfterCancel(TalkingAfterCancel):
    def requested_late(self, n: int) -> None:
        raise RuntimeError("already cancelled")


class CompletingAfterCancel(TalkingAfterCancel):
    def requested_late(self, n: int) -> None:
        self.cancelled.on_complete()


class DeafToCancel(Link):
    def cancel(self) -> None:
        """Do nothing."""


class LookingBetweenRequests(Link):
    """See a cancellation only when the next request comes."""

    is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True

    def request(self, n: int, /) -> None:
        if not self.is_cancelled:
            super().request(n)


class RaisingFromCancel(Link):
    def cancel(self) -> None:
        super().cancel()
        raise RuntimeError("cancel is not supported")


class RaisingFromTheSecondCancel(Link):
    def cancel(self) -> None:
        if self.is_over:
            raise RuntimeError("already cancelled")
        super().cancel()


class SignallingOnCancel(Link):
    """Tell the subscriber that it has cancelled."""

    def cancel(self) -> None:
        subscriber = self.subscriber
        super().cancel()
        if subscriber is not None:
            self.tell(subscriber)

    def tell(self, subscriber: Any) -> None:
        raise NotImplementedError


class FailingOnCancel(SignallingOnCancel):
    def tell(self, subscriber: Any) -> None:
        subscriber.on_error(RuntimeError("cancelled"))


class CompletingOnCancel(SignallingOnCancel):
    def tell(self, subscriber: Any) -> None:
        subscriber.on_complete()
