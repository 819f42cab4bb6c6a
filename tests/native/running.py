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


def report_contention(ring: str, *, capacity: int, contended: int, operations: int) -> None:
    """Print which share of the operations was contended: found the ring full or empty, or evicted.

    With one place a ring is full or empty all the time, and must have been contended in a tenth of them. Threads that
    take turns fill a larger one and empty it, so that its share is as small as it is large.
    """
    subject = f"{ring}, {capacity} place(s)"
    print(f"{subject}: {contended / operations:.0%} of {operations} operations contended")
    assert capacity > 1 or contended >= LEAST_CONTENDED_SHARE * operations, f"{subject}: hardly contended"
