"""The subscriber of a fuzzed stream: notes what comes, and every breach of the rules by whoever signals it."""

import threading
from collections.abc import Callable
from typing import Any

from reactivestreams.spec import MAX_DEMAND


class Judge:
    """Lets the case act in each of its signals.

    Args:
        act: What the case does there; it may raise.
        after: The judge of the stream that was saved and goes on with this one; its elements come first.
    """

    def __init__(self, act: Callable[[str], None], after: "Judge | None" = None) -> None:
        self.act = act
        self.elements: list[Any] = [] if after is None else list(after.elements)
        self.before = len(self.elements)
        self.requested = 0
        self.subscription: Any = None
        self.error: Exception | None = None
        self.is_complete = False
        self.is_silenced = False  # cancelled where no element can be on its way
        self.faults: list[str] = []
        self.ended = threading.Event()
        self._counting = threading.Lock()
        self._signalling = threading.Lock()

    @property
    def has_ended(self) -> bool:
        return self.is_complete or self.error is not None

    def request(self, n: int) -> None:
        with self._counting:
            self.requested = min(self.requested + n, MAX_DEMAND)
        self.subscription.request(n)

    @property
    def is_signalled(self) -> bool:
        return self._signalling.locked()

    def on_subscribe(self, subscription: Any, /) -> None:
        if self.subscription is not None:
            self.faults.append("§2.12: a second on_subscribe")
        self.subscription = subscription
        self._signal("on_subscribe")

    def on_next(self, element: Any, /) -> None:
        self._signal("on_next", element)

    def on_error(self, error: Exception, /) -> None:
        self._signal("on_error", error)

    def on_complete(self) -> None:
        self._signal("on_complete")

    def _signal(self, name: str, value: Any = None) -> None:
        if not self._signalling.acquire(blocking=False):
            self.faults.append(f"§1.3: {name} while another signal was running")
            return
        try:
            self._note(name, value)
            self.act(name)
        finally:
            self._signalling.release()
            if self.has_ended:
                self.ended.set()

    def _note(self, name: str, value: Any) -> None:
        if name != "on_subscribe" and self.subscription is None:
            self.faults.append(f"§1.9: {name} before on_subscribe")
        if self.has_ended:
            self.faults.append(f"§1.7: {name} after the end")
        if self.is_silenced and name != "on_subscribe":
            self.faults.append(f"§3.12: {name} after cancel")
        if name == "on_next":
            self.elements.append(value)
            if len(self.elements) - self.before > self.requested:
                self.faults.append(f"§1.1: {len(self.elements)} elements for a demand of {self.requested}")
        elif name == "on_error":
            self.error = self.error or value
        elif name == "on_complete":
            self.is_complete = True
