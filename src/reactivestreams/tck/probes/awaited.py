"""An event that happens once, on any thread, and can be waited for: the base of latches and promises."""

import threading

from reactivestreams.tck.kit.check_environment import CheckEnvironment

__all__ = ["Awaited"]


class Awaited:
    """Wait for an event; nothing here raises, failures are flops of the environment.

    Subclasses define the event in `_has_happened`, and hold and notify `_condition` when they change its data.

    Args:
        environment: The environment of the check.

    Example:
        >>> from reactivestreams.tck import Environment
        >>> class Answered(Awaited):
        ...     def _has_happened(self):
        ...         return True
        >>> Answered(Environment().for_check("example"))._wait()
        True
    """

    def __init__(self, environment: CheckEnvironment) -> None:
        self._environment = environment
        self._condition = threading.Condition()

    def _has_happened(self) -> bool:
        raise NotImplementedError

    def _wait(self, timeout_milliseconds: float | None = None) -> bool:
        return self._environment.wait(self._condition, self._has_happened, self._limit(timeout_milliseconds))

    def _expect(self, message: str, timeout_milliseconds: float | None) -> bool:
        if self._wait(timeout_milliseconds):
            return True
        self._environment.flop(f"{message} within {self._limit(timeout_milliseconds):g} ms")
        return False

    def _limit(self, timeout_milliseconds: float | None) -> float:
        default = self._environment.default_timeout_milliseconds
        return default if timeout_milliseconds is None else timeout_milliseconds
