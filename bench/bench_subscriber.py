"""What does an element cost at a subscriber written in Python? The baseline is a for loop that calls the method."""

from collections import deque
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams import Stream

ELEMENTS = 100_000
UNBOUNDED = 2**63 - 1


class Silent:
    """Wants everything and does nothing with it."""

    def on_subscribe(self, subscription: Any) -> None:
        subscription.request(UNBOUNDED)

    def on_next(self, element: int) -> None:
        pass

    def on_error(self, error: Exception) -> None:
        raise error

    def on_complete(self) -> None:
        pass


def for_loop(elements: int = ELEMENTS) -> None:
    subscriber = Silent()
    for element in range(elements):
        subscriber.on_next(element)


def builtin_map(elements: int = ELEMENTS) -> None:
    """The floor: a loop in C that calls the same method and does nothing else."""
    deque(map(Silent().on_next, range(elements)), maxlen=0)


def subscribe(stream: Stream[int]) -> None:
    stream.subscribe(Silent())


def for_each(stream: Stream[int]) -> None:
    stream.for_each(Silent().on_next)


def bench_subscriber__for_loop(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does a loop cost that calls `subscriber.on_next(element)`?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(for_loop)


def bench_subscriber__builtin_map(benchmark: BenchmarkFixture) -> None:
    """What must it cost at least to call the method from C?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(builtin_map)


def bench_subscriber__empty_on_next(benchmark: BenchmarkFixture) -> None:
    """What does the stream cost that calls it, with all the rules kept?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(subscribe, Stream.range(ELEMENTS))


def bench_subscriber__for_each(benchmark: BenchmarkFixture) -> None:
    """What does the same method cost as the function of for_each?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(for_each, Stream.range(ELEMENTS))
