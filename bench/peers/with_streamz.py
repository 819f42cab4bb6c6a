"""The tasks by streamz, into which elements are pushed."""

from collections.abc import Callable, Iterable
from typing import Any

from streamz import Stream

from bench.peers.tasks import (
    CHUNK,
    MAPS,
    WIDTH,
    Latest,
    add,
    difference,
    four_times,
    increment,
    inputs,
    is_odd,
    key_of,
    remainder,
)

PACKAGE = "streamz"
AHEAD = "the producer runs the consumer"
SLOWNESS = 20


def last(source: Any, made: Any, elements: Iterable[Any]) -> Any:
    latest = Latest()
    made.sink(latest)
    for element in elements:
        source.emit(element)
    return latest.element


def map_filter_reduce(n: int) -> Any:
    source = Stream()
    return last(source, source.map(increment).filter(is_odd).accumulate(add), range(n))


def ten_maps(n: int) -> Any:
    source = made = Stream()
    for _ in range(MAPS):
        made = made.map(increment)
    return last(source, made, range(n))


def flat_map_tuples(n: int) -> Any:
    source = Stream()
    return last(source, source.map(four_times).flatten(), range(n // 4))


def buffer_sum(n: int) -> Any:
    source = Stream()
    return last(source, source.partition(CHUNK).map(len).accumulate(add), range(n))


def keyed_count(n: int) -> Any:
    source = Stream()
    return last(source, source.map(key_of).frequencies(), range(n))


def zip_two(n: int) -> Any:
    one, other = Stream(), Stream()
    latest = Latest()
    one.zip(other).sink(latest)
    for number in range(n):
        one.emit(number)
        other.emit(number)
    return latest.element


def merge_four(n: int) -> Any:
    sources, latest = [Stream() for _ in range(WIDTH)], Latest()
    sources[0].union(*sources[1:]).sink(latest)
    for numbers in zip(*inputs(n), strict=True):
        for source, number in zip(sources, numbers, strict=True):
            source.emit(number)
    return latest.element


def distinct(n: int) -> Any:
    source = Stream()
    return last(source, source.map(remainder).unique(), range(n))


def pairs(n: int) -> Any:
    source = Stream()
    return last(source, source.sliding_window(2, return_partial=False).map(difference), range(n))


def run_ahead(elements: Iterable[bytes], consume: Callable[[bytes], None]) -> None:
    source = Stream()
    source.map(lambda element: element).sink(consume)
    for element in elements:
        source.emit(element)
