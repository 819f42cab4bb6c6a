"""Settings with which our own components are judged."""

from reactivestreams.tck import Environment
from reactivestreams.tck.kit.load import measured_load

ALL_AT_ONCE = 200
"""Nearly all of the time is waiting, and each subject has threads of its own."""


def settings() -> Environment:
    """Return settings for a machine as busy as this one is now, with all checks at once."""
    load = measured_load()
    return Environment(
        default_timeout_milliseconds=round(1_000 * load), no_signals_timeout_milliseconds=round(50 * min(2.0, load))
    )
