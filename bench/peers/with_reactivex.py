"""The tasks by reactivex (RxPY)."""

import threading
from collections.abc import Callable, Iterable
from typing import Any

import reactivex as rx
from reactivex import operators as ops
from reactivex.scheduler import EventLoopScheduler

from bench.peers.tasks import (
    CHUNK,
    MAPS,
    Failing,
    Latest,
    add,
    difference,
    four_times,
    increment,
    inputs,
    is_odd,
    is_small,
    key_of,
    remainder,
)

PACKAGE = "reactivex"
AHEAD = "observe_on a thread"


def last(observable: Any) -> Any:
    """Return the last element; `run()` would wait for another thread, here all happens in this one."""
    latest = Latest()
    observable.subscribe(latest, raise_error)
    return latest.element


def numbers(n: int) -> Any:
    """Return a source of numbers; `range` asks the scheduler for each, and takes ten times as long."""
    return rx.from_iterable(range(n))


def raise_error(error: Exception) -> None:
    raise error


def map_filter_reduce(n: int) -> Any:
    return last(numbers(n).pipe(ops.map(increment), ops.filter(is_odd), ops.reduce(add)))


def ten_maps(n: int) -> Any:
    return last(numbers(n).pipe(*[ops.map(increment) for _ in range(MAPS)]))


def flat_map_tuples(n: int) -> Any:
    return last(numbers(n // 4).pipe(ops.flat_map(lambda x: rx.from_iterable(four_times(x)))))


def flat_map_streams(n: int) -> Any:
    return last(numbers(n // 4).pipe(ops.flat_map(lambda x: rx.of(x, x, x, x))))


def buffer_sum(n: int) -> Any:
    return last(numbers(n).pipe(ops.buffer_with_count(CHUNK), ops.map(len), ops.sum()))


def keyed_count(n: int) -> Any:
    def counted(group: Any) -> Any:
        return group.pipe(ops.count(), ops.map(lambda count: (group.key, count)))

    return dict(last(numbers(n).pipe(ops.group_by(key_of), ops.flat_map(counted), ops.to_list())))


def keyed_scan(n: int) -> Any:
    groups = numbers(n).pipe(ops.group_by(key_of))
    return last(groups.pipe(ops.flat_map(lambda group: group.pipe(ops.scan(add, 0)))))


def keyed_reduce(n: int) -> Any:
    def reduced(group: Any) -> Any:
        return group.pipe(ops.reduce(add, 0), ops.map(lambda total: (group.key, total)))

    return dict(last(numbers(n).pipe(ops.group_by(key_of), ops.flat_map(reduced), ops.to_list())))


def zip_two(n: int) -> Any:
    return last(rx.zip(numbers(n), numbers(n)))


def merge_four(n: int) -> Any:
    return last(rx.merge(*map(rx.from_iterable, inputs(n))))


def concat_four(n: int) -> Any:
    return last(rx.concat(*map(rx.from_iterable, inputs(n))))


def resume(n: int) -> Any:
    other = numbers(n // 2)
    return last(numbers(n).pipe(ops.map(Failing(n // 2, is_once=False)), ops.catch(other), ops.map(increment)))


def retry(n: int) -> Any:
    failing = Failing(n // 2 - 1, is_once=True)
    return last(numbers(n // 2).pipe(ops.map(failing), ops.retry(2), ops.map(increment)))


def take_while(n: int) -> Any:
    return last(numbers(n).pipe(ops.map(increment), ops.take_while(is_small)))


def distinct(n: int) -> Any:
    return last(numbers(n).pipe(ops.map(remainder), ops.distinct()))


def pairs(n: int) -> Any:
    return last(numbers(n).pipe(ops.pairwise(), ops.map(difference)))


def run_ahead(elements: Iterable[bytes], consume: Callable[[bytes], None]) -> None:
    has_ended = threading.Event()
    scheduler = EventLoopScheduler()
    rx.from_iterable(elements).pipe(ops.observe_on(scheduler)).subscribe(consume, on_completed=has_ended.set)
    has_ended.wait()
    scheduler.dispose()
