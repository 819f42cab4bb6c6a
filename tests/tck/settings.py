"""Settings for tests of the compatibility kit."""

from typing import Any

from reactivestreams.tck import Environment


def short_environment(**settings: Any) -> Environment:
    """Return settings for subjects that answer at once, or never."""
    timeouts = {
        "default_timeout_milliseconds": 100,
        "no_signals_timeout_milliseconds": 20,
        "poll_timeout_milliseconds": 10,
        "reference_timeout_milliseconds": 60,
    }
    return Environment(**{**timeouts, **settings}, seed=1, variables={})
