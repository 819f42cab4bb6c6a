"""A publisher that sends inside `request`, which is allowed (§3.10, 3.11) and every subscriber must handle."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

__all__ = ["NestingPublisher"]


class NestingPublisher:
    """Send elements, then completion, on the thread that requests, before its `request` returns.

    That includes a request made inside `on_subscribe`, and one made inside `on_next` to some depth; deeper ones only
    add (§3.3). A request from another thread while a signal is running also only adds (§1.3). Completion follows the
    last element; without elements it follows the first request.

    Args:
        elements: The elements to send.
        error: The error to end with in place of `on_complete`.
        depth: How many `request` calls may send inside each other, >= 1.

    Example:
        >>> from reactivestreams.tck.probes.nesting_publisher import NestingPublisher
        >>> class Printer:
        ...     def on_subscribe(self, subscription):
        ...         subscription.request(1)
        ...         print("requested")
        ...
        ...     def on_next(self, element):
        ...         print(element)
        >>> NestingPublisher(["a", "b"]).subscribe(Printer())
        a
        requested
    """

    def __init__(self, elements: Sequence[Any] = (), *, error: BaseException | None = None, depth: int = 1) -> None:
        self._elements = elements
        self._error = error
        self._depth = depth

    def subscribe(self, subscriber: Any, /) -> None:
        """Start a subscription for the subscriber."""
        _NestingLink(subscriber, self._elements, self._error, self._depth).begin()


class _NestingLink:
    # One thread sends at a time, the owner; `_sends` are the loops on its stack.

    def __init__(self, subscriber: Any, elements: Sequence[Any], error: BaseException | None, depth: int) -> None:
        self._subscriber = subscriber
        self._elements = elements
        self._error = error
        self._most_sends = depth
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._sends = 0
        self._position = 0
        self._demand = 0
        self._was_requested = False
        self._is_over = False

    def begin(self) -> None:
        """Signal `on_subscribe`, then send the elements that other threads requested meanwhile."""
        self._owner = threading.get_ident()
        self._subscriber.on_subscribe(self)
        self._send(is_outermost=True)

    def request(self, n: int, /) -> None:
        """Send n more elements, now or after the signal that is running on another thread."""
        me = threading.get_ident()
        with self._lock:
            self._demand += max(0, n)
            self._was_requested = True
            is_nested = self._owner == me
            if self._sends >= self._most_sends if is_nested else self._owner is not None:
                return
            self._owner = me
        self._send(is_outermost=not is_nested)

    def cancel(self) -> None:
        """Send nothing more."""
        with self._lock:
            self._is_over = True

    def _send(self, *, is_outermost: bool) -> None:
        self._sends += 1
        while True:
            with self._lock:
                signal = self._next_signal()
                if signal is None:
                    self._sends -= 1
                    if is_outermost:
                        self._owner = None
                    return
            signal()

    def _next_signal(self) -> Callable[[], Any] | None:
        subscriber, error = self._subscriber, self._error
        if self._is_over or not self._was_requested:
            return None
        if self._position < len(self._elements):
            if not self._demand:
                return None
            element = self._elements[self._position]
            self._position += 1
            self._demand -= 1
            return partial(subscriber.on_next, element)
        self._is_over = True
        return subscriber.on_complete if error is None else partial(subscriber.on_error, error)
