"""What does a stream cost before its first element? The baseline is to build and use the same chain of built-ins."""

from collections import deque
from itertools import islice

from pytest_benchmark.fixture import BenchmarkFixture

from bench.bench_fused_chain import increment, is_odd
from reactivestreams import Stream
from reactivestreams.operators import Filter, Map, Take
from reactivestreams.sources import Range
from rs_core.stream.description import new_head

STREAMS = 500


def described() -> Stream[int]:
    """A source of one element and three operators."""
    return Stream.range(1).map(increment).filter(is_odd).take(1)


def describe(streams: int = STREAMS) -> None:
    for _ in range(streams):
        Stream.range(1).map(increment).filter(is_odd).take(1)


def only_nodes(streams: int = STREAMS) -> None:
    """The floor: the same four nodes and the lines where they were made, without methods and checks."""
    values, function, predicate, count = (range(1),), (increment,), (is_odd,), (1,)
    for _ in range(streams):
        new_head(Stream, Range, values)._then(Map, function)._then(Filter, predicate)._then(Take, count)


def bind_to_complete(stream: Stream[int], streams: int = STREAMS) -> None:
    run = stream.run
    for _ in range(streams):
        run()


def builtins(streams: int = STREAMS) -> None:
    for _ in range(streams):
        deque(islice(filter(is_odd, map(increment, range(1))), 1), maxlen=0)


def bench_set_up__builtins(benchmark: BenchmarkFixture) -> None:
    """The baseline: what do the built-ins cost from their making to the end of one element?"""
    benchmark.extra_info["operations"] = STREAMS
    benchmark(builtins)


def bench_set_up__only_nodes(benchmark: BenchmarkFixture) -> None:
    """What of it is the nodes themselves?"""
    benchmark.extra_info["operations"] = STREAMS
    benchmark(only_nodes)


def bench_set_up__describe(benchmark: BenchmarkFixture) -> None:
    """What does it cost to describe a source and three operators, with the lines where that was done?"""
    benchmark.extra_info["operations"] = STREAMS
    benchmark(describe)


def bench_set_up__bind_to_complete(benchmark: BenchmarkFixture) -> None:
    """What does it cost to run that description: build its stages, start, send one element, complete, tear down?"""
    benchmark.extra_info["operations"] = STREAMS
    benchmark(bind_to_complete, described())
