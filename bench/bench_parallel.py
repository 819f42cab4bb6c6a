"""How much faster are two rails than one thread, on work in Python?

The baseline is the same stream without rails. Where there is a GIL the rails take turns, and the figure says what they
cost; without one two of them should take at most the 1.7th part of the time.
"""

import atexit
from collections.abc import Callable
from functools import cache

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams import Stream
from reactivestreams.schedulers import WorkerPool

ELEMENTS = 2_000
RAILS = 2


@cache
def pool() -> WorkerPool:
    """Return the pool of all cases, which is disposed before the interpreter ends."""
    workers = WorkerPool(workers=RAILS, name="bench-parallel")
    atexit.register(workers.dispose)
    return workers


def remainder(number: int) -> int:
    """Do some hundred microseconds of work, without an object that two threads share."""
    total = number
    for each in range(2_000):
        total = (total * 31 + each) % 65_521
    return total


def by_rails() -> None:
    """Compute in two rails, results as they come."""
    Stream.range(ELEMENTS).parallel(RAILS).run_on(pool()).map(remainder).sequential().run()


def by_rails_in_order() -> None:
    """Compute in two rails, results in order."""
    Stream.range(ELEMENTS).parallel(RAILS).run_on(pool()).map(remainder).sequential(ordered=True).run()


def by_one_thread() -> None:
    """Compute where the stream runs."""
    Stream.range(ELEMENTS).map(remainder).run()


CASES: dict[str, Callable[[], None]] = {
    "rails": by_rails,
    "rails in order": by_rails_in_order,
    "one thread": by_one_thread,
}


@pytest.mark.parametrize("name", CASES)
def bench_parallel(benchmark: BenchmarkFixture, name: str) -> None:
    """What does an element cost?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(CASES[name])
