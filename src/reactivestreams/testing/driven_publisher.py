"""A publisher whose signals a test sends by hand, and which follows the rules."""

import threading
from typing import Any, Generic, NoReturn, TypeVar

from reactivestreams.errors import ArgumentTypeError, DemandExceededError, NullElementError
from reactivestreams.spec import Publisher, Subscriber
from rs_core.demand import Demand

__all__ = ["TestPublisher"]

__tracebackhide__ = True  # pytest shows the line of the test that failed, and none of these

T = TypeVar("T")


class TestPublisher(Publisher[T], Generic[T]):
    """Send the signals that a test tells it to, to all that have subscribed, and assert what they have requested.

    It follows the rules: an element that a subscriber has not requested is refused, and after the end or a `cancel`
    nothing is sent. For a publisher that breaks one, see `MisbehavingPublisher`. A subscriber that comes after the end
    gets only the end.

    Threads: subscribers may request and cancel in any thread; one thread at a time sends.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.testing import StepVerifier, TestPublisher
        >>> source = TestPublisher()
        >>> steps = StepVerifier.on_real_clock(Stream.from_publisher(source).map(str))
        >>> _ = (
        ...     steps.then(lambda: source.next(1, 2))
        ...     .expect_next("1", "2")
        ...     .then(source.complete)
        ...     .expect_complete()
        ...     .verify()
        ... )
        >>> source.assert_was_requested()
        >>> source.assert_no_subscribers()
    """

    __test__ = False

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._links: list[_Link] = []  # those that get signals
        self._subscriptions = self._requests = self._cancellations = 0
        self._end: tuple[Exception | None] | None = None

    # --- as a publisher -----------------------------------------------------------------------------------------------

    def subscribe(self, subscriber: Subscriber[T], /) -> None:
        """Give a subscriber its subscription; after the end, the end as well.

        Raises:
            NullElementError: It is None (§1.9).
        """
        if subscriber is None:
            raise NullElementError("§1.9: subscribe(None): a subscriber is needed; pass a Subscriber", rule="1.9")
        link = _Link(self, subscriber)
        with self._changing:
            self._subscriptions += 1
            self._links.append(link)
        subscriber.on_subscribe(link)
        if self._end is not None:
            link.finish(*self._end)

    # --- send ---------------------------------------------------------------------------------------------------------

    def next(self, *elements: T) -> "TestPublisher[T]":
        """Send elements to each subscriber.

        Returns:
            This publisher.

        Raises:
            NullElementError: An element is None (§2.13).
            DemandExceededError: A subscriber has not requested it (§1.1); nothing of it was sent.
        """
        for element in elements:
            if element is None:
                raise NullElementError("§2.13: next(None): None cannot be an element; send a value for it", rule="2.13")
            links = self._live()
            for link in links:
                if not link.demand.value:
                    raise DemandExceededError(
                        f"§1.1: next({element!r:.200}): {link.subscriber!r:.200} has requested nothing more; let it "
                        f"request, or use MisbehavingPublisher('1.1')"
                    )
            for link in links:
                if link in self._live():  # on_next of one may cancel another one
                    link.demand.take(1)
                    link.subscriber.on_next(element)
        return self

    def complete(self) -> "TestPublisher[T]":
        """Complete each subscriber, and each later one; return this publisher. Without effect after the end."""
        return self._finish(None)

    def error(self, error: Exception) -> "TestPublisher[T]":
        """Fail each subscriber, and each later one; return this publisher. Without effect after the end.

        Raises:
            ArgumentTypeError: It is no exception.
        """
        if not isinstance(error, Exception):
            raise ArgumentTypeError(
                f"error(error) needs an exception, got {error!r:.200} ({type(error).__name__}); pass an instance of one"
            )
        return self._finish(error)

    def emit(self, *elements: T) -> "TestPublisher[T]":
        """Send elements and complete; return this publisher."""
        return self.next(*elements).complete()

    # --- assert -------------------------------------------------------------------------------------------------------

    @property
    def subscribe_count(self) -> int:
        """How often it was subscribed to."""
        return self._subscriptions

    @property
    def was_subscribed(self) -> bool:
        """Whether it was subscribed to."""
        return self._subscriptions > 0

    @property
    def was_requested(self) -> bool:
        """Whether a subscriber has requested elements."""
        return self._requests > 0

    @property
    def was_cancelled(self) -> bool:
        """Whether a subscriber has cancelled."""
        return self._cancellations > 0

    def assert_subscribers(self, count: int) -> None:
        """Raise AssertionError unless so many subscribers are there: neither cancelled nor at their end."""
        if len(self._live()) != count:
            self._fail(f"{count} subscribers")

    def assert_no_subscribers(self) -> None:
        """Raise AssertionError if there is a subscriber."""
        self.assert_subscribers(0)

    def assert_was_subscribed(self) -> None:
        """Raise AssertionError unless it was subscribed to."""
        if not self.was_subscribed:
            self._fail("a subscription")

    def assert_was_requested(self) -> None:
        """Raise AssertionError unless a subscriber has requested elements."""
        if not self.was_requested:
            self._fail("a request")

    def assert_min_requested(self, n: int) -> None:
        """Raise AssertionError unless each subscriber waits for at least n elements."""
        if any(demand < n for demand in self._demands()):
            self._fail(f"a demand of at least {n}")

    def assert_max_requested(self, n: int) -> None:
        """Raise AssertionError if a subscriber waits for more than n elements."""
        if any(demand > n for demand in self._demands()):
            self._fail(f"a demand of at most {n}")

    def assert_cancelled(self, count: int = 1) -> None:
        """Raise AssertionError unless so many subscribers have cancelled."""
        if self._cancellations != count:
            self._fail(f"{count} cancellations")

    def assert_not_cancelled(self) -> None:
        """Raise AssertionError if a subscriber has cancelled."""
        self.assert_cancelled(0)

    def __repr__(self) -> str:
        return f"<TestPublisher with {len(self._live())} of {self._subscriptions} subscribers>"

    # --- for subscriptions --------------------------------------------------------------------------------------------

    def note_request(self) -> None:
        """Count a request."""
        with self._changing:
            self._requests += 1

    def note_cancellation(self) -> None:
        """Count a cancellation."""
        with self._changing:
            self._cancellations += 1

    def remove(self, link: "_Link") -> bool:
        """Take a subscriber out that gets no more signals; return False if it was out."""
        with self._changing:
            is_there = link in self._links
            if is_there:
                self._links.remove(link)
        return is_there

    def _live(self) -> "list[_Link]":
        with self._changing:
            return list(self._links)

    def _demands(self) -> list[int]:
        return [link.demand.value for link in self._live()]

    def _finish(self, error: Exception | None) -> "TestPublisher[T]":
        if self._end is None:
            self._end = (error,)
            for link in self._live():
                link.finish(error)
        return self

    def _fail(self, expected: str) -> NoReturn:
        raise AssertionError(
            f"expected {expected} of a TestPublisher with {len(self._live())} of {self._subscriptions} subscribers, "
            f"whose demand is {self._demands()}, after {self._requests} requests and "
            f"{self._cancellations} cancellations"
        )


class _Link:
    """The subscription of one subscriber."""

    def __init__(self, publisher: TestPublisher[Any], subscriber: Subscriber[Any]) -> None:
        self.subscriber = subscriber
        self.demand: Demand = Demand()
        self._publisher = publisher

    def request(self, n: int) -> None:
        """Add demand; n that is not positive ends the subscription with the error (§3.9)."""
        try:
            self.demand.add(n)
        except (TypeError, ValueError) as error:
            self.finish(error)
        else:
            self._publisher.note_request()

    def cancel(self) -> None:
        """End without a signal."""
        if self._publisher.remove(self):
            self._publisher.note_cancellation()

    def finish(self, error: Exception | None) -> None:
        """Signal the end, unless it was signalled or cancelled."""
        if self._publisher.remove(self):  # §1.6, §1.7: first, because the signal may request
            if error is None:
                self.subscriber.on_complete()
            else:
                self.subscriber.on_error(error)
