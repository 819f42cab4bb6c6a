"""The tasks by this library."""

from collections.abc import Callable, Iterable
from typing import Any

from bench.peers.tasks import (
    CHUNK,
    LATENESS,
    MAPS,
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
from reactivestreams import Stream, WorkerScheduler

PACKAGE = "reactive-streams-core"
AHEAD = "observe_on a thread"


def map_filter_reduce(n: int) -> int:
    return Stream.range(n).map(increment).filter(is_odd).reduce(add)


def ten_maps(n: int) -> int:
    stream = Stream.range(n)
    for _ in range(MAPS):
        stream = stream.map(increment)
    return stream.last()


def flat_map_tuples(n: int) -> int:
    return Stream.range(n // 4).flat_map(four_times).last()


def flat_map_streams(n: int) -> int:
    return Stream.range(n // 4).flat_map(lambda x: Stream.just(x, x, x, x)).last()


def buffer_sum(n: int) -> int:
    return Stream.range(n).buffer(CHUNK).map(len).sum()


def keyed_count(n: int) -> dict[int, int]:
    return dict(Stream.range(n).key_by(key_of).count().to_list())


def keyed_scan(n: int) -> int:
    return Stream.range(n).key_by(key_of).scan(add, 0).last()


def keyed_reduce(n: int) -> dict[int, int]:
    return dict(Stream.range(n).key_by(key_of).reduce(add, 0).to_list())


def keyed_windows(n: int) -> dict[tuple[int, int], int]:
    counts = Stream.range(n).with_timestamps(second_of, max_lateness=LATENESS).key_by(key_of).tumbling(1).count()
    return {(window.key, int(window.start)): window.value for window in counts.to_list()}


def zip_two(n: int) -> Any:
    return Stream.zip(Stream.range(n), Stream.range(n)).last()


def merge_four(n: int) -> int:
    return Stream.merge(*map(Stream.from_iterable, inputs(n))).last()


def concat_four(n: int) -> int:
    return Stream.concat(*map(Stream.from_iterable, inputs(n))).last()


def resume(n: int) -> int:
    other = Stream.range(n // 2)
    return Stream.range(n).map(Failing(n // 2, is_once=False)).on_error_resume(other).map(increment).last()


def retry(n: int) -> int:
    return Stream.range(n // 2).map(Failing(n // 2 - 1, is_once=True)).retry(2).map(increment).last()


def take_while(n: int) -> int:
    return Stream.range(n).map(increment).take_while(is_small).last()


def distinct(n: int) -> int:
    return Stream.range(n).map(remainder).distinct().last()


def pairs(n: int) -> int:
    return Stream.range(n).pairwise().map(difference).last()


def run_ahead(elements: Iterable[bytes], consume: Callable[[bytes], None]) -> None:
    with WorkerScheduler(name="bench") as worker:
        Stream.from_iterable(elements).observe_on(worker).for_each(consume)
