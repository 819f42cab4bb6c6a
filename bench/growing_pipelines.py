"""Pipelines of several sizes, whose cost has to grow no faster than their size."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reactivestreams import Stream, pipeline

SIZES = (250, 500, 1_000, 2_000)
KEYS = (50, 100, 200, 400)
INPUTS = (8, 16, 32, 64)
"""The sizes in elements, in keys, and in inputs or operators."""

FIRST = 1_000
"""The least element and key: the interpreter has made smaller numbers in advance, which would cost less."""

FEW = 50
"""How many elements pass where something else than their number grows."""

OF_EACH_KEY = 4


@dataclass(frozen=True, slots=True)
class Growing:
    """A pipeline: what grows in it, and what runs it at a size."""

    name: str
    what: str
    run: Callable[[int], object]
    sizes: Sequence[int]

    def name_of(self, size: int) -> str:
        return f"{self.name}, {size} {self.what}"


def increment(number: int) -> int:
    return number + 1


def is_odd(number: int) -> int:
    return number & 1


def add(total: int, number: int) -> int:
    return total + number


def pair(number: int) -> tuple[int, int]:
    return (number, number)


def single(number: int) -> Stream[int]:
    return Stream.just(number)


Chain = Callable[[Stream[int]], Any]

OF_ELEMENTS: dict[str, Chain] = {
    "map, filter": lambda s: s.map(increment).filter(is_odd),
    "scan": lambda s: s.scan(add, 0),
    "reduce": lambda s: s.reduce(add, 0),
    "to_list": lambda s: s.to_list(),
    "to_dict": lambda s: s.to_dict(increment),
    "buffer": lambda s: s.buffer(10),
    "buffer, overlapping": lambda s: s.buffer(10, 5),
    "sliding": lambda s: s.sliding(10),
    "pairwise": lambda s: s.pairwise(),
    "distinct": lambda s: s.distinct(),
    "take_last": lambda s: s.take_last(100),
    "skip_last": lambda s: s.skip_last(100),
    "cycle": lambda s: s.cycle(2),
    "flat_map of tuples": lambda s: s.flat_map(pair),
    "flat_map of streams": lambda s: s.flat_map(single),
    "concat_map": lambda s: s.concat_map(single),
    "flat_map_ordered": lambda s: s.flat_map_ordered(single),
    "switch_map": lambda s: s.switch_map(single),
    "zip_with": lambda s: s.zip_with(s),
    "merge_with": lambda s: s.merge_with(s),
    "concat_with": lambda s: s.concat_with(s),
    "merge_sorted": lambda s: s.merge_sorted(s),
    "retry": lambda s: s.retry(2),
    "on_error_resume": lambda s: s.on_error_resume(s),
    "materialize": lambda s: s.materialize(),
    "do": lambda s: s.do(increment),
    "key_by().scan, 16 keys": lambda s: s.key_by(lambda number: number % 16).scan(add, 0),
}
"""What is done with so many elements."""

OF_KEYS: dict[str, Callable[[Stream[int], Callable[[int], int]], Any]] = {
    "key_by().scan": lambda s, key: s.key_by(key).scan(add, 0),
    "key_by().reduce": lambda s, key: s.key_by(key).reduce(add, 0),
    "key_by().count": lambda s, key: s.key_by(key).count(),
    "key_by().distinct": lambda s, key: s.key_by(key).distinct(increment),
    "key_by().buffer": lambda s, key: s.key_by(key).buffer(2),
    "key_by().take": lambda s, key: s.key_by(key).take(2),
    "key_by().through": lambda s, key: s.key_by(key).through(pipeline().map(increment)),
    "distinct": lambda s, key: s.distinct(key),
    "to_lookup": lambda s, key: s.to_lookup(key),
}
"""What is done for so many keys, with some elements of each."""

OF_INPUTS: dict[str, Callable[..., Stream[Any]]] = {
    "Stream.merge": Stream.merge,
    "Stream.concat": Stream.concat,
    "Stream.zip": Stream.zip,
    "Stream.amb": Stream.amb,
    "Stream.when_all": Stream.when_all,
}
"""What is done with so many inputs."""


def finish(made: Any) -> None:
    if isinstance(made, Stream):
        made.run()


def growing_pipelines() -> list[Growing]:
    """Return all of them."""
    return [
        *(_of_elements(name, chain) for name, chain in OF_ELEMENTS.items()),
        *(_of_keys(name, chain) for name, chain in OF_KEYS.items()),
        *(_of_inputs(name, combined) for name, combined in OF_INPUTS.items()),
        Growing("map", "operators", _maps, INPUTS),
        Growing("concat_with", "operators", _concatenated, INPUTS),
        Growing("describe map", "operators", _described, INPUTS),
    ]


def _of_elements(name: str, chain: Chain) -> Growing:
    return Growing(name, "elements", lambda size: finish(chain(Stream.range(FIRST, FIRST + size))), SIZES)


def _of_keys(name: str, chain: Callable[[Stream[int], Callable[[int], int]], Any]) -> Growing:
    def run(size: int) -> None:
        finish(chain(Stream.range(size * OF_EACH_KEY), lambda number: FIRST + number % size))

    return Growing(name, "keys", run, KEYS)


def _of_inputs(name: str, combined: Callable[..., Stream[Any]]) -> Growing:
    return Growing(name, "inputs", lambda size: combined(*[Stream.range(FEW)] * size).run(), INPUTS)


def _maps(size: int) -> None:
    _described(size).run()


def _described(size: int) -> Stream[int]:
    stream = Stream.range(FEW)
    for _ in range(size):
        stream = stream.map(increment)
    return stream


def _concatenated(size: int) -> None:
    stream = Stream.range(FEW)
    for _ in range(size):
        stream = stream.concat_with(Stream.just(1))
    stream.run()
