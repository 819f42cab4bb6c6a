"""Publishers that count wrongly: demand, batches, bad requests, the depth of the stack."""

import struct
from typing import Any

from reactivestreams.spec import MAX_DEMAND
from tests.tck_selftest.publishers.numbers import Link, NumbersPublisher, Signal

BATCH = 16

# --- sums ---


class LargerWins(Link):
    """Keep the larger of the old demand and the new."""

    def added(self, n: int) -> int:
        return max(self.demand, n)


class DeafWhileDemandIsLeft(Link):
    """Take a request only when the one before it has been served."""

    def added(self, n: int) -> int:
        return self.demand or n


class ZeroAfterEachRun(Link):
    """Set the demand to zero when all that was seen at the beginning has been sent."""

    seen = 0

    def spend(self) -> None:
        self.seen = self.seen or self.demand
        super().spend()
        self.seen -= 1
        if self.seen == 0:
            self.demand = 0


class LosingWhatIsLeftOfABatch(Link):
    """Forget the rest of the demand after a full batch."""

    sent = 0

    def spend(self) -> None:
        super().spend()
        self.sent += 1
        if self.sent % BATCH == 0:
            self.demand = 0


class OneMorePerBatch(Link):
    """Forget to count the last element of a full batch."""

    sent = 0

    def spend(self) -> None:
        self.sent += 1
        if self.sent % BATCH:
            super().spend()


class OneMoreThanSeveral(Link):
    def added(self, n: int) -> int:
        return super().added(n + (n > 1))


class OneLessThanMany(Link):
    def added(self, n: int) -> int:
        return super().added(n - (n > 100))


class CountingCalls(Link):
    """Count requests, whatever their number."""

    def added(self, n: int) -> int:
        return super().added(1)


class CappedDemand(Link):
    """Remember no more than a thousand."""

    def added(self, n: int) -> int:
        return min(1000, super().added(n))


class WrappingToZero(Link):
    """Count modulo 2**63, so that the largest sum but one is none."""

    def added(self, n: int) -> int:
        return (self.demand + n) % 2**63


class TakingExcessForNone(Link):
    """Take a sum above the maximum for no demand at all."""

    def added(self, n: int) -> int:
        total = self.demand + n
        return 0 if total > MAX_DEMAND else total


class DeafInOnSubscribe(Link):
    """Lose what is requested inside `on_subscribe`."""

    def subscribed(self) -> None:
        self.deliver(self.subscriber.on_subscribe, self)
        self.demand = 0
        self.start()


# --- what does not fit ---


class RaisingForHugeCounts(Link):
    """Need a count that fits into 64 bits, as compiled code does."""

    def request(self, n: int, /) -> None:
        struct.pack("q", n)
        super().request(n)


class CuttingHugeCounts(Link):
    """Use the low bits of a count, so that a huge one is no count at all."""

    def request(self, n: int, /) -> None:
        super().request(n & MAX_DEMAND if n > 0 else n)


class TakingTheAbsolute(Link):
    """Take a negative count for a positive one."""

    def register(self, n: int) -> None:
        super().register(abs(n))


# --- bad requests ---


class DeafToBadRequestsWhileSending(Link):
    """Lose a bad request that is made inside `on_next`."""

    def register(self, n: int) -> None:
        if n > 0 or not self.is_draining:
            super().register(n)


class CompletingForBadRequests(Link):
    def next_signal(self) -> Signal | None:
        if self.failure is not None and not self.is_over:
            return self.end().on_complete, ()
        return super().next_signal()


class NoneForBadRequests(Link):
    """Signal the error without an error."""

    def next_signal(self) -> Signal | None:
        if self.failure is not None and not self.is_over:
            return self.end().on_error, (None,)
        return super().next_signal()


class TextForBadRequests(Link):
    """Signal a text where an exception belongs."""

    def next_signal(self) -> Signal | None:
        if self.failure is not None and not self.is_over:
            return self.end().on_error, (str(self.failure),)
        return super().next_signal()


class ClassForBadRequests(Link):
    """Signal the class of an exception."""

    def next_signal(self) -> Signal | None:
        if self.failure is not None and not self.is_over:
            return self.end().on_error, (ValueError,)
        return super().next_signal()


# --- depth ---


class NestingTwice(Link):
    """Send inside a request that is made inside a signal, but not deeper."""

    depth = 0

    def request(self, n: int, /) -> None:
        if self.depth < 2:
            self.is_draining = False
        super().request(n)

    def drain(self) -> None:
        self.depth += 1
        try:
            super().drain()
        finally:
            self.depth -= 1


class NestingLater(Link):
    """Nest without bound, but only after a hundred elements."""

    def request(self, n: int, /) -> None:
        if self.publisher.elements - self.left > 100:
            self.is_draining = False
        super().request(n)


class NestingEveryThousand(Link):
    """Nest once more with every thousandth element, so that the stack grows slowly."""

    def request(self, n: int, /) -> None:
        if (self.publisher.elements - self.left) % 1000 == 999:
            self.is_draining = False
        super().request(n)


# --- elements ---


class NoneAmongElements(NumbersPublisher):
    """Send None for every third element."""

    def __init__(self, elements: int, link: type[Link] = Link, **settings: Any) -> None:
        super().__init__(elements, link, **settings)
        make = self.create_element
        self.create_element = lambda number: None if number % 3 == 2 else make(number)


class EndBeforeTheLast(Link):
    """Signal the end, then the last element."""

    def element(self) -> Signal | None:
        if self.left == 1 and self.publisher.elements > 1:
            self.left = 0
            number, subscriber = next(self.numbers), self.end()
            return (lambda: self.swapped(subscriber, number)), ()
        return super().element()

    def swapped(self, subscriber: Any, number: int) -> None:
        subscriber.on_complete()
        subscriber.on_next(number)


class LeavingOutTheFirst(Link):
    """Lose the first element."""

    def __init__(self, publisher: NumbersPublisher, subscriber: Any) -> None:
        super().__init__(publisher, subscriber)
        if self.left > 1:
            self.left -= 1
            next(self.numbers)
