"""Each operator beside that of reactivex: the same work over the same elements.

Operators that end early, such as `first`, stand behind others that pass on the last element alone, so that not only
setting up is measured. Sources of one element are subscribed many times.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from operator import itemgetter, neg
from typing import Any

import reactivex as rx
from reactivex import operators as ops
from reactivex.scheduler import EventLoopScheduler, ImmediateScheduler

from bench.interleaved import THREAD_TIME, WALL_TIME, Case, Clock
from bench.peers.tasks import TIMES, add, increment, is_large, is_odd, is_small, key_of
from bench.peers.with_reactivex import raise_error
from bench.rows import Bar, Family, Row
from reactivestreams import Stream, WorkerScheduler, pipeline

ELEMENTS = 2_000
EXPANDED = 60
"""How many elements `expand` makes of one: that of reactivex calls itself for each."""

LONGEST_SECONDS = 60
RUNS = 200
"""How often a source of one element is subscribed."""

NUMBERS = range(ELEMENTS)
LAST = ELEMENTS - 1
PAIRS = [(number, number) for number in NUMBERS]
ROWS = [{"number": number} for number in NUMBERS]
FUTURE = Future[int]()
FUTURE.set_result(1)
BAR = Bar(1 / TIMES, "x")

Ours = Callable[[Stream[Any]], Any]
"""Adds the operator to a stream; what it returns is run, unless it is a result."""

Theirs = Callable[[rx.Observable[Any]], rx.Observable[Any]]


@dataclass(frozen=True)
class Pair:
    """An operator in both libraries."""

    ours: Ours
    theirs: Theirs
    source: Iterable[Any] = NUMBERS
    operations: int = ELEMENTS
    runs: int = 1
    clock: Clock = THREAD_TIME


def of(ours: Ours, *theirs: Any, source: Iterable[Any] = NUMBERS, clock: Clock = THREAD_TIME) -> Pair:
    """Return a pair of operators, those of reactivex given as what `pipe` takes."""
    return Pair(ours, lambda observable: observable.pipe(*theirs), source=source, clock=clock)


def source(ours: Callable[[], Any], theirs: Callable[[], rx.Observable[Any]], operations: int = ELEMENTS) -> Pair:
    """Return a pair of sources; those of few elements are run often."""
    runs = max(1, RUNS // operations)
    return Pair(lambda _: ours(), lambda _: theirs(), operations=operations * runs, runs=runs)


def single(number: int) -> Stream[int]:
    return Stream.just(number)


def rx_single(number: int) -> rx.Observable[int]:
    """Return a stream of one element, which it sends when it is subscribed, not after the stream around it."""
    return rx.return_value(number, ImmediateScheduler())


def nothing(*_: Any) -> None:
    pass


def below(number: int) -> range:
    """Return the children of a number in a binary tree of all numbers."""
    return range(min(2 * number + 1, EXPANDED), min(2 * number + 3, EXPANDED))


def rx_below(number: int) -> rx.Observable[int]:
    return rx.from_iterable(below(number))


def itself(group: Any) -> Any:
    return group


def by_key(*theirs: Any) -> list[Any]:
    """Return the operators that do something for each key in reactivex."""
    return [ops.group_by(key_of), ops.flat_map(lambda group: group.pipe(*theirs))]


def emit(emitter: Any) -> None:
    for number in NUMBERS:
        emitter.emit(number)
    emitter.complete()


def rx_emit(observer: Any, _: Any) -> None:
    for number in NUMBERS:
        observer.on_next(number)
    observer.on_completed()


def from_numbers() -> Stream[int]:
    return Stream.from_iterable(NUMBERS)


def rx_from_numbers() -> rx.Observable[int]:
    return rx.from_iterable(NUMBERS)


def pairs(worker: WorkerScheduler, loop: EventLoopScheduler) -> dict[str, Pair]:
    """Return all operators, and sources, that reactivex has as well."""
    other, rx_other = from_numbers(), rx_from_numbers()
    never, rx_never = Stream[int].never(), rx.never()
    plus = increment
    return {
        "map": of(lambda s: s.map(plus), ops.map(plus)),
        "starmap": of(lambda s: s.starmap(add), ops.starmap(add), source=PAIRS),
        "map_indexed": of(lambda s: s.map_indexed(add), ops.map_indexed(add)),
        "time_interval": of(
            lambda s: s.time_interval().map(itemgetter(1)),
            ops.time_interval(),
            ops.map(lambda timed: timed.value),
            clock=WALL_TIME,  # there it subscribes the source in a thread of its own, as throttle_first does
        ),
        "timestamp": of(
            lambda s: s.timestamp().map(itemgetter(1)), ops.timestamp(), ops.map(lambda timed: timed.value)
        ),
        "throttle_first": of(lambda s: s.throttle_first(3600), ops.throttle_first(3600), clock=WALL_TIME),
        "pairwise": of(lambda s: s.pairwise(), ops.pairwise()),
        "pluck": of(lambda s: s.pluck("number"), ops.pluck("number"), source=ROWS),
        "pluck_attr": of(lambda s: s.pluck_attr("real"), ops.pluck_attr("real")),
        "scan": of(lambda s: s.scan(add, 0), ops.scan(add, 0)),
        "buffer": of(lambda s: s.buffer(10), ops.buffer_with_count(10)),
        "buffer_when": of(lambda s: s.buffer_when(never), ops.buffer(rx_never)),
        "flat_map": of(lambda s: s.flat_map(single), ops.flat_map(rx_single)),
        "concat_map": of(lambda s: s.concat_map(single), ops.concat_map(rx_single)),
        "switch_map": of(lambda s: s.switch_map(single), ops.flat_map_latest(rx_single)),
        "exhaust_map": of(lambda s: s.exhaust_map(single), ops.map(rx_single), ops.exclusive()),
        "expand": source(lambda: Stream.just(0).expand(below), lambda: rx.just(0).pipe(ops.expand(rx_below)), EXPANDED),
        "filter": of(lambda s: s.filter(is_odd), ops.filter(is_odd)),
        "filter_indexed": of(
            lambda s: s.filter_indexed(lambda number, _: number & 1), ops.filter_indexed(lambda number, _: number & 1)
        ),
        "distinct": of(lambda s: s.map(key_of).distinct(), ops.map(key_of), ops.distinct()),
        "distinct_until_changed": of(lambda s: s.distinct_until_changed(), ops.distinct_until_changed()),
        "ignore_elements": of(lambda s: s.ignore_elements(), ops.ignore_elements()),
        "skip": of(lambda s: s.skip(10), ops.skip(10)),
        "skip_last": of(lambda s: s.skip_last(10), ops.skip_last(10)),
        "skip_while": of(lambda s: s.skip_while(is_large), ops.skip_while(is_large)),
        "take": of(lambda s: s.take(LAST), ops.take(LAST)),
        "take_last": of(lambda s: s.take_last(10), ops.take_last(10)),
        "take_until": of(lambda s: s.take_until(never), ops.take_until(rx_never)),
        "take_while": of(lambda s: s.take_while(is_small), ops.take_while(is_small)),
        "all": of(lambda s: s.all(is_small), ops.all(is_small)),
        "any": of(lambda s: s.any(is_large), ops.some(is_large)),
        "average": of(lambda s: s.average(), ops.average()),
        "contains": of(lambda s: s.contains(-1), ops.contains(-1)),
        "count": of(lambda s: s.count(), ops.count()),
        "element_at": of(lambda s: s.element_at(LAST), ops.element_at(LAST)),
        "element_at_or_default": of(lambda s: s.element_at_or_default(LAST, 0), ops.element_at_or_default(LAST, 0)),
        "first": of(lambda s: s.skip(LAST).first(), ops.skip(LAST), ops.first()),
        "first_or_default": of(
            lambda s: s.skip(LAST).first_or_default(0), ops.skip(LAST), ops.first_or_default(None, 0)
        ),
        "is_empty": of(lambda s: s.skip(LAST).is_empty(), ops.skip(LAST), ops.is_empty()),
        "last": of(lambda s: s.last(), ops.last()),
        "last_or_default": of(lambda s: s.last_or_default(0), ops.last_or_default(0)),
        "max": of(lambda s: s.max(), ops.max()),
        "min": of(lambda s: s.min(), ops.min()),
        "reduce": of(lambda s: s.reduce(add, 0), ops.reduce(add, 0)),
        "sequence_equal": of(lambda s: s.sequence_equal(NUMBERS), ops.sequence_equal(rx_other)),
        "single": of(lambda s: s.skip(LAST).single(), ops.skip(LAST), ops.single()),
        "single_or_default": of(
            lambda s: s.skip(LAST).single_or_default(0), ops.skip(LAST), ops.single_or_default(None, 0)
        ),
        "sum": of(lambda s: s.sum(), ops.sum()),
        "to_dict": of(lambda s: s.to_dict(neg), ops.to_dict(neg)),
        "to_list": of(lambda s: s.to_list(), ops.to_list()),
        "to_set": of(lambda s: s.to_set(), ops.to_set()),
        "combine_latest": of(lambda s: s.combine_latest(Stream.just(1)), ops.combine_latest(rx_single(1))),
        "concat_with": of(lambda s: s.concat_with(other), ops.concat(rx_other)),
        "merge_with": of(lambda s: s.merge_with(other), ops.merge(rx_other)),
        "start_with": of(lambda s: s.start_with(1, 2), ops.start_with(1, 2)),
        "with_latest_from": of(lambda s: s.with_latest_from(Stream.just(1)), ops.with_latest_from(rx_single(1))),
        "zip_with": of(lambda s: s.zip_with(other), ops.zip(rx_other)),
        "default_if_empty": of(lambda s: s.default_if_empty(0), ops.default_if_empty(0)),
        "on_error_resume": of(lambda s: s.on_error_resume(other), ops.catch(rx_other)),
        "repeat": of(lambda s: s.repeat(2), ops.repeat(2)),
        "retry": of(lambda s: s.retry(2), ops.retry(2)),
        "dematerialize": of(lambda s: s.materialize().dematerialize(), ops.materialize(), ops.dematerialize()),
        "do": of(lambda s: s.do(nothing), ops.do_action(nothing)),
        "finally_": of(lambda s: s.finally_(nothing), ops.finally_action(nothing)),
        "materialize": of(lambda s: s.materialize(), ops.materialize()),
        "observe_on": of(lambda s: s.observe_on(worker), ops.observe_on(loop), clock=WALL_TIME),
        "subscribe_on": of(lambda s: s.subscribe_on(worker), ops.subscribe_on(loop), clock=WALL_TIME),
        "group_by": of(lambda s: s.group_by(key_of).flat_map(itself), *by_key()),
        "group_by_until": of(
            lambda s: s.group_by_until(key_of, lambda _: never).flat_map(itself),
            ops.group_by_until(key_of, None, lambda _: rx_never),
            ops.flat_map(itself),
        ),
        "window": of(lambda s: s.window(10).flat_map(itself), ops.window_with_count(10), ops.flat_map(itself)),
        "window_when": of(lambda s: s.window_when(never).flat_map(itself), ops.window(rx_never), ops.flat_map(itself)),
        "key_by().buffer": of(lambda s: s.key_by(key_of).buffer(10), *by_key(ops.buffer_with_count(10))),
        "key_by().count": of(lambda s: s.key_by(key_of).count(), *by_key(ops.count())),
        "key_by().distinct": of(lambda s: s.key_by(key_of).distinct(is_odd), *by_key(ops.distinct(is_odd))),
        "key_by().reduce": of(lambda s: s.key_by(key_of).reduce(add, 0), *by_key(ops.reduce(add, 0))),
        "key_by().scan": of(lambda s: s.key_by(key_of).scan(add, 0), *by_key(ops.scan(add, 0))),
        "key_by().take": of(lambda s: s.key_by(key_of).take(10), *by_key(ops.take(10))),
        "key_by().through": of(lambda s: s.key_by(key_of).through(pipeline().map(plus)), *by_key(ops.map(plus))),
        "Stream.amb": source(lambda: Stream.amb(other, never), lambda: rx.amb(rx_other, rx_never)),
        "Stream.combine_latest": source(
            lambda: Stream.combine_latest(other, Stream.just(1)), lambda: rx.combine_latest(rx_other, rx_single(1))
        ),
        "Stream.concat": source(lambda: Stream.concat(other, other), lambda: rx.concat(rx_other, rx_other)),
        "Stream.create": source(lambda: Stream.create(emit, on_overflow="block"), lambda: rx.create(rx_emit)),
        "Stream.defer": source(lambda: Stream.defer(from_numbers), lambda: rx.defer(lambda _: rx_from_numbers())),
        "Stream.empty": source(Stream[int].empty, rx.empty, 1),
        "Stream.error": source(
            lambda: Stream[int].error(ValueError("no")).on_error_return(0),
            lambda: rx.throw(ValueError("no")).pipe(ops.catch(rx.just(0))),
            1,
        ),
        "Stream.from_callable": source(lambda: Stream.from_callable(int), lambda: rx.from_callable(int), 1),
        "Stream.from_future": source(lambda: Stream.from_future(FUTURE), lambda: rx.from_future(FUTURE), 1),
        "Stream.from_iterable": source(from_numbers, rx_from_numbers),
        "Stream.generate": source(
            lambda: Stream.generate(0, lambda number: (number, number + 1) if number < ELEMENTS else None),
            lambda: rx.generate(0, lambda number: number < ELEMENTS, increment),
        ),
        "Stream.just": source(lambda: Stream.just(1), lambda: rx.of(1), 1),
        "Stream.merge": source(lambda: Stream.merge(other, other), lambda: rx.merge(rx_other, rx_other)),
        "Stream.range": source(lambda: Stream.range(ELEMENTS), lambda: rx.range(ELEMENTS)),
        "Stream.repeat_value": source(lambda: Stream.repeat_value(1, ELEMENTS), lambda: rx.repeat_value(1, ELEMENTS)),
        "Stream.using": source(
            lambda: Stream.using(dict, lambda _: other, nothing),
            lambda: rx.using(lambda: None, lambda _: rx_other),
        ),
        "Stream.when_all": source(lambda: Stream.when_all(other, other), lambda: rx.fork_join(rx_other, rx_other)),
        "Stream.zip": source(lambda: Stream.zip(other, other), lambda: rx.zip(rx_other, rx_other)),
    }


WAITS = "it waits, and what it costs is what its scheduler costs"

NOT_MEASURED = {
    **dict.fromkeys(
        (
            "Stream.interval",
            "Stream.timer",
            "buffer_timeout",
            "debounce",
            "delay",
            "delay_subscription",
            "delay_until",
            "sample",
            "skip_for",
            "take_for",
            "timeout",
            "window_timeout",
        ),
        WAITS,
    ),
    "Stream.never": "it does nothing in both",
    "buffer_toggle": "the end of its input does not end a list there",
    "window_toggle": "the end of its input does not end a window there",
    "skip_until": "it subscribes the source first there, and opens when a source in the same thread has ended",
}


@contextmanager
def families() -> Iterator[list[Family]]:
    """Return a row for each operator, against that of reactivex, as long as their threads run."""
    loop = EventLoopScheduler()
    with WorkerScheduler(name="bench") as worker:
        yield [[row(name, pair)] for name, pair in pairs(worker, loop).items()]
    loop.dispose()


def row(name: str, pair: Pair) -> Row:
    """Return the row of an operator."""

    def ours() -> None:
        for _ in range(pair.runs):
            made = pair.ours(Stream.from_iterable(pair.source))
            if isinstance(made, Stream):
                made.run()

    def theirs() -> None:
        for _ in range(pair.runs):
            has_ended = threading.Event()
            pair.theirs(rx.from_iterable(pair.source)).subscribe(nothing, raise_error, has_ended.set)
            if not has_ended.wait(LONGEST_SECONDS):
                raise TimeoutError(f"{name} of reactivex does not end")

    case = Case(name, ours, pair.operations, pair.clock)
    return Row(case, Case(f"{name} in reactivex", theirs, pair.operations, pair.clock), BAR)
