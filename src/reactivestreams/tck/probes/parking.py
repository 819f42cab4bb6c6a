"""A place to stop inside a signal until the check lets it continue."""

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.latch import Latch

__all__ = ["Parking"]

_SAFETY_TIMEOUTS = 4


class Parking:
    """Hold the thread that calls `park` until `release`, or for four default timeouts at most.

    Args:
        environment: The environment of the check.

    Example:
        >>> from reactivestreams.tck import Environment
        >>> parking = Parking(Environment().for_check("example"))
        >>> parking.release()
        >>> parking.park()
        >>> parking.is_parked()
        True
    """

    def __init__(self, environment: CheckEnvironment) -> None:
        self._environment = environment
        self._parked = Latch(environment)
        self._released = Latch(environment)

    def park(self) -> None:
        """Stop here."""
        self._environment.step("a signal is held")
        self._parked.close()
        self._released.wait_closed(_SAFETY_TIMEOUTS * self._environment.default_timeout_milliseconds)
        self._environment.step("the signal goes on")

    def is_parked(self) -> bool:
        """Return whether a thread is parked here."""
        return self._parked.is_closed()

    def wait_parked(self) -> bool:
        """Wait for a thread to park here; return whether one did."""
        return self._parked.wait_closed()

    def release(self) -> None:
        """Let the thread, and every later one, continue."""
        self._released.close()
