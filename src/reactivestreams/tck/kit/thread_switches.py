"""Lets the interpreter switch threads as often as possible, while a check looks for races."""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager

__all__ = ["SHORTEST_SWITCH_SECONDS", "frequent_switches"]

SHORTEST_SWITCH_SECONDS = 1e-5
"""The maximum time that a thread runs before another one may run."""

_lock = threading.Lock()
_users = 0
_interval_before = 0.0


@contextmanager
def frequent_switches() -> Generator[None]:
    """Switch threads often until the last user has left, then restore the interval from before the first.

    The interval is that of the process: checks that run at the same time share it. A value that other code has set
        meanwhile stays.

    Threads: any.
    """
    global _users, _interval_before  # noqa: PLW0603 - the interval is global, too
    with _lock:
        if _users == 0:
            _interval_before = sys.getswitchinterval()
            sys.setswitchinterval(SHORTEST_SWITCH_SECONDS)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and sys.getswitchinterval() <= 2 * SHORTEST_SWITCH_SECONDS:
                sys.setswitchinterval(_interval_before)
