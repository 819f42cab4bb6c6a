"""What does an element cost in a for loop over a stream? The baseline is a for loop over a generator."""

from collections.abc import Iterator

from pytest_benchmark.fixture import BenchmarkFixture

from bench.bench_fused_chain import increment
from reactivestreams import Stream

ELEMENTS = 20_000


def generated(elements: int) -> Iterator[int]:
    for element in range(elements):
        yield increment(element)


def loop_over_generator(elements: int = ELEMENTS) -> None:
    for _ in generated(elements):
        pass


def loop_over_stream(elements: int = ELEMENTS, prefetch: int | None = None) -> None:
    for _ in Stream.range(elements).map(increment).iterate(prefetch=prefetch):
        pass


def bench_blocking_iteration__generator(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does an element cost that a generator makes with one call?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(loop_over_generator)


def bench_blocking_iteration__one_by_one(benchmark: BenchmarkFixture) -> None:
    """What does it cost from a stream that makes it with the same call, when it is asked for?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(loop_over_stream)


def bench_blocking_iteration__prefetch_128(benchmark: BenchmarkFixture) -> None:
    """What does it save to have elements made ahead?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(loop_over_stream, ELEMENTS, 128)
