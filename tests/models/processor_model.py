"""A processor over plain lists, one call at a time: what it requests, what it sends, which hooks it calls.

An element is a list: the elements that the hook emits for it. The hook for the completion emits `tail`.
"""

from collections import deque
from typing import Any

UNBOUNDED = 2**63 - 1


class ProcessorModel:
    """What a processor between one publisher and one subscriber has to do.

    Args:
        prefetch: The most elements that may be requested and not yet handled.
        capacity: The most elements that one hook may emit.
        tail: What the hook for the completion emits.
    """

    def __init__(self, *, prefetch: int, capacity: int, tail: list[Any]) -> None:
        self.prefetch, self.capacity, self.tail = prefetch, capacity, tail
        self.has_upstream = self.has_downstream = False
        self.requests: list[int] = []
        self.cancels = 0
        self.delivered: list[Any] = []
        self.outcome = "open"
        self.hooks: list[str] = []
        self._inbox: deque[list[Any]] = deque()
        self._outbox: deque[Any] = deque()
        self._demand = 0
        self._handled = 0
        self._input_end: str | None = None
        self._own_end: str | None = None
        self._has_raised = False
        self._is_over = False

    @property
    def may_send(self) -> bool:
        """Whether the publisher may send an element now."""
        return self._input_end is None and self._received < sum(self.requests)

    _received = 0

    def connect_upstream(self) -> None:
        self.has_upstream = True
        if self._is_over:
            self.cancels += 1
        self._run()

    def connect_downstream(self) -> None:
        self.has_downstream = True
        self._run()

    def request(self, n: int) -> None:
        if not self._is_over:
            self._demand = min(UNBOUNDED, self._demand + n)
            self._run()

    def send(self, element: list[Any]) -> None:
        self._received += 1
        if not self._is_over:
            self._inbox.append(element)
            self._run()

    def end(self, error: str | None) -> None:
        if self._input_end is None:
            self._input_end = "complete" if error is None else error
            self._run()

    def cancel(self) -> None:
        if not self._is_over:
            self._finish("open")

    def _run(self) -> None:
        """Do whatever can be done now."""
        if not self.has_downstream:
            return
        while not self._is_over and self._step():
            pass

    def _step(self) -> bool:
        if self.has_upstream and "subscribe" not in self.hooks:
            self.hooks.append("subscribe")
        elif self.has_upstream and self._demand and not self.requests and self._input_end is None:
            self.requests.append(self.prefetch)
        elif self._outbox:
            if not self._demand:
                return False
            self._demand -= self._demand != UNBOUNDED
            self.delivered.append(self._outbox.popleft())
        elif self._own_end is not None:
            self._finish(self._own_end)
        elif self._inbox:
            if not self._demand:
                return False
            self._emit("next", self._inbox.popleft())
            if self._own_end is None:
                self._ask()
        elif self._input_end == "complete":
            self._emit("complete", self.tail)
            self._own_end = self._own_end or "complete"
        elif self._input_end is not None:
            self._own_end = self._input_end
            self.hooks.append("error")
        else:
            return False
        return True

    def _emit(self, hook: str, elements: list[Any]) -> None:
        self.hooks.append(hook)
        self._outbox.extend(elements[: self.capacity])
        if len(elements) > self.capacity:
            self._own_end = "CapacityError"
            self._has_raised = True

    def _ask(self) -> None:
        batch = self.prefetch - self.prefetch // 4
        self._handled += 1
        if self._handled == batch:
            self._handled = 0
            if not self._is_over and self._input_end is None:
                self.requests.append(batch)

    def _finish(self, outcome: str) -> None:
        self._is_over = True
        self.outcome = outcome
        if self._own_end is None or self._has_raised:
            self.hooks.append("cancel")
        if self.has_upstream and self._input_end is None:
            self.cancels += 1
