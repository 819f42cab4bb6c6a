"""The tasks by built-in iterators and, where there are none, by loops and generators."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, pairwise, takewhile
from queue import SimpleQueue
from typing import TypeVar

from bench.peers.tasks import (
    CHUNK,
    Failing,
    add,
    difference,
    four_times,
    increment,
    inputs,
    is_odd,
    is_small,
    key_of,
    remainder,
    second_of,
)

T = TypeVar("T")


def last(elements: Iterable[T]) -> T:
    return deque(elements, maxlen=1)[0]


def map_filter_reduce(n: int) -> int:
    total = 0
    for number in range(n):
        mapped = increment(number)
        if is_odd(mapped):
            total = add(total, mapped)
    return total


def ten_maps(n: int) -> int:
    f, result = increment, 0
    for number in range(n):
        result = f(f(f(f(f(f(f(f(f(f(number))))))))))
    return result


def flat_map_tuples(n: int) -> int:
    return last(chain.from_iterable(map(four_times, range(n // 4))))


def flat_map_streams(n: int) -> int:
    return last(chain.from_iterable(iter(four_times(number)) for number in range(n // 4)))


def buffer_sum(n: int) -> int:
    numbers, total = iter(range(n)), 0
    while chunk := list(islice(numbers, CHUNK)):
        total += len(chunk)
    return total


def keyed_count(n: int) -> dict[int, int]:
    counts: dict[int, int] = {}
    for number in range(n):
        key = key_of(number)
        counts[key] = counts.get(key, 0) + 1
    return counts


def keyed_scan(n: int) -> int:
    totals: dict[int, int] = {}
    total = 0
    for number in range(n):
        key = key_of(number)
        total = totals[key] = add(totals.get(key, 0), number)
    return total


def keyed_windows(n: int) -> dict[tuple[int, int], int]:
    counts: dict[int, dict[int, int]] = {}
    for number in range(n):
        second, key = int(second_of(number)), key_of(number)
        keys = counts.setdefault(second, {})
        keys[key] = keys.get(key, 0) + 1
    return {(key, second): count for second, keys in counts.items() for key, count in keys.items()}


def keyed_reduce(n: int) -> dict[int, int]:
    totals: dict[int, int] = {}
    for number in range(n):
        key = key_of(number)
        totals[key] = add(totals.get(key, 0), number)
    return totals


def zip_two(n: int) -> tuple[int, int]:
    return last(zip(range(n), range(n), strict=False))


def merge_four(n: int) -> int:
    return last(chain.from_iterable(zip(*inputs(n), strict=True)))


def concat_four(n: int) -> int:
    return last(chain(*inputs(n)))


def resume(n: int) -> int:
    return last(map(increment, _resumed(map(Failing(n // 2, is_once=False), range(n)), range(n // 2))))


def _resumed(source: Iterable[int], other: Iterable[int]) -> Iterator[int]:
    try:
        yield from source
    except ValueError:
        yield from other


def retry(n: int) -> int:
    failing = Failing(n // 2 - 1, is_once=True)
    return last(map(increment, _retried(lambda: map(failing, range(n // 2)))))


def _retried(source: Callable[[], Iterable[int]], times: int = 2) -> Iterator[int]:
    for attempt in range(times):
        try:
            yield from source()
        except ValueError:
            if attempt == times - 1:
                raise
        else:
            return


def take_while(n: int) -> int:
    return last(takewhile(is_small, map(increment, range(n))))


def distinct(n: int) -> int:
    return last(_distinct(map(remainder, range(n))))


def _distinct(elements: Iterable[int]) -> Iterator[int]:
    seen: set[int] = set()
    for element in elements:
        if element not in seen:
            seen.add(element)
            yield element


def pairs(n: int) -> int:
    return last(map(difference, pairwise(range(n))))


AHEAD = "a SimpleQueue between two threads"


def run_ahead(elements: Iterable[bytes], consume: Callable[[bytes], None]) -> None:
    queue = SimpleQueue[bytes | None]()

    def produce() -> None:
        for element in elements:
            queue.put(element)
        queue.put(None)

    producer = threading.Thread(target=produce)
    producer.start()
    while (element := queue.get()) is not None:
        consume(element)
    producer.join()
