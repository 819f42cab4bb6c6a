"""The lines of the operator `log`: each signal of a run in a logger, so many in a second."""

import logging
from itertools import count
from threading import RLock, local
from time import monotonic

from rs_core.dropped import dropped, shortened

__all__ = ["SignalLog"]

UNLIMITED = 2**63 - 1

_runs = count(1)
_thread = local()


class _Budget:
    """How many lines of one kind may still be written in this second."""

    def __init__(self, per_second: int | None) -> None:
        self._per_second = per_second
        self._begun = monotonic()
        self._written = 0
        self._left_out = 0
        self._lock = RLock()  # a signal handler may request while this thread holds it

    def spend(self) -> bool:
        """Return whether a line may be written; counts it if not."""
        with self._lock:
            if self._per_second is not None:
                now = monotonic()
                if now - self._begun >= 1:
                    self._begun, self._written = now, 0
                if self._written >= self._per_second:
                    self._left_out += 1
                    return False
            self._written += 1
            return True

    def leave_out(self) -> None:
        """Count a line that is not written for another reason."""
        with self._lock:
            self._left_out += 1

    def taken_left_out(self) -> int:
        """Return how many lines were left out since the last call."""
        with self._lock:
            left_out, self._left_out = self._left_out, 0
        return left_out


class SignalLog:
    """Writes the signals of one run of a stream."""

    def __init__(self, name: str, level: int, max_per_second: int | None) -> None:
        self._logger = logging.getLogger(name)
        self._level = level
        self._run = next(_runs)
        self._count = 0
        self._elements = _Budget(max_per_second)
        self._requests = _Budget(max_per_second)

    def on_subscribe(self) -> None:
        """Write that the stream is started."""
        self._write(self._level, "on_subscribe")

    def on_request(self, n: int) -> None:
        """Write how many elements are requested."""
        if self._may_write(self._requests, "requests"):
            self._write(self._level, f"request({'unlimited' if n == UNLIMITED else n})")

    def on_next(self, element: object) -> None:
        """Write an element."""
        self._count += 1
        if self._may_write(self._elements, "elements"):
            self._write(self._level, f"on_next({shortened(element)}), element {self._count}")

    def on_error(self, error: Exception) -> None:
        """Write the error at the end."""
        self._write_end(logging.ERROR, f"on_error({shortened(error)})")

    def on_complete(self) -> None:
        """Write that the stream has completed."""
        self._write_end(self._level, "on_complete")

    def on_cancel(self) -> None:
        """Write that the stream was cancelled."""
        self._write_end(self._level, "cancel")

    def _may_write(self, budget: _Budget, what: str) -> bool:
        if not self._logger.isEnabledFor(self._level):
            return False
        if getattr(_thread, "is_writing", False):
            budget.leave_out()
            return False
        if not budget.spend():
            return False
        self._write_left_out(budget, what)
        return True

    def _write_end(self, level: int, end: str) -> None:
        self._write_left_out(self._requests, "requests")
        self._write_left_out(self._elements, "elements")
        self._write(level, f"{end} after {self._count} element{'' if self._count == 1 else 's'}")

    def _write_left_out(self, budget: _Budget, what: str) -> None:
        left_out = budget.taken_left_out()
        if left_out:
            self._write(self._level, f"{what} that were left out: {left_out}")

    def _write(self, level: int, text: str) -> None:
        if getattr(_thread, "is_writing", False):
            return  # a handler runs a stream that is logged: it would be called for its own lines without end
        _thread.is_writing = True
        try:
            self._logger.log(level, "run %d: %s", self._run, text)
        except Exception as error:
            dropped("log", error, origin=f"log({self._logger.name!r})")
        finally:
            _thread.is_writing = False
