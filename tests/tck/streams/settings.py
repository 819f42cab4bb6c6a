"""Settings with which our own components are judged."""

from reactivestreams.tck import Environment

SETTINGS = Environment(default_timeout_milliseconds=1_000, no_signals_timeout_milliseconds=50)

ALL_AT_ONCE = 200
"""Nearly all of the time is waiting, and each subject has threads of its own."""
