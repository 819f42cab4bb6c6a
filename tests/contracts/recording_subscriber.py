"""A subscriber that notes every signal, and every breach of the protocol by whoever signals it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reactivestreams.spec import MAX_DEMAND

UNBOUNDED = MAX_DEMAND


class RecordingSubscriber:
    """Notes signals; requests and cancels as told.

    Breaches go to `faults` instead of being raised, since what a subscriber raises is no failure of the test.
    """

    def __init__(self, *, first_request: int = 0, then_request: int = 0, cancel_after: int | None = None) -> None:
        self.elements: list[Any] = []
        self.error: Exception | None = None
        self.is_complete = False
        self.is_cancelled = False
        self.requested = 0
        self.subscription: Any = None
        self.faults: list[str] = []
        self.ended = threading.Event()
        self._first_request = first_request
        self._then_request = then_request
        self._cancel_after = cancel_after
        self._signalling = threading.Lock()

    @property
    def has_ended(self) -> bool:
        return self.is_complete or self.error is not None

    @property
    def outcome(self) -> tuple[list[Any], str]:
        """What came, and how it ended: what most tests compare."""
        if self.faults:
            return self.elements, "; ".join(self.faults)
        if self.error is not None:
            return self.elements, repr(self.error)
        return self.elements, "complete" if self.is_complete else "open"

    def request(self, n: int) -> None:
        self.requested += n
        self.subscription.request(n)

    def cancel(self) -> None:
        self.is_cancelled = True
        self.subscription.cancel()

    def on_subscribe(self, subscription: Any, /) -> None:
        with self._signal("on_subscribe"):
            if self.subscription is not None:
                self.faults.append("§2.12: a second on_subscribe")
            self.subscription = subscription
            if self._cancel_after == 0:
                self.cancel()
            elif self._first_request:
                self.request(self._first_request)

    def on_next(self, element: Any, /) -> None:
        with self._signal("on_next"):
            self.elements.append(element)
            if len(self.elements) > self.requested:
                self.faults.append(f"§1.1: element {len(self.elements)} came for a demand of {self.requested}")
            if self._cancel_after == len(self.elements):
                self.cancel()
            elif self._then_request:
                self.request(self._then_request)

    def on_error(self, error: Exception, /) -> None:
        with self._signal("on_error"):
            self.error = error
            self.ended.set()

    def on_complete(self) -> None:
        with self._signal("on_complete"):
            self.is_complete = True
            self.ended.set()

    @contextmanager
    def _signal(self, name: str) -> Iterator[None]:
        if not self._signalling.acquire(blocking=False):
            self.faults.append(f"§1.3: {name} while another signal was running")
            yield
            return
        if name != "on_subscribe" and self.subscription is None:
            self.faults.append(f"§1.9: {name} before on_subscribe")
        if self.has_ended:
            self.faults.append(f"§1.7: {name} after the end")
        if self.is_cancelled:
            self.faults.append(f"§3.12: {name} after cancel")
        try:
            yield
        finally:
            self._signalling.release()
