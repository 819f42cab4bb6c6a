"""Adapts publishers of the release candidate 1.0.0.RC1 to 1.0.4."""

from typing import Any, TypeVar

from reactivestreams.errors import NullElementError
from reactivestreams.sources.from_publisher import DEFAULT_PREFETCH
from reactivestreams.spec import Publisher, Subscriber
from reactivestreams.stream import Stream

__all__ = ["LiftedPublisher"]

T = TypeVar("T")


class LiftedPublisher(Publisher[T]):
    """Publish the elements of a publisher of 1.0.0.RC1 by the rules of 1.0.4.

    It corrects what that edition allows and later ones do not:

    - A publisher that rejects a subscriber calls `on_error` in place of `on_subscribe` (1.12 there); the subscriber
      gets `on_subscribe` first (§1.9).
    - Demand above 2**63 - 1 leads to an error in some texts of that edition; here it counts as unbounded
      (§3.17), and the publisher never sees more than `prefetch` at a time.
    - That edition does not mention None; here it is refused: as a subscriber with a TypeError (§1.9), as an element or
      an error by cancelling and `on_error` (§2.13).

    Args:
        publisher: Has `subscribe(subscriber)`; each subscription subscribes to it again.
        prefetch: How many elements may be requested from it and not yet passed on, from 1 to 2**24; 1024 by default.

    Raises:
        ArgumentTypeError: The publisher has no `subscribe`, or `prefetch` is not an integer.
        ArgumentError: `prefetch` is out of range.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.interop.release_candidate import LiftedPublisher
        >>> class Rejecting:
        ...     def subscribe(self, subscriber):
        ...         subscriber.on_error(RuntimeError("too busy"))
        >>> Stream.from_publisher(LiftedPublisher(Rejecting())).to_list()
        Traceback (most recent call last):
            ...
        RuntimeError: too busy
    """

    def __init__(self, publisher: Any, *, prefetch: int = DEFAULT_PREFETCH) -> None:
        # The source of a stream limits demand and sends on_subscribe first; it is checked before it is wrapped.
        Stream.from_publisher(publisher, prefetch=prefetch)
        self._stream: Stream[T] = Stream.from_publisher(_WithoutNone(publisher), prefetch=prefetch)

    def subscribe(self, subscriber: Subscriber[T], /) -> None:
        """Start a subscription for the subscriber; runs the publisher's `subscribe`.

        Raises:
            NullElementError: The subscriber is None.
        """
        self._stream.subscribe(subscriber)


class _WithoutNone(Publisher[Any]):
    """Pass on a publisher's signals, except None."""

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher

    def subscribe(self, subscriber: Any, /) -> None:
        self._publisher.subscribe(_NoneRefusing(subscriber))


class _NoneRefusing(Subscriber[Any]):
    """End a subscription at the first None.

    A subscriber of 1.0.4 raises for None, and a publisher of the release candidate need not know what to do then. The
    signals arrive one at a time (§1.3), so no lock is needed.
    """

    def __init__(self, subscriber: Any) -> None:
        self._subscriber = subscriber
        self._subscription: Any = None
        self._is_over = False

    def on_subscribe(self, subscription: Any, /) -> None:
        self._subscription = subscription
        self._subscriber.on_subscribe(subscription)

    def on_next(self, element: Any, /) -> None:
        if self._is_over:
            return
        if element is not None:
            self._subscriber.on_next(element)
            return
        self._is_over = True
        self._subscription.cancel()
        self._subscriber.on_error(NullElementError("§2.13: on_next(None); let the publisher send a value in its place"))

    def on_error(self, error: Any, /) -> None:
        if self._is_over:
            return
        self._is_over = True
        nothing = NullElementError("§2.13: on_error(None); let the publisher send an exception")
        self._subscriber.on_error(nothing if error is None else error)

    def on_complete(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._subscriber.on_complete()
