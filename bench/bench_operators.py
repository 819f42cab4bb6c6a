"""What does an element cost in an operator? Each baseline does the same with itertools, or by a loop or a generator."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import TypeVar

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.bench_fused_chain import ELEMENTS, increment, is_odd
from reactivestreams import Stream
from reactivestreams.metrics import MemoryMetrics

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)

PARTS = 4
"""Into how many elements flat_map makes one, and how many inputs are joined."""

FOUR = Stream.just(1, 2, 3, 4)


def add(total: int, number: int) -> int:
    return total + number


def halve(number: int) -> int:
    return number // 2


def is_natural(number: int) -> bool:
    return number >= 0


def tuple_of_four(number: int) -> tuple[int, ...]:
    return (number, number, number, number)


def list_of_four(number: int) -> list[int]:
    return [number, number, number, number]


def given_stream(_number: int) -> Stream[int]:
    return FOUR


def new_stream(number: int) -> Stream[int]:
    return Stream.just(number, number, number, number)


def resumed(elements: Iterable[T]) -> Iterator[T]:
    """Pass on elements; an error ends them."""
    try:
        for element in elements:  # noqa: UP028, `yield from` takes longer
            yield element
    except Exception:
        return


def retried(make: Callable[[], Iterable[T]], times: int) -> Iterator[T]:
    """Pass on elements; after an error make them anew, so many times."""
    for attempt in range(times + 1):
        try:
            for element in make():  # noqa: UP028, as above
                yield element
        except Exception:
            if attempt == times:
                raise
        else:
            return


def unique(elements: Iterable[H]) -> Iterator[H]:
    """Pass on elements that have not come before."""
    seen: set[H] = set()
    for element in elements:
        if element not in seen:
            seen.add(element)
            yield element


def ten_calls(number: int) -> int:
    return increment(increment(increment(increment(increment(
        increment(increment(increment(increment(increment(number)))))
    )))))  # fmt: skip


def ten_calls_in_a_loop() -> None:
    for number in range(ELEMENTS):
        increment(increment(increment(increment(increment(
            increment(increment(increment(increment(increment(number)))))
        )))))  # fmt: skip


def folded_in_a_loop() -> int:
    total = 0
    for number in range(ELEMENTS):
        mapped = increment(number)
        if is_odd(mapped):
            total = add(total, mapped)
    return total


def exhaust(make: Callable[[], Iterable[object]]) -> Callable[[], object]:
    """Return a function that makes an iterable and takes all its elements."""
    return lambda: deque(make(), maxlen=0)


def parts() -> list[range]:
    """The numbers, a part for each input."""
    size = ELEMENTS // PARTS
    return [range(first, first + size) for first in range(0, ELEMENTS, size)]


def incremented() -> Iterable[int]:
    return map(increment, range(ELEMENTS))


@dataclass(frozen=True, slots=True)
class Task:
    """The same done by a stream and without one."""

    name: str
    run: Callable[[], object]
    baseline_name: str
    baseline: Callable[[], object]
    operations: int = ELEMENTS


def tasks() -> dict[str, Task]:
    """Return every task, under the name of its operator."""
    numbers = Stream.range(ELEMENTS)
    mapped = numbers.map(increment)
    inputs = [Stream.range(part.start, part.stop) for part in parts()]
    ten = numbers
    for _ in range(10):
        ten = ten.map(increment)

    def flattened(name: str, make: Callable[[int], Iterable[int] | Stream[int]]) -> Task:
        """Beside the chain of tuples where there is no built-in that reads what the function returns."""
        readable = make if make is list_of_four else tuple_of_four
        return Task(
            f"flat_map 1 -> {PARTS}, {name}",
            numbers.flat_map(make).run,
            f"chain.from_iterable(map(f, it)), {'lists' if readable is list_of_four else 'tuples'}",
            exhaust(lambda: chain.from_iterable(map(readable, range(ELEMENTS)))),
            ELEMENTS * PARTS,
        )

    return {
        "reduce": Task(
            "map, filter, reduce as terminal operation",
            lambda: numbers.map(increment).filter(is_odd).reduce(add, 0),
            "for loop that calls the same three",
            folded_in_a_loop,
        ),
        "map": Task(
            "10 map",
            ten.run,
            "map(f, it), ten calls written out in f",
            exhaust(lambda: map(ten_calls, range(ELEMENTS))),
        ),
        "map_in_a_loop": Task("10 map", ten.run, "for loop, ten calls written out", ten_calls_in_a_loop),
        "flat_map_tuples": flattened("tuples", tuple_of_four),
        "flat_map_lists": flattened("lists", list_of_four),
        "flat_map_given_stream": flattened("one Stream.just for all", given_stream),
        "flat_map_new_streams": flattened("a new Stream.just for each", new_stream),
        "zip": Task(
            "zip of two ranges",
            Stream.zip(numbers, numbers).run,
            "zip(range, range)",
            exhaust(lambda: zip(range(ELEMENTS), range(ELEMENTS), strict=False)),
        ),
        "merge": Task(
            f"merge of {PARTS} ranges",
            Stream.merge(*inputs).run,
            "chain of as many ranges",
            exhaust(lambda: chain(*parts())),
        ),
        "concat": Task(
            f"concat of {PARTS} ranges",
            Stream.concat(*inputs).run,
            "chain of as many ranges",
            exhaust(lambda: chain(*parts())),
        ),
        "on_error_resume": Task(
            "map, on_error_resume",
            mapped.on_error_resume(Stream.empty()).run,
            "generator with try",
            exhaust(lambda: resumed(incremented())),
        ),
        "retry": Task(
            "map, retry(3)",
            mapped.retry(3).run,
            "generator with try in a loop",
            exhaust(lambda: retried(incremented, 3)),
        ),
        "tap": Task(
            "map, tap",
            mapped.tap(MemoryMetrics(max_runs=1), name="numbers").run,
            "the same stream without tap",
            mapped.run,
        ),
        "take_while": Task(
            "map, take_while",
            mapped.take_while(is_natural).run,
            "takewhile(p, map(f, it))",
            exhaust(lambda: takewhile(is_natural, incremented())),
        ),
        "distinct": Task(
            "map, distinct",
            numbers.map(halve).distinct().run,
            "generator with a set",
            exhaust(lambda: unique(map(halve, range(ELEMENTS)))),
        ),
    }


@pytest.mark.parametrize("name", tasks())
def bench_operators__baseline(benchmark: BenchmarkFixture, name: str) -> None:
    """The baseline: what does an element of each task cost without a stream?"""
    task = tasks()[name]
    benchmark.extra_info["operations"] = task.operations
    benchmark(task.baseline)


@pytest.mark.parametrize("name", tasks())
def bench_operators__stream(benchmark: BenchmarkFixture, name: str) -> None:
    """What does it cost by operators?"""
    task = tasks()[name]
    benchmark.extra_info["operations"] = task.operations
    benchmark(task.run)
