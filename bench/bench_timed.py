"""What does an operator cost that waits, while nothing it waits for happens; and what does a timer?

An operator is compared with the same stream without it. A timer is scheduled and cancelled where a million others wait,
beside `call_later` of an event loop of asyncio, which leaves what was cancelled in its heap until it is due.
"""

import asyncio
import atexit
import random
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.bench_fused_chain import increment
from reactivestreams import Stream
from reactivestreams.schedulers import LogicalScheduler, WorkerPool

ELEMENTS = 100_000
WAITING = 1_000_000
TIMERS = 50_000
HOUR_SECONDS = 3_600

OPERATORS: dict[str, Callable[[Stream[int]], Stream[Any]]] = {
    "timeout(an hour)": lambda stream: stream.timeout(HOUR_SECONDS),
    "delay_until(in the past)": lambda stream: stream.delay_until(lambda number: ()),
    "throttle_first(an hour)": lambda stream: stream.throttle_first(HOUR_SECONDS),
    "throttle_latest(an hour)": lambda stream: stream.throttle_latest(HOUR_SECONDS),
    "sample(0.01)": lambda stream: stream.sample(0.01),
    "debounce(an hour)": lambda stream: stream.debounce(HOUR_SECONDS),
    "buffer_timeout(100, an hour)": lambda stream: stream.buffer_timeout(100, HOUR_SECONDS),
}


def chain() -> Stream[int]:
    """Return the stream below which the operators are put."""
    return Stream.range(ELEMENTS).map(increment)


class Timers:
    """A scheduler in which a million timers wait; adds up how long more of them take to schedule and to cancel."""

    def __init__(self) -> None:
        self.schedule = self.cancel = 0
        rng = random.Random(20130101)
        self._seconds = [1 + rng.random() * HOUR_SECONDS for _ in range(WAITING + TIMERS)]
        self._waiting = [self.scheduled(seconds) for seconds in self._seconds[TIMERS:]]

    def scheduled(self, seconds: float) -> Any:
        """Schedule a timer; return its handle."""
        raise NotImplementedError

    def run(self) -> None:
        """Schedule more timers and cancel them."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of all of them."""
        raise NotImplementedError


class OfScheduler(Timers):
    """Those of a scheduler with a worker."""

    def __init__(self) -> None:
        self._pool = WorkerPool(workers=1, name="timers")
        self._root = LogicalScheduler(self._pool, name="timers", capacity=2 * WAITING)
        super().__init__()
        self._dues = [timedelta(seconds=seconds) for seconds in self._seconds[:TIMERS]]

    def scheduled(self, seconds: float) -> Any:
        """Schedule a timer; return its handle."""
        return self._root.schedule(int, due=timedelta(seconds=seconds))

    def run(self) -> None:
        """Schedule more timers and cancel them."""
        schedule, began = self._root.schedule, time.thread_time_ns()
        handles = [schedule(int, due=due) for due in self._dues]
        between = time.thread_time_ns()
        for handle in handles:
            handle.cancel()
        self.schedule += between - began
        self.cancel += time.thread_time_ns() - between

    def close(self) -> None:
        """Let go of all of them."""
        self._pool.dispose()


class OfLoop(Timers):
    """The baseline: those of an event loop, which does not run."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        super().__init__()

    def scheduled(self, seconds: float) -> Any:
        """Schedule a timer; return its handle."""
        return self._loop.call_later(seconds, int)

    def run(self) -> None:
        """Schedule more timers and cancel them; a loop that ran would forget them only when they are due, or many."""
        call_later, began = self._loop.call_later, time.thread_time_ns()
        handles = [call_later(seconds, int) for seconds in self._seconds[:TIMERS]]
        between = time.thread_time_ns()
        for handle in handles:
            handle.cancel()
        self.schedule += between - began
        self.cancel += time.thread_time_ns() - between

    def close(self) -> None:
        """Let go of all of them."""
        self._loop.close()


@cache
def of_scheduler() -> Timers:
    """Return the timers of all cases."""
    timers = OfScheduler()
    atexit.register(timers.close)
    return timers


@cache
def of_loop() -> Timers:
    """Return the timers of all baselines."""
    timers = OfLoop()
    atexit.register(timers.close)
    return timers


@pytest.mark.parametrize("name", OPERATORS)
def bench_timed__operator(benchmark: BenchmarkFixture, name: str) -> None:
    """What does an element cost with an operator that waits?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(OPERATORS[name](chain()).run)


def bench_timed__chain(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does it cost without?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(chain().run)


@pytest.mark.parametrize("kind", [OfScheduler, OfLoop])
def bench_timed__timers(benchmark: BenchmarkFixture, kind: Callable[[], Timers]) -> None:
    """What does a timer cost, from schedule to cancel?"""
    benchmark.extra_info["operations"] = TIMERS
    timers = kind()
    benchmark(timers.run)
    timers.close()
