"""A probe in a stream: whether it was subscribed to, requested from and cancelled."""

import threading
from typing import Any, Generic, NoReturn, TypeVar, cast

from reactivestreams.stream import Stream
from rs_core.stream.description import Description

__all__ = ["PublisherProbe"]

__tracebackhide__ = True  # pytest shows the line of the test that failed, and none of these

T = TypeVar("T")


class PublisherProbe(Generic[T]):
    """Observe what is done with a publisher, such as the fallback of a branch that must or must not be taken.

    Args:
        publisher: A stream or another publisher, whose signals pass unchanged; None: one that completes empty.

    Attributes:
        stream: What to put in place of the publisher; each subscription of it is counted.

    Threads: any.

    Example:
        >>> from reactivestreams import Stream
        >>> fallback = PublisherProbe(Stream.just("none"))
        >>> Stream.range(2).switch_if_empty(fallback.stream).to_list()
        [0, 1]
        >>> fallback.assert_was_not_subscribed()
        >>> Stream.empty().switch_if_empty(fallback.stream).to_list()
        ['none']
        >>> fallback.assert_was_subscribed()
        >>> fallback.assert_was_requested()
        >>> fallback.assert_was_not_cancelled()
    """

    def __init__(self, publisher: Any = None) -> None:
        observed = cast("Stream[T]", Stream.empty() if publisher is None else _stream_of(publisher))
        self._noting = threading.Lock()
        self._subscriptions = self._requests = self._cancellations = 0
        self.stream: Stream[T] = observed.do(
            on_subscribe=self._note_subscription, on_request=self._note_request, on_cancel=self._note_cancellation
        )

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
        """Whether elements of it were requested."""
        return self._requests > 0

    @property
    def was_cancelled(self) -> bool:
        """Whether a subscription of it was cancelled."""
        return self._cancellations > 0

    def assert_was_subscribed(self) -> None:
        """Raise AssertionError unless it was subscribed to."""
        if not self.was_subscribed:
            self._fail("a subscription")

    def assert_was_not_subscribed(self) -> None:
        """Raise AssertionError if it was subscribed to."""
        if self.was_subscribed:
            self._fail("no subscription")

    def assert_was_requested(self) -> None:
        """Raise AssertionError unless elements of it were requested."""
        if not self.was_requested:
            self._fail("a request")

    def assert_was_not_requested(self) -> None:
        """Raise AssertionError if elements of it were requested."""
        if self.was_requested:
            self._fail("no request")

    def assert_was_cancelled(self) -> None:
        """Raise AssertionError unless a subscription of it was cancelled."""
        if not self.was_cancelled:
            self._fail("a cancellation")

    def assert_was_not_cancelled(self) -> None:
        """Raise AssertionError if a subscription of it was cancelled."""
        if self.was_cancelled:
            self._fail("no cancellation")

    def __repr__(self) -> str:
        return (
            f"<PublisherProbe with {self._subscriptions} subscriptions, {self._requests} requests and "
            f"{self._cancellations} cancellations>"
        )

    def _fail(self, expected: str) -> NoReturn:
        raise AssertionError(
            f"expected {expected} of {self.stream!r:.200}, and there were {self._subscriptions} subscriptions, "
            f"{self._requests} requests and {self._cancellations} cancellations"
        )

    def _note_subscription(self) -> None:
        with self._noting:
            self._subscriptions += 1

    def _note_request(self, n: int) -> None:
        with self._noting:
            self._requests += 1

    def _note_cancellation(self) -> None:
        with self._noting:
            self._cancellations += 1


def _stream_of(publisher: Any) -> Any:
    return publisher if isinstance(publisher, Description) else Stream.from_publisher(publisher)
