"""A promise: one value that is set once and can be waited for."""

from typing import Generic, TypeVar

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.probes.awaited import Awaited

__all__ = ["Promise"]

T = TypeVar("T")


class Promise(Awaited, Generic[T]):
    """A value that is set once; nothing here raises, failures are flops of the environment.

    Args:
        environment: The environment of the check.

    Example:
        >>> from reactivestreams.tck import Environment
        >>> promise = Promise(Environment().for_check("example"))
        >>> promise.complete(None)
        >>> promise.is_completed(), promise.value()
        (True, None)
    """

    def __init__(self, environment: CheckEnvironment) -> None:
        super().__init__(environment)
        self._values: list[T] = []  # none or one: None is also a value

    def _has_happened(self) -> bool:
        return bool(self._values)

    @classmethod
    def completed(cls, environment: CheckEnvironment, value: T) -> "Promise[T]":
        """Return a promise with a value."""
        promise = cls(environment)
        promise.complete(value)
        return promise

    def complete(self, value: T) -> None:
        """Set the value; flop if it is already set."""
        with self._condition:
            present = list(self._values)
            if not present:
                self._values.append(value)
                self._condition.notify_all()
        if present:
            self._environment.flop(
                f"Cannot complete a promise more than once! Present value: {safe_repr(present[0])}, "
                f"attempted to set: {safe_repr(value)}"
            )

    def is_completed(self) -> bool:
        """Return whether the value is set."""
        with self._condition:
            return bool(self._values)

    def value(self) -> T | None:
        """Return the value; flop and return None if there is none."""
        with self._condition:
            present = list(self._values)
        if not present:
            self._environment.flop("Cannot access promise value before completion")
            return None
        return present[0]

    def wait_completed(self, timeout_milliseconds: float | None = None) -> bool:
        """Wait for the value; return whether it was set.

        Args:
            timeout_milliseconds: How long to wait; by default the default timeout of the environment.
        """
        return self._wait(timeout_milliseconds)

    def expect_completion(self, message: str, timeout_milliseconds: float | None = None) -> bool:
        """Wait for the value; flop if it does not come; return whether it did.

        Args:
            message: The text of the failure; the time is appended.
            timeout_milliseconds: How long to wait; by default the default timeout of the environment.
        """
        return self._expect(message, timeout_milliseconds)
