"""What does it cost to have elements computed in processes?

The baseline is `ProcessPoolExecutor.map` over the same pool, with chunks of the same size: it hands all elements to the
pool before it takes the first result, where a stream has at most `concurrency` chunks on their way.
"""

import atexit
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams import Stream

ELEMENTS = 100_000
CHUNK = 1_000
PROCESSES = 2


@cache
def processes() -> ProcessPoolExecutor:
    """Return the pool of all cases, which is shut down before the interpreter ends."""
    pool = ProcessPoolExecutor(PROCESSES, mp_context=get_context("spawn"))
    atexit.register(pool.shutdown)
    return pool


def digit_sum(number: int) -> int:
    """Do some microseconds of work."""
    return sum(map(int, str(number)))


def by_stream() -> None:
    """Map in chunks, by a stream."""
    Stream.range(ELEMENTS).map_in_executor(digit_sum, processes(), chunk=CHUNK).run()


def by_pool() -> None:
    """Map in chunks, by the pool itself."""
    for _ in processes().map(digit_sum, range(ELEMENTS), chunksize=CHUNK):
        pass


CASES: dict[str, Callable[[], None]] = {"map_in_executor": by_stream, "pool": by_pool}


@pytest.mark.parametrize("name", CASES)
def bench_executor(benchmark: BenchmarkFixture, name: str) -> None:
    """What does an element cost?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(CASES[name])
