"""A serialized emitter as plain Python would write it for one thread: the oracle of the property tests."""

from collections import deque
from typing import Any, Protocol


class WouldWaitForItselfError(Exception):
    """The policy is to wait for room, and the only thread there is delivers."""


class Sink(Protocol):
    def on_next(self, element: Any, /) -> object: ...
    def on_error(self, error: Exception, /) -> object: ...
    def on_complete(self) -> object: ...


class NoRoomError(Exception):
    """Stands for the CapacityError that the policy `error` ends with."""


class EmitterModel:
    def __init__(self, sink: Sink, *, capacity: int, on_overflow: str) -> None:
        self.sink = sink
        self.capacity = 1 if on_overflow == "latest" else capacity
        self.on_overflow = on_overflow
        self.waiting: deque[Any] = deque()
        self.end: tuple[Exception | None] | None = None
        self.is_cancelled = False
        self.is_delivering = False
        self.dropped: list[tuple[str, Any]] = []
        self.dropped_count = 0

    @property
    def pending(self) -> int:
        return len(self.waiting)

    @property
    def is_terminated(self) -> bool:
        return self.end is not None or self.is_cancelled

    def emit(self, element: Any) -> str:
        if self.is_terminated:
            return "terminated" if self.end is not None else "cancelled"
        if self.is_delivering and len(self.waiting) == self.capacity:
            result = self._overflow(element)
            if result != "accepted":
                return result
        self.waiting.append(element)
        self._deliver()
        return "accepted"

    def complete(self) -> bool:
        return self._end(None)

    def fail(self, error: Exception) -> bool:
        is_first = self._end(error)
        if not is_first:
            self.dropped.append(("on_error", error))
        return is_first

    def _end(self, error: Exception | None) -> bool:
        if self.is_terminated:
            return False
        self.end = (error,)
        self._deliver()
        return True

    def _overflow(self, element: Any) -> str:
        if self.on_overflow == "block":
            raise WouldWaitForItselfError
        if self.on_overflow == "error":
            self.end = (NoRoomError(),)
            return "overflowed"
        if self.on_overflow == "drop_newest":
            self._drop(element)
            return "dropped"
        self._drop(self.waiting.popleft())
        return "accepted"

    def _drop(self, element: Any) -> None:
        self.dropped_count += 1
        self.dropped.append(("on_next", element))

    def _deliver(self) -> None:
        if self.is_delivering:
            return
        self.is_delivering = True
        while self.waiting:
            try:
                self.sink.on_next(self.waiting.popleft())
            except BaseException as error:
                self._stop(error)
                return
        if self.end is None:
            self.is_delivering = False
        elif self.end[0] is None:
            self.sink.on_complete()
        else:
            self.sink.on_error(self.end[0])

    def _stop(self, error: BaseException) -> None:
        if isinstance(error, Exception):
            self.dropped.append(("on_next", error))
        if self.end is None:
            self.is_cancelled = True
        elif self.end[0] is not None:
            self.dropped.append(("on_error", self.end[0]))
        while self.waiting:
            self._drop(self.waiting.popleft())
        if not isinstance(error, Exception):
            raise error
