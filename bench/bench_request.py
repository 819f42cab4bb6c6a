"""What does `request(1)` cost a subscriber written in Python? The baseline is an int behind a lock."""

import operator
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture

from bench.bench_demand import LockedDemand, request_one_by_one
from bench.bench_subscriber import Silent
from reactivestreams import Stream

REQUESTS = 20_000


class Holding(Silent):
    """Keeps its subscription and requests nothing."""

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription


class Requesting(Holding):
    """Requests one by one from inside `on_next`, which must not nest (§3.3), then cancels."""

    def __init__(self, requests: int) -> None:
        self.requests = requests

    def on_subscribe(self, subscription: Any) -> None:
        super().on_subscribe(subscription)
        subscription.request(1)

    def on_next(self, element: int) -> None:
        request = self.subscription.request
        for _ in range(self.requests):
            request(1)
        self.subscription.cancel()


def subscription_of_never() -> Any:
    """A subscription whose source has nothing to send, so that nobody is draining when a request comes."""
    subscriber = Holding()
    Stream.never().subscribe(subscriber)
    return subscriber.subscription


def call_compiled(calls: int = REQUESTS) -> None:
    """The floor: a loop that calls a function written in C with one argument."""
    truth = operator.truth
    for _ in range(calls):
        truth(1)


def request_while_idle(subscription: Any, requests: int = REQUESTS) -> None:
    request = subscription.request
    for _ in range(requests):
        request(1)


def request_while_draining(requests: int = REQUESTS) -> None:
    Stream.range(2).subscribe(Requesting(requests))


def bench_request__lock_and_int(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does request(1) cost with a lock and an int, and nobody to serve it?"""
    benchmark.extra_info["operations"] = REQUESTS
    benchmark(request_one_by_one, LockedDemand(), REQUESTS)


def bench_request__compiled_call(benchmark: BenchmarkFixture) -> None:
    """What must it cost at least to call something written in C?"""
    benchmark.extra_info["operations"] = REQUESTS
    benchmark(call_compiled)


def bench_request__while_draining(benchmark: BenchmarkFixture) -> None:
    """What does it cost from inside `on_next`, where it only adds?"""
    benchmark.extra_info["operations"] = REQUESTS
    benchmark(request_while_draining)


def bench_request__while_idle(benchmark: BenchmarkFixture) -> None:
    """What does it cost where the request itself has to drain, with nothing to send?"""
    benchmark.extra_info["operations"] = REQUESTS
    benchmark(request_while_idle, subscription_of_never())
