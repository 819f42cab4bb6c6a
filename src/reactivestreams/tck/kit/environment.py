"""The settings of a verification: timeouts, edition, seed."""

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.load import MOST, measured_load

if TYPE_CHECKING:
    from reactivestreams.tck.kit.check_environment import CheckEnvironment

__all__ = ["Environment"]

DEFAULT_TIMEOUT_MILLISECONDS = 500
"""How long to wait for something to happen, on an idle machine. Waits end early, so only failures take this time."""

DEFAULT_NO_SIGNALS_TIMEOUT_MILLISECONDS = 100
"""How long nothing may happen, on an idle machine. These waits take the full time."""

DEFAULT_REFERENCE_TIMEOUT_MILLISECONDS = 300
"""How long a publisher may take to drop its references to a cancelled subscriber, on an idle machine."""

LEAST_WATCHDOG_TIMEOUT_MILLISECONDS = 30_000
"""The minimum time before the watchdog abandons a check; otherwise 20 times the default timeout."""

_TIMEOUT = ("DEFAULT_TIMEOUT_MILLIS",)
_NO_SIGNALS = ("DEFAULT_NO_SIGNALS_TIMEOUT_MILLIS",)
# The standard's kit documents the first name and reads the second.
_POLL = ("DEFAULT_POLL_TIMEOUT_MILLIS", "DEFAULT_POLL_TIMEOUT_MILLIS_ENV")
_REFERENCE = ("PUBLISHER_REFERENCE_GC_TIMEOUT_MILLIS",)
_WATCHDOG = ("WATCHDOG_TIMEOUT_MILLIS",)


@dataclass(frozen=True, slots=True, init=False)
class Environment:
    """The settings of a verification; immutable, so that checks can share them and run in parallel.

    An argument overrides its environment variable, and that overrides the default. The defaults are for an idle machine
    and are multiplied by the load of this one, by at most 8; the time of silence, which always takes the full time and
    can only miss a signal, by at most 2.

    Args:
        default_timeout_milliseconds: How long to wait for something to happen, > 0. `DEFAULT_TIMEOUT_MILLIS`; 500.
        no_signals_timeout_milliseconds: How long nothing may happen, > 0. `DEFAULT_NO_SIGNALS_TIMEOUT_MILLIS`; the
            default timeout if that was given, else 100.
        poll_timeout_milliseconds: The maximum time between two checks for an awaited error, > 0.
            `DEFAULT_POLL_TIMEOUT_MILLIS`; the default timeout.
        reference_timeout_milliseconds: How long a publisher may take to drop references to a cancelled subscriber,
            after the element that it is making, > 0. `PUBLISHER_REFERENCE_GC_TIMEOUT_MILLIS`; 300.
        watchdog_timeout_milliseconds: How long one check may take before it is abandoned, > 0.
            `WATCHDOG_TIMEOUT_MILLIS`; 20 times the default timeout, at least 30,000.
        edition: The edition of the specification; by default `Edition.JVM`.
        seed: The seed of the random choices of the checks; by default a new one, which a failure names.
        variables: The environment variables; those of the process by default.

    Raises:
        ArgumentTypeError: A number is not an integer.
        ArgumentError: A number is out of bounds, or a variable is not an integer.

    Example:
        >>> environment = Environment(default_timeout_milliseconds=200, variables={})
        >>> environment.default_timeout_milliseconds, environment.no_signals_timeout_milliseconds
        (200, 200)
    """

    default_timeout_milliseconds: int
    no_signals_timeout_milliseconds: int
    poll_timeout_milliseconds: int
    reference_timeout_milliseconds: int
    watchdog_timeout_milliseconds: int
    edition: Edition
    seed: int

    def __init__(
        self,
        default_timeout_milliseconds: int | None = None,
        no_signals_timeout_milliseconds: int | None = None,
        poll_timeout_milliseconds: int | None = None,
        reference_timeout_milliseconds: int | None = None,
        *,
        watchdog_timeout_milliseconds: int | None = None,
        edition: Edition | str = Edition.JVM,
        seed: int | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        read = os.environ if variables is None else variables
        given = _setting(default_timeout_milliseconds, "default_timeout_milliseconds", read, _TIMEOUT)
        timeout = _scaled(DEFAULT_TIMEOUT_MILLISECONDS) if given is None else given
        quiet = _setting(no_signals_timeout_milliseconds, "no_signals_timeout_milliseconds", read, _NO_SIGNALS)
        if quiet is None:
            quiet = _scaled(DEFAULT_NO_SIGNALS_TIMEOUT_MILLISECONDS, at_most=2.0) if given is None else given
        poll = _setting(poll_timeout_milliseconds, "poll_timeout_milliseconds", read, _POLL)
        reference = _setting(reference_timeout_milliseconds, "reference_timeout_milliseconds", read, _REFERENCE)
        watchdog = _setting(watchdog_timeout_milliseconds, "watchdog_timeout_milliseconds", read, _WATCHDOG)
        values = {
            "default_timeout_milliseconds": timeout,
            "no_signals_timeout_milliseconds": quiet,
            "poll_timeout_milliseconds": timeout if poll is None else poll,
            "reference_timeout_milliseconds": (
                _scaled(DEFAULT_REFERENCE_TIMEOUT_MILLISECONDS) if reference is None else reference
            ),
            "watchdog_timeout_milliseconds": (
                max(LEAST_WATCHDOG_TIMEOUT_MILLISECONDS, 20 * timeout) if watchdog is None else watchdog
            ),
            "edition": _edition(edition),
            "seed": random.SystemRandom().getrandbits(32) if seed is None else seed,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def for_check(self, name: str) -> "CheckEnvironment":
        """Return the state for one run of one check: nothing recorded yet, shared with no other check."""
        from reactivestreams.tck.kit.check_environment import CheckEnvironment

        return CheckEnvironment(self, name)


def _scaled(milliseconds: int, *, at_most: float = MOST) -> int:
    return round(milliseconds * min(at_most, measured_load()))


def _setting(value: object, name: str, variables: Mapping[str, str], spellings: tuple[str, ...]) -> int | None:
    if value is not None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ArgumentTypeError(
                f"Environment({name}) needs an integer, got {value!r} ({type(value).__name__}); pass milliseconds"
            )
        if value <= 0:
            raise ArgumentError(f"Environment({name}) needs more than 0, got {value}; pass milliseconds")
        return value
    for spelling in spellings:
        text = variables.get(spelling)
        if text:
            if not text.strip().isdecimal() or int(text) <= 0:
                raise ArgumentError(
                    f"the environment variable {spelling} needs an integer > 0, got {text!r}; set milliseconds"
                )
            return int(text)
    return None


def _edition(value: Edition | str) -> Edition:
    try:
        return Edition(value)
    except ValueError:
        names = ", ".join(repr(str(edition)) for edition in Edition)
        raise ArgumentError(f"there is no edition {value!r}; use one of {names}") from None
