"""The load of the machine, the factor of the default timeouts."""

import os
import threading
import time

__all__ = ["MOST", "measured_load"]

MOST = 8.0
"""The largest factor: a busier machine cannot judge anything, and longer timeouts would only delay the result."""

_PROBES = 4
_PROBE_SECONDS = 0.002
_EXPECTED_OVERSHOOT_SECONDS = 0.005
_FRESH_SECONDS = 10.0

_lock = threading.Lock()
_measured: tuple[float, float] | None = None


def measured_load() -> float:
    """Return how many times longer things take than on an idle machine, from 1 to 8.

    It is the larger of two figures: runnable processes per core, if the system provides them, and the lateness of a few
        short waits. A measurement takes about 10 ms and is used for the next 10 seconds.

    Example:
        >>> 1.0 <= measured_load() <= 8.0
        True
    """
    global _measured  # noqa: PLW0603 - a cache
    with _lock:
        now = time.monotonic()
        if _measured is None or now - _measured[0] > _FRESH_SECONDS:
            _measured = now, min(MOST, max(1.0, _run_queue(), _lateness()))
        return _measured[1]


def _run_queue() -> float:
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):  # not on Windows
        return 1.0


def _lateness() -> float:
    never = threading.Event()
    worst = 0.0
    for _ in range(_PROBES):
        started = time.monotonic()
        never.wait(_PROBE_SECONDS)
        worst = max(worst, time.monotonic() - started - _PROBE_SECONDS)
    return worst / _EXPECTED_OVERSHOOT_SECONDS
