"""The tasks by streamable, whose streams are iterators."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from streamable import star, stream

from bench.peers.by_hand import last
from bench.peers.tasks import CHUNK, MAPS, add, four_times, increment, inputs, is_large, is_odd, key_of

PACKAGE = "streamable"
AHEAD = "buffer(128), filled by a thread"


def map_filter_reduce(n: int) -> Any:
    return reduce(add, stream(range(n)).map(increment).filter(is_odd))


def ten_maps(n: int) -> Any:
    made = stream(range(n))
    for _ in range(MAPS):
        made = made.map(increment)
    return last(made)


def flat_map_tuples(n: int) -> Any:
    return last(stream(range(n // 4)).map(four_times).flatten())


def flat_map_streams(n: int) -> Any:
    return last(stream(range(n // 4)).map(lambda x: stream(four_times(x))).flatten())


def buffer_sum(n: int) -> Any:
    return sum(stream(range(n)).group(CHUNK).map(len))


def keyed_count(n: int) -> Any:
    return dict(stream(range(n)).group(by=key_of).map(star(lambda key, elements: (key, len(elements)))))


def keyed_reduce(n: int) -> Any:
    return dict(stream(range(n)).group(by=key_of).map(star(lambda key, elements: (key, reduce(add, elements)))))


def concat_four(n: int) -> Any:
    return last(stream(inputs(n)).flatten())


def take_while(n: int) -> Any:
    return last(stream(range(n)).map(increment).take(until=is_large))


def run_ahead(elements: Iterable[bytes], consume: Callable[[bytes], None]) -> None:
    for element in stream(elements).buffer(128):
        consume(element)
