"""A subscriber that raises, which no subscriber may: to see what a publisher makes of it (§2.13)."""

from typing import Any

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.observed_subscriber import ObservedSubscriber

__all__ = ["FaultySubscriber"]


class FaultySubscriber(ObservedSubscriber):
    """Raise in one signal, and count what comes after that.

    Args:
        environment: Of the check.
        signal: In which signal.
        at_element: In which `on_next`, counted from 1, where the signal is `"on_next"`.
        error: What to raise.

    Attributes:
        has_raised: Whether it has raised.
        signals_after: The signals that came after it had raised.
    """

    def __init__(self, environment: CheckEnvironment, *, signal: str, at_element: int = 1, error: Exception) -> None:
        super().__init__(environment)
        self.has_raised: bool = False
        self.signals_after: list[str] = []
        self._failing_signal = signal
        self._at_element = at_element
        self._error = error

    def when_subscribe(self, subscription: Any) -> None:
        """Raise if told so."""
        self._handle("on_subscribe")

    def when_next(self, element: Any) -> None:
        """Raise if told so."""
        self._handle("on_next")

    def when_error(self, error: Any) -> None:
        """Raise if told so."""
        self._handle("on_error")

    def when_complete(self) -> None:
        """Raise if told so."""
        self._handle("on_complete")

    def _handle(self, signal: str) -> None:
        if self.has_raised:
            self.signals_after.append(signal)
            return
        if signal == self._failing_signal and (signal != "on_next" or self.ledger.delivered >= self._at_element):
            self.has_raised = True
            # Without its traceback, whose frames would keep this subscriber alive (§3.13).
            raise self._error.with_traceback(None)
