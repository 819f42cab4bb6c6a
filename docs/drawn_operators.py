"""The calls that the documentation draws as marbles: for each method of `Stream`, expressions that are evaluated.

What is written here is what is run, and what stands above the picture.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from fractions import Fraction
from operator import add
from typing import Any

from reactivestreams import Collector, Notification, OnComplete, OnNext, Stream, pipeline
from reactivestreams.schedulers import TICK
from reactivestreams.subjects import BroadcastSubject
from reactivestreams.testing import Recorded, on_complete, on_error, on_next

__all__ = ["COLD", "DRAWN", "FUNCTIONS", "INPUTS", "NOT_DRAWN", "ONE_RUN"]


def _sent(*elements: tuple[int, Any], end: int) -> tuple[Recorded[Notification], ...]:
    return (*(on_next(tick, element) for tick, element in elements), on_complete(end))


_NUMBERS = _sent((210, 1), (220, 2), (230, 3), (240, 4), (250, 5), end=270)

INPUTS: Mapping[str, tuple[Recorded[Notification], ...]] = {
    "numbers": _NUMBERS,
    "uneven": _sent((210, 1), (215, 2), (220, 3), (250, 4), (255, 5), end=270),
    "letters": _sent((215, "a"), (235, "b"), (255, "c"), (275, "d"), end=285),
    "mixed": _sent((210, "a"), (220, 2), (230, 3), (240, "b"), end=260),
    "texts": _sent((210, "a"), (220, 2), end=260),
    "pairs": _sent((210, (1, 2)), (225, (3, 4)), (240, (5, 6)), end=260),
    "halves": _sent((210, Fraction(1, 2)), (225, Fraction(3, 2)), (240, Fraction(5, 2)), end=260),
    "one": _sent((230, 7), end=260),
    "nothing": _sent(end=240),
    "notifications": _sent((210, OnNext(1)), (220, OnNext(2)), (240, OnComplete()), end=260),
    "failing": (on_next(10, 1), on_next(20, 2), on_error(30, ValueError("bad"))),
    "ready": _sent((5, 1), (10, 2), (15, 3), (20, 4), (25, 5), end=30),
    "few": _sent((10, 1), (20, 2), end=30),
}
"""What the sources send, at ticks of virtual time or, those that are cold, counted from a subscription."""

ONE_RUN = ("cache", "multicast", "publish", "replay", "share")
"""The methods of which two subscribers are drawn."""

COLD = ("failing", "few", "ready")
"""The sources that begin anew for each subscription; the others send whether or not one listens."""


def ticks(count: int) -> timedelta:
    return count * TICK


def tick_of(moment: datetime) -> int:
    return moment.microsecond


def later(count: int, element: object = "x") -> Stream[object]:
    return Stream.timer(ticks(count)).map(lambda _: element)


def is_odd(n: int) -> bool:
    return n % 2 == 1


def half(n: int) -> int:
    return n // 2


def double(n: int) -> int:
    return 2 * n


def note(*what: object) -> None:
    """Take what is noted."""


FUNCTIONS: Mapping[str, object] = {
    "Collector": Collector,
    "BroadcastSubject": BroadcastSubject,
    "Stream": Stream,
    "add": add,
    "division": pipeline().map(lambda n: 12 // (n - 3)),
    "double": double,
    "half": half,
    "is_odd": is_odd,
    "later": later,
    "note": note,
    "pipeline": pipeline,
    "tick_of": tick_of,
    "ticks": ticks,
}
"""What else stands in the calls."""

DRAWN: tuple[str, ...] = (
    # choosing
    "numbers.filter(is_odd)",
    "numbers.filter_indexed(lambda n, index: index % 2 == 0)",
    "numbers.distinct(half)",
    "numbers.distinct_until_changed(half)",
    "numbers.through(pipeline().element_at(2))",
    "numbers.through(pipeline().element_at_or_default(9, 0))",
    "numbers.through(pipeline().first())",
    "nothing.through(pipeline().first_or_default(0))",
    "numbers.through(pipeline().last())",
    "nothing.through(pipeline().last_or_default(0))",
    "one.through(pipeline().single())",
    "nothing.through(pipeline().single_or_default(0))",
    "numbers.take(2)",
    "numbers.take_last(2)",
    "numbers.take_while(lambda n: n < 3)",
    "numbers.take_until(lambda n: n == 3)",
    "numbers.take_for(ticks(25))",
    "numbers.skip(2)",
    "numbers.skip_last(2)",
    "numbers.skip_while(lambda n: n < 3)",
    "numbers.skip_until(lambda n: n == 3)",
    "numbers.skip_for(ticks(25))",
    "numbers.ignore_elements()",
    "mixed.of_type(int)",
    "texts.cast(str)",
    "numbers.compress([1, 0, 1, 0, 1])",
    # changing
    "numbers.map(double)",
    "numbers.map_indexed(lambda n, index: n * index)",
    "mixed.map_not_none({'a': 'A', 3: 'C'}.get)",
    "numbers.handle(lambda n, sink: None if n % 2 else sink.emit(half(n)))",
    "numbers.enumerate()",
    "numbers.pairwise()",
    "numbers.sliding(3)",
    "numbers.intersperse(0)",
    "numbers.scan(add, 0)",
    "pairs.starmap(add)",
    "pairs.pluck(0)",
    "halves.pluck_attr('numerator')",
    "numbers.sorted(reverse=True)",
    "numbers.cycle(2)",
    "failing.materialize()",
    "notifications.dematerialize()",
    "numbers.do(on_next=note)",
    "numbers.finally_(note)",
    # to streams and back
    "numbers.flat_map(lambda n: (n, n))",
    "numbers.flat_map_ordered(lambda n: later(40 - 8 * n, n))",
    "numbers.concat_map(lambda n: later(15, n))",
    "numbers.switch_map(lambda n: later(15 if n % 2 else 5, n))",
    "numbers.exhaust_map(lambda n: later(15, n))",
    "numbers.expand(lambda n: (n // 2,) if n > 1 else ())",
    "numbers.group_by(is_odd).flat_map(lambda group: group.buffer(2))",
    "numbers.group_by_until(is_odd, lambda odd: later(25, odd)).flat_map(lambda group: group.buffer(9))",
    # lists and windows
    "numbers.buffer(2)",
    "numbers.buffer_until(is_odd)",
    "numbers.buffer_while(is_odd)",
    "numbers.split_when(lambda _, n: is_odd(n))",
    "numbers.buffer_timeout(3, ticks(15))",
    "numbers.buffer_when(letters)",
    "numbers.buffer_toggle(letters, lambda _: later(15))",
    "numbers.window(2).concat_map(lambda window: window.buffer(9))",
    "numbers.window_timeout(3, ticks(15)).concat_map(lambda window: window.buffer(9))",
    "numbers.window_until(is_odd).concat_map(lambda window: window.buffer(9))",
    "numbers.window_when(letters).concat_map(lambda window: window.buffer(9))",
    "numbers.window_toggle(letters, lambda _: later(15)).flat_map(lambda window: window.buffer(9))",
    # time
    "numbers.delay(ticks(15))",
    "numbers.delay_until(lambda n: later(10 if is_odd(n) else 0))",
    "numbers.delay_subscription(ticks(25))",
    "uneven.debounce(ticks(10))",
    "uneven.throttle_first(ticks(20))",
    "uneven.throttle_latest(ticks(20))",
    "uneven.sample(ticks(20))",
    "uneven.audit(ticks(15))",
    "uneven.timeout(ticks(25), fallback=['late'])",
    "uneven.timestamp().map(lambda timed: tick_of(timed[0]))",
    "uneven.time_interval().map(lambda timed: timed[0].microseconds)",
    "ready.rate_limit(2, ticks(25))",
    # several
    "numbers.append(8, 9)",
    "numbers.start_with(8, 9)",
    "numbers.concat_with(letters)",
    "numbers.merge_with(letters)",
    "numbers.merge_sorted([2, 4])",
    "numbers.zip_with(letters)",
    "numbers.zip_longest(letters)",
    "numbers.combine_latest(letters)",
    "numbers.with_latest_from(letters)",
    "numbers.then(letters)",
    "nothing.default_if_empty(0)",
    "nothing.switch_if_empty(letters)",
    "Stream.amb(letters, numbers)",
    "Stream.concat(numbers, letters)",
    "Stream.merge(numbers, letters)",
    "Stream.zip(numbers, letters)",
    "Stream.when_all(numbers, letters)",
    # errors and once more
    "failing.on_error_return(0)",
    "failing.on_error_resume([8, 9])",
    "failing.on_error_map(lambda error: KeyError('of your own'))",
    "numbers.through(division).on_error_continue(note)",
    "failing.retry(1)",
    "failing.retry_when(lambda errors: errors.delay(ticks(15)).take(2))",
    "few.repeat(2)",
    "few.repeat_when(lambda ends: ends.delay(ticks(15)).take(2))",
    # demand
    "numbers.limit_rate(2)",
    "numbers.limit_weight(2, lambda _: 1)",
    "numbers.on_backpressure_batch(9)",
    "numbers.on_backpressure_buffer(9)",
    "numbers.on_backpressure_drop(on_dropped=note)",
    "numbers.on_backpressure_error()",
    "numbers.on_backpressure_latest(on_dropped=note)",
    "numbers.on_backpressure_reduce(add)",
    "numbers.pause_while(later(15, True).concat_with(later(20, False)), prefetch=1)",
    # folding
    "numbers.through(pipeline().all(is_odd))",
    "numbers.through(pipeline().any(is_odd))",
    "numbers.through(pipeline().average())",
    "numbers.through(pipeline().collect(Collector(list, list.append, tuple)))",
    "numbers.through(pipeline().contains(3))",
    "numbers.through(pipeline().count())",
    "numbers.through(pipeline().is_empty())",
    "numbers.through(pipeline().max())",
    "numbers.through(pipeline().min())",
    "numbers.through(pipeline().reduce(add))",
    "numbers.through(pipeline().sequence_equal([1, 2]))",
    "numbers.through(pipeline().sum())",
    "numbers.through(pipeline().to_dict(half))",
    "numbers.through(pipeline().to_list())",
    "numbers.through(pipeline().to_lookup(half))",
    "numbers.through(pipeline().to_set())",
    # by key, by event time
    "numbers.key_by(is_odd).count()",
    "numbers.key_by(is_odd).scan(add, 0)",
    "numbers.with_timestamps(lambda n: n).key_by(is_odd).tumbling(3).to_list().map(lambda window: window.value)",
    # one run for several
    "numbers.cache()",
    "numbers.share()",
    "numbers.publish().ref_count()",
    "numbers.replay(2).ref_count()",
    "numbers.multicast(BroadcastSubject).ref_count()",
    # sources
    "Stream.create(lambda emitter: emitter.emit(1), on_overflow='error')",
    "Stream.defer(lambda: numbers)",
    "Stream.empty()",
    "Stream.error(ValueError('bad'))",
    "Stream.from_callable(lambda: 42)",
    "Stream.from_iterable('abc')",
    "Stream.from_publisher(numbers)",
    "Stream.generate(1, lambda n: (n, 2 * n))",
    "Stream.interval(ticks(20))",
    "Stream.just(1, 2)",
    "Stream.never()",
    "Stream.range(1, 4)",
    "Stream.repeat_value('a', 3)",
    "Stream.timer(ticks(30))",
    "Stream.using(lambda: 'abc', Stream.from_iterable, close=note)",
)
"""What is run, and what stands above its picture; the first method of each but `through` is the one that it shows."""

_THREADS = "its elements go to other threads or to a loop, of which virtual time knows nothing"
_AS_IT_COMES = "each signal passes as it comes"
_BATCHES = "its elements are batches of Arrow"
_NO_STREAM = "it returns no stream"

NOT_DRAWN: Mapping[str, str] = {
    "bind": _NO_STREAM,
    "checkpoint": _AS_IT_COMES,
    "filter_batches": _BATCHES,
    "for_each": _NO_STREAM,
    "from_async_iterable": _THREADS,
    "from_future": _THREADS,
    "from_queue": _THREADS,
    "iterate": _NO_STREAM,
    "lift": "it is what the class of its argument is",
    "log": _AS_IT_COMES,
    "map_async": _THREADS,
    "map_batches": _BATCHES,
    "map_in_executor": _THREADS,
    "observe_on": _THREADS,
    "parallel": _THREADS,
    "progress": _AS_IT_COMES,
    "project": _BATCHES,
    "recorded": _AS_IT_COMES,
    "run": _NO_STREAM,
    "subscribe": _NO_STREAM,
    "subscribe_on": _THREADS,
    "tap": _AS_IT_COMES,
    "through": "it is what its argument is",
    "with_columns": _BATCHES,
}
"""The methods without a picture, and why."""
