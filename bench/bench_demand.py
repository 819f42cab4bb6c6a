"""What does a request cost? The baseline is what a publisher written in Python would do: an int behind a lock."""

import threading
from types import SimpleNamespace

from pytest_benchmark.fixture import BenchmarkFixture

from rs_core.demand import Demand

REQUESTS = 100_000
UNBOUNDED = 2**63 - 1


class LockedDemand:
    """The baseline: saturates like `Demand`, under a lock."""

    def __init__(self) -> None:
        self.value = 0
        self.lock = threading.Lock()

    def add(self, n: int) -> bool:
        with self.lock:
            before = self.value
            added = before + n
            self.value = added if added < UNBOUNDED else UNBOUNDED  # noqa: FURB136 - min() costs a call
        return before == 0


def request_one_by_one(demand: Demand | LockedDemand, requests: int = REQUESTS) -> None:
    add = demand.add
    for _ in range(requests):
        add(1)


def request_and_take(demand: Demand, requests: int = REQUESTS) -> None:
    add, take = demand.add, demand.take
    for _ in range(requests):
        add(1)
        take(1)


def only_loop(requests: int = REQUESTS) -> None:
    for _ in range(requests):
        pass


def bench_demand__lock_and_int(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does request(1) cost with a lock and an int?"""
    benchmark.extra_info["operations"] = REQUESTS
    benchmark(request_one_by_one, LockedDemand())


def bench_demand__empty_loop(benchmark: BenchmarkFixture) -> None:
    """What of the other figures is the loop of the benchmark itself?"""
    benchmark.extra_info["operations"] = REQUESTS
    benchmark(only_loop)


def bench_demand__request_from_python(benchmark: BenchmarkFixture) -> None:
    """What does request(1) cost when it is called from Python?"""
    benchmark.extra_info["operations"] = REQUESTS
    benchmark(request_one_by_one, Demand())


def bench_demand__request_and_take_from_python(benchmark: BenchmarkFixture) -> None:
    """What does the way of one element cost: requested, then taken for delivery?"""
    benchmark.extra_info["operations"] = REQUESTS
    benchmark(request_and_take, Demand())


def bench_demand__request_in_c(benchmark: BenchmarkFixture, native: SimpleNamespace) -> None:
    """What does the saturating compare-and-swap cost without Python?"""
    benchmark.extra_info["operations"] = REQUESTS
    demand = native.NumberDemand()
    benchmark(demand.add, REQUESTS, 1)
