"""Processes that keep the processor busy, so that a machine is slow to whoever measures time on it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["busy_processes"]

_LONGEST_SECONDS = 4 * 3600

_NICENESS = 5
"""They take what others leave, and a third of a share more: the machine is never idle, and work on it gets on."""

# Ends when standard input does, which it does with the process that holds the other end, however that ends.
_SPIN = f"""
import os, sys, threading, time
if hasattr(os, "nice"):
    os.nice({_NICENESS})
ended = []
threading.Thread(target=lambda: (sys.stdin.read(), ended.append(True)), daemon=True).start()
deadline = time.monotonic() + {_LONGEST_SECONDS}
while not ended and time.monotonic() < deadline:
    for _ in range(100_000):
        pass
"""


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Keep so many processes busy; they end with the block, or with this process."""
    processes = [subprocess.Popen([sys.executable, "-c", _SPIN], stdin=subprocess.PIPE) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            if process.stdin is not None:
                process.stdin.close()
        for process in processes:
            process.wait()
