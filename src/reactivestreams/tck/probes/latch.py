"""A latch: a gate that is closed once and can be waited for."""

import threading

from reactivestreams.errors import StateError
from reactivestreams.tck.check_environment import CheckEnvironment

__all__ = ["ExpectedClosedLatchError", "ExpectedOpenLatchError", "Latch"]


class ExpectedOpenLatchError(StateError):
    """Report that something happened too often: its latch was closed already."""


class ExpectedClosedLatchError(StateError):
    """Report that something did not happen before: its latch was still open."""


class Latch:
    """Say that something has happened; nothing here raises, failures are flops of the environment.

    Args:
        environment: Of the check.

    Example:
        >>> from reactivestreams.tck import Environment
        >>> latch = Latch(Environment().for_check("example"))
        >>> latch.close()
        >>> latch.is_closed()
        True
    """

    def __init__(self, environment: CheckEnvironment) -> None:
        self._environment = environment
        self._condition = threading.Condition()
        self._closed = False

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
        """Tell whether the latch is closed."""
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
            timeout_milliseconds: How long; the default timeout of the environment by default.
        """
        timeout = (
            self._environment.default_timeout_milliseconds if timeout_milliseconds is None else timeout_milliseconds
        )
        return self._environment.wait(self._condition, lambda: self._closed, timeout)

    def expect_close(self, message: str, timeout_milliseconds: float | None = None) -> bool:
        """Wait for the latch to close; flop if it does not; return whether it did.

        Args:
            message: What to say; the time is put after it.
            timeout_milliseconds: How long; the default timeout of the environment by default.
        """
        timeout = (
            self._environment.default_timeout_milliseconds if timeout_milliseconds is None else timeout_milliseconds
        )
        if self.wait_closed(timeout):
            return True
        self._environment.flop(f"{message} within {timeout:g} ms")
        return False
