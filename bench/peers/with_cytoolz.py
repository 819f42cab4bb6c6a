"""The tasks by cytoolz, compiled functions on iterators; map, filter and reduce are those of Python there, too."""

from collections.abc import Callable, Iterable
from typing import Any

import cytoolz

from bench.peers.by_hand import last
from bench.peers.tasks import CHUNK, MAPS, add, difference, four_times, increment, inputs, is_odd, key_of, remainder

PACKAGE = "cytoolz"
AHEAD = "asks for one element after the other"


def map_filter_reduce(n: int) -> Any:
    return cytoolz.reduce(add, cytoolz.filter(is_odd, cytoolz.map(increment, range(n))))


def ten_maps(n: int) -> Any:
    return last(cytoolz.map(cytoolz.compose(*[increment] * MAPS), range(n)))


def flat_map_tuples(n: int) -> Any:
    return last(cytoolz.mapcat(four_times, range(n // 4)))


def buffer_sum(n: int) -> Any:
    return sum(map(len, cytoolz.partition_all(CHUNK, range(n))))


def keyed_count(n: int) -> Any:
    return cytoolz.countby(key_of, range(n))


def keyed_reduce(n: int) -> Any:
    return cytoolz.reduceby(key_of, add, range(n), 0)


def merge_four(n: int) -> Any:
    return last(cytoolz.interleave(inputs(n)))


def concat_four(n: int) -> Any:
    return last(cytoolz.concat(inputs(n)))


def distinct(n: int) -> Any:
    return last(cytoolz.unique(map(remainder, range(n))))


def pairs(n: int) -> Any:
    return last(cytoolz.map(difference, cytoolz.sliding_window(2, range(n))))


def run_ahead(elements: Iterable[bytes], consume: Callable[[bytes], None]) -> None:
    last(cytoolz.map(consume, elements))
