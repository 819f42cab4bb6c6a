"""A synchronous publisher: it sends on the thread that requests, and never deeper than one level."""

from examples.standard_examples.normal_return import require_argument
from examples.standard_examples.subscriber_link import SubscriberLink
from reactivestreams import Publisher, Subscriber
from reactivestreams.errors import ArgumentError

__all__ = ["RangePublisher"]


class RangePublisher(Publisher[int]):
    """Send consecutive numbers to each subscriber, from the first, on the thread that requests.

    Args:
        start: The first number.
        count: How many numbers, >= 0.

    Raises:
        ArgumentError: The count is negative.
    """

    def __init__(self, start: int, count: int) -> None:
        if count < 0:
            raise ArgumentError(f"RangePublisher(count) needs 0 or more, got {count}; pass how many numbers to send")
        self._numbers = range(start, start + count)

    def subscribe(self, subscriber: Subscriber[int], /) -> None:
        """Start a subscription of its own for the subscriber."""
        require_argument(subscriber, "subscribe", rule="1.9")
        _RangeSubscription(self._numbers, subscriber).begin()


class _RangeSubscription(SubscriberLink[int]):
    """Serve one subscriber.

    The demand says who may signal, too: whoever raises it from 0 sends until it is back at 0, and everybody else only
    adds to it. So neither another thread (§1.3) nor a request in `on_next` (§3.3) enters a loop that runs already.
    """

    def __init__(self, numbers: range, subscriber: Subscriber[int]) -> None:
        super().__init__(subscriber, demand=1)  # the right to signal on_subscribe; what it requests adds to this
        self._next = numbers.start
        self._stop = numbers.stop

    def begin(self) -> None:
        subscriber = self.receiver()
        if subscriber is not None:
            self.signal(subscriber.on_subscribe, self)  # §1.9
        del subscriber
        if self._next == self._stop:
            self.finish()  # needs no demand
        self._send(self.demand_after(1))

    def when_requested(self, demand_before: int) -> None:
        if demand_before == 0:
            self._send(self.demand)

    def _send(self, demand: int) -> None:
        while demand:
            sent = 0
            while sent < demand:
                if not self._send_next():
                    return  # over; the demand stays above 0, so that nobody sends again
                sent += 1
            demand = self.demand_after(sent)

    def _send_next(self) -> bool:
        """Send the next number, and the end after the last one; return whether there is more to come."""
        subscriber = self.receiver()
        if subscriber is None:
            return False
        number = self._next
        self._next += 1
        self.signal(subscriber.on_next, number)
        if self._next < self._stop:
            return True
        self.finish()  # §1.5: at once, without further demand
        return False
