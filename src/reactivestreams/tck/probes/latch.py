"""A latch: it is closed once, and can be waited for."""

from reactivestreams.errors import StateError
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.awaited import Awaited

__all__ = ["ExpectedClosedLatchError", "ExpectedOpenLatchError", "Latch"]


class ExpectedOpenLatchError(StateError):
    """Report that an event happened too often: its latch was already closed."""


class ExpectedClosedLatchError(StateError):
    """Report that an event has not happened: its latch was still open."""


class Latch(Awaited):
    """Signal that an event has happened; nothing here raises, failures are flops of the environment.

    Args:
        environment: The environment of the check.

    Example:
        >>> from reactivestreams.tck import Environment
        >>> latch = Latch(Environment().for_check("example"))
        >>> latch.close()
        >>> latch.is_closed()
        True
    """

    def __init__(self, environment: CheckEnvironment) -> None:
        super().__init__(environment)
        self._closed = False

    def _has_happened(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Close the latch; closing it again has no effect."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def re_open(self) -> None:
        """Open the latch again."""
        with self._condition:
            self._closed = False

    def is_closed(self) -> bool:
        """Return whether the latch is closed."""
        with self._condition:
            return self._closed

    def assert_closed(self, message: str) -> None:
        """Flop with an `ExpectedClosedLatchError` if the latch is open."""
        if not self.is_closed():
            self._environment.flop(ExpectedClosedLatchError(message))

    def assert_open(self, message: str) -> None:
        """Flop with an `ExpectedOpenLatchError` if the latch is closed."""
        if self.is_closed():
            self._environment.flop(ExpectedOpenLatchError(message))

    def wait_closed(self, timeout_milliseconds: float | None = None) -> bool:
        """Wait for the latch to close; return whether it did.

        Args:
            timeout_milliseconds: How long to wait; by default the default timeout of the environment.
        """
        return self._wait(timeout_milliseconds)

    def expect_close(self, message: str, timeout_milliseconds: float | None = None) -> bool:
        """Wait for the latch to close; flop if it does not; return whether it did.

        Args:
            message: The text of the failure; the time is appended.
            timeout_milliseconds: How long to wait; by default the default timeout of the environment.
        """
        return self._expect(message, timeout_milliseconds)
