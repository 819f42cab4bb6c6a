"""The tasks that every library is given, and the functions of the user that all of them call.

A library is a module of this folder, `with_<name>.py`, with a function for each task that it has operators for, named
as the task. It gets the number of operations and returns what came out last.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from bench.rows import Bar

ELEMENTS = 10_000
KEYS = 16
VALUES = 256
CHUNK = 100
WIDTH = 4
"""How many elements flat_map makes of one, and how many inputs are merged and put behind one another."""

WINDOW = 1000
"""How many elements happen in a second, which is the length of a window of event time."""

LATENESS = 5
"""Seconds that such an element may be late; bytewax adds the time that passes meanwhile to its watermark."""

MAPS = 10
TIMES = 3
"""How many times faster than that of reactivex an operator has to be."""


def increment(number: int) -> int:
    return number + 1


def is_odd(number: int) -> int:
    return number & 1


def add(total: int, number: int) -> int:
    return total + number


def four_times(number: int) -> tuple[int, ...]:
    return (number, number, number, number)


def key_of(number: int) -> int:
    return number % KEYS


@cache
def names_of_keys() -> list[str]:
    return [str(number) for number in range(KEYS)]


def named_key_of(number: int) -> str:
    """For libraries whose keys have to be texts."""
    return names_of_keys()[number % KEYS]


def second_of(number: int) -> float:
    return number / WINDOW


def remainder(number: int) -> int:
    return number % VALUES


def is_small(number: int) -> bool:
    return number < 1_000_000_000


def is_large(number: int) -> bool:
    return number >= 1_000_000_000


def difference(pair: Any) -> int:
    return int(pair[1] - pair[0])


class Failing:
    """A function that raises for one number, each time or the first time."""

    def __init__(self, number: int, *, is_once: bool) -> None:
        self.number = number
        self.is_once = is_once
        self.has_failed = False

    def __call__(self, number: int) -> int:
        if number == self.number and not (self.is_once and self.has_failed):
            self.has_failed = True
            raise ValueError(f"there is no {number}")
        return number + 1


class Latest:
    """A consumer that keeps the latest element, for libraries that push."""

    element: Any = None

    def __call__(self, element: Any) -> None:
        self.element = element


def inputs(operations: int) -> list[range]:
    """Return several inputs with so many elements in all."""
    return [range(operations // WIDTH) for _ in range(WIDTH)]


def keys(operations: int) -> Iterator[tuple[int, range]]:
    """Return for each key the elements that have it."""
    return ((key, range(key, operations, KEYS)) for key in range(KEYS))


def windows(operations: int) -> dict[tuple[int, int], int]:
    """Return how many elements each key has in each second."""
    return dict(Counter((key_of(number), number // WINDOW) for number in range(operations)))


@dataclass(frozen=True, slots=True)
class Task:
    """What is done, and how it is judged.

    Attributes:
        name: The name of the functions that do it.
        title: What a table calls it.
        result: Returns what has to come out last of so many operations; None where the order is not determined.
        bar: What it may cost here, against the built-in or hand-written way.
    """

    name: str
    title: str
    result: Callable[[int], Any] | None
    bar: Bar


TASKS = [
    Task("map_filter_reduce", "map, filter, reduce", lambda n: sum(range(1, n + 1, 2)), Bar(1.15, "x")),
    Task("ten_maps", f"{MAPS} maps", lambda n: n - 1 + MAPS, Bar(1.02, "x")),
    Task("flat_map_tuples", f"flat_map to {WIDTH} of a tuple", lambda n: n // WIDTH - 1, Bar(0.85, "x")),
    Task("flat_map_streams", f"flat_map to {WIDTH} of a stream", lambda n: n // WIDTH - 1, Bar(60, "ns")),
    Task("buffer_sum", f"buffer({CHUNK}), len, sum", lambda n: n, Bar(0.75, "x")),
    Task("keyed_count", f"count by {KEYS} keys", lambda n: {k: len(of) for k, of in keys(n)}, Bar(1.15, "x")),
    Task("keyed_scan", f"running sum by {KEYS} keys", lambda n: sum(range(key_of(n - 1), n, KEYS)), Bar(1.15, "x")),
    Task("keyed_reduce", f"sum by {KEYS} keys", lambda n: {k: sum(of) for k, of in keys(n)}, Bar(1.15, "x")),
    Task("keyed_windows", f"count by second and {KEYS} keys", windows, Bar(5, "x")),
    Task("zip_two", "zip of two", lambda n: (n - 1, n - 1), Bar(1.5, "x")),
    Task("merge_four", f"merge of {WIDTH}", None, Bar(25, "ns")),
    Task("concat_four", f"concat of {WIDTH}", lambda n: n // WIDTH - 1, Bar(1.1, "x")),
    Task("resume", "map, on_error_resume, map", lambda n: n // 2, Bar(1.25, "x")),
    Task("retry", "map, retry, map", lambda n: n // 2 + 1, Bar(1.25, "x")),
    Task("take_while", "map, take_while", lambda n: n, Bar(1.25, "x")),
    Task("distinct", f"map to {VALUES} values, distinct", lambda n: min(n, VALUES) - 1, Bar(1.25, "x")),
    Task("pairs", "pairwise, map", lambda _: 1, Bar(1.25, "x")),
]
