"""`StreamFromGenerator` of rsocket-py on the base classes of Reactive Streams.

The original keeps two tasks and two unbounded queues for each stream: one task reads the generator into a queue, the
other sends what is in the queue, one element in each turn of the event loop. Here demand is a number in the core, an
element is made when it can be sent, and there is neither a task nor a queue to fill.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rsocket.payload import Payload

from reactivestreams import BasePublisher, BaseSubscription, Subscriber

TURN_ELEMENTS = 32
"""How many elements are sent before the event loop gets its turn, unless the stream is told otherwise."""

_END = (None, True)


class GeneratorStream(BasePublisher[Payload]):
    """Send what a generator yields, as it is requested.

    Args:
        generator: Called for each subscription; yields pairs of a payload and whether it is the last one.
        on_cancel: Called when the subscriber cancels.
        on_complete: Called when the last element was sent.
        turn_elements: How many elements are sent before the event loop gets its turn, at least 1.

    Demand: the subscriber's; nothing is taken from the generator that was not requested.
    Errors: an exception of the generator becomes `on_error`.
    Threads: the thread of the event loop.
    """

    def __init__(
        self,
        generator: Callable[[], Iterable[tuple[Payload | None, bool]]],
        *,
        on_cancel: Callable[[], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        turn_elements: int = TURN_ELEMENTS,
    ) -> None:
        if turn_elements < 1:
            raise ValueError(f"GeneratorStream(turn_elements) needs at least 1, got {turn_elements}")
        self.generator = generator
        self.on_cancel = on_cancel
        self.on_complete = on_complete
        self.turn_elements = turn_elements

    def create_subscription(self, subscriber: Subscriber[Payload]) -> "GeneratorSubscription":
        return GeneratorSubscription(subscriber, self)


class GeneratorSubscription(BaseSubscription[Payload]):
    """One run of the generator."""

    def __init__(self, subscriber: Subscriber[Payload], stream: GeneratorStream) -> None:
        self._stream = stream
        self._loop = asyncio.get_running_loop()
        self._elements: Iterator[tuple[Payload | None, bool]] | None = None
        self._left_of_turn = stream.turn_elements
        self._next_turn_is_due = False

    def on_request(self, n: int) -> None:
        self._send()

    def on_cancel(self) -> None:
        self._close()
        if self._stream.on_cancel is not None:
            self._stream.on_cancel()

    def _begin_turn(self) -> None:
        self._next_turn_is_due = False
        self._left_of_turn = self._stream.turn_elements
        if not self.is_cancelled:
            self._send()

    def _send(self) -> None:
        """Send what there is demand for, until the turn is used up; a subscriber may request more in between."""
        try:
            while self.demand and self._left_of_turn:
                self._left_of_turn -= 1
                payload, is_last = self._next()
                if payload is not None:
                    self.emit(payload)
                if is_last:
                    self._finish()
                if self.is_cancelled:
                    return
        except Exception as error:
            self.fail(error)
            return
        if not self._next_turn_is_due and self._left_of_turn < self._stream.turn_elements:
            self._next_turn_is_due = True
            self._loop.call_soon(self._begin_turn)

    def _next(self) -> tuple[Payload | None, bool]:
        if self._elements is None:
            self._elements = iter(self._stream.generator())
        return next(self._elements, _END)

    def _finish(self) -> None:
        self._close()
        self.complete()
        if self._stream.on_complete is not None:
            self._stream.on_complete()

    def _close(self) -> None:
        close: Any = getattr(self._elements, "close", None)
        if close is not None:
            close()
