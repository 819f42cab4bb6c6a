"""What does an element cost in a chain of operators? The baseline is the same chain of built-in iterators."""

import operator
from collections import deque
from collections.abc import Iterable
from itertools import islice, pairwise

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams import Stream

ELEMENTS = 100_000
"""So many that the set-up of a stream, which bench_set_up.py measures, adds next to nothing to an element."""

SIZES = [1_000, 100_000]
MAPS = 10
KEYS = 16


def increment(number: int) -> int:
    return number + 1


def is_odd(number: int) -> int:
    return number & 1


def map_filter(elements: int = ELEMENTS) -> Stream[int]:
    """A function and a predicate written in Python."""
    return Stream.range(elements).map(increment).filter(is_odd)


def map_filter_builtins(elements: int = ELEMENTS) -> None:
    deque(filter(is_odd, map(increment, range(elements))), maxlen=0)


def maps(elements: int = ELEMENTS, depth: int = MAPS) -> Stream[int]:
    """As many functions written in Python, one behind the other."""
    chain = Stream.range(elements)
    for _ in range(depth):
        chain = chain.map(increment)
    return chain


def maps_builtins(elements: int = ELEMENTS, depth: int = MAPS) -> None:
    chain: Iterable[int] = range(elements)
    for _ in range(depth):
        chain = map(increment, chain)
    deque(chain, maxlen=0)


def compiled_callables(elements: int = ELEMENTS) -> Stream[int]:
    """Functions written in C, so that hardly anything but the chain itself is measured."""
    return Stream.range(elements).map(operator.neg).filter(operator.truth)


def compiled_callables_builtins(elements: int = ELEMENTS) -> None:
    deque(filter(operator.truth, map(operator.neg, range(elements))), maxlen=0)


def difference(pair: tuple[int, int]) -> int:
    return pair[1] - pair[0]


def buffer_sum(elements: int = ELEMENTS) -> int:
    """Lists of neighbors, and how many elements are in them."""
    return Stream.range(elements).buffer(100).map(len).sum()


def buffer_sum_builtins(elements: int = ELEMENTS) -> int:
    numbers, total = iter(range(elements)), 0
    while chunk := list(islice(numbers, 100)):
        total += len(chunk)
    return total


def pairs(elements: int = ELEMENTS) -> Stream[int]:
    """Tuples of neighbors, and a function of them written in Python."""
    return Stream.range(elements).pairwise().map(difference)


def pairs_builtins(elements: int = ELEMENTS) -> None:
    deque(map(difference, pairwise(range(elements))), maxlen=0)


def key_of(number: int) -> int:
    return number % KEYS


def add(total: int, number: int) -> int:
    return total + number


def keyed_scan(elements: int = ELEMENTS) -> Stream[int]:
    """A running total of each key, with functions written in Python."""
    return Stream.range(elements).key_by(key_of).scan(add, 0)


def keyed_reduce(elements: int = ELEMENTS) -> Stream[tuple[int, int]]:
    """The total of each key at the end."""
    return Stream.range(elements).key_by(key_of).reduce(add, 0)


def keyed_loop(elements: int = ELEMENTS) -> dict[int, int]:
    totals: dict[int, int] = {}
    for number in range(elements):
        key = key_of(number)
        totals[key] = add(totals.get(key, 0), number)
    return totals


def keyed_count(elements: int = ELEMENTS) -> Stream[tuple[int, int]]:
    """How many elements each key has."""
    return Stream.range(elements).key_by(key_of).count()


def keyed_count_loop(elements: int = ELEMENTS) -> dict[int, int]:
    counts: dict[int, int] = {}
    for number in range(elements):
        key = key_of(number)
        counts[key] = counts.get(key, 0) + 1
    return counts


@pytest.mark.parametrize("elements", SIZES)
def bench_fused_chain__map_filter_builtins(benchmark: BenchmarkFixture, elements: int) -> None:
    """The baseline: what do map and filter of the language cost?"""
    benchmark.extra_info["operations"] = elements
    benchmark(map_filter_builtins, elements)


@pytest.mark.parametrize("elements", SIZES)
def bench_fused_chain__map_filter(benchmark: BenchmarkFixture, elements: int) -> None:
    """What do they cost as operators, with demand without limit?"""
    benchmark.extra_info["operations"] = elements
    benchmark(map_filter(elements).run)


@pytest.mark.parametrize("elements", SIZES)
@pytest.mark.parametrize("prefetch", [1, 128])
def bench_fused_chain__map_filter_bounded(benchmark: BenchmarkFixture, prefetch: int, elements: int) -> None:
    """What does demand in portions of this size add?"""
    benchmark.extra_info["operations"] = elements
    benchmark(lambda: map_filter(elements).run(prefetch=prefetch))


@pytest.mark.parametrize("depth", [1, 10, 100])
def bench_fused_chain__maps_builtins(benchmark: BenchmarkFixture, depth: int) -> None:
    """The baseline: what does a deep chain of the language's map cost?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(maps_builtins, ELEMENTS, depth)


@pytest.mark.parametrize("depth", [1, 10, 100])
def bench_fused_chain__maps(benchmark: BenchmarkFixture, depth: int) -> None:
    """Does the cost of an operator stay the same in a deep chain?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(maps(ELEMENTS, depth).run)


def bench_fused_chain__compiled_callables_builtins(benchmark: BenchmarkFixture) -> None:
    """The baseline: what do the built-in iterators cost where the functions cost next to nothing?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(compiled_callables_builtins)


def bench_fused_chain__compiled_callables(benchmark: BenchmarkFixture) -> None:
    """What do the operators cost there?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(compiled_callables().run)


def bench_fused_chain__buffer_sum_builtins(benchmark: BenchmarkFixture) -> None:
    """The baseline: what do lists of neighbors cost by islice?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(buffer_sum_builtins)


def bench_fused_chain__buffer_sum(benchmark: BenchmarkFixture) -> None:
    """What do they cost by buffer?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(buffer_sum)


def bench_fused_chain__pairs_builtins(benchmark: BenchmarkFixture) -> None:
    """The baseline: what do pairs of neighbors cost by itertools, which makes one tuple again and again?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(pairs_builtins)


def bench_fused_chain__pairs(benchmark: BenchmarkFixture) -> None:
    """What do they cost by the operator?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(pairs().run)


def bench_fused_chain__keyed_loop(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does a fold of each key cost by a loop over a dict?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(keyed_loop)


def bench_fused_chain__keyed_scan(benchmark: BenchmarkFixture) -> None:
    """What does it cost by scan of each key?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(keyed_scan().run)


def bench_fused_chain__keyed_reduce(benchmark: BenchmarkFixture) -> None:
    """What does it cost by reduce of each key?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(keyed_reduce().run)


def bench_fused_chain__keyed_count_loop(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does a count of each key cost by a loop over a dict?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(keyed_count_loop)


def bench_fused_chain__keyed_count(benchmark: BenchmarkFixture) -> None:
    """What does it cost by count of each key?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(keyed_count().run)
