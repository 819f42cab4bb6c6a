"""Runs calls in threads of their own that start together."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run_together(*calls: Callable[[], Any]) -> list[Any]:
    """Return what the calls return, in their order."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


LEAST_CONTENDED_SHARE = 0.1


def report_contention(subject: str, *, contended: int, operations: int, is_small: bool) -> None:
    """Print which share of the operations was contended: found the ring full or empty, or evicted.

    A ring of one place is full or empty all the time, and must have been contended in a tenth of them; how often larger
    ones are is up to how the threads get their slices.
    """
    print(f"{subject}: {contended / operations:.0%} of {operations} operations contended")
    assert not is_small or contended >= LEAST_CONTENDED_SHARE * operations, f"{subject} was hardly contended"
