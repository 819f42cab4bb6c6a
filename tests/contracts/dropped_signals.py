"""What was handed to the hook for signals that cannot be delivered."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reactivestreams.dropped import set_hook


@contextmanager
def recorded_drops() -> Iterator[list[tuple[str, Any, str]]]:
    """Collect dropped signals as (signal, value, origin) while the block runs."""
    drops: list[tuple[str, Any, str]] = []
    previous = set_hook(lambda signal, value, /, *, origin: drops.append((signal, value, origin)))
    try:
        yield drops
    finally:
        set_hook(previous)
