"""Every operator as the last stage of a publisher under the kit, and chains of them."""

import asyncio
import os
from collections.abc import Callable
from functools import partial
from itertools import starmap
from typing import Any

from reactivestreams import Collector, ImmediateScheduler, OnError, OnNext, Stream, pipeline
from reactivestreams.metrics import MemoryMetrics
from reactivestreams.subjects import BroadcastSubject, lockstep
from rs_core.operators.python_operator import PythonStage
from tests.tck.streams.example_programs import example
from tests.tck.streams.publisher_case import PublisherCase, Workers, failed_source, numbers_failing_at


class PassOn(PythonStage[int, int]):
    """An operator in Python that keeps to the default: one element in, one out at most."""

    name = "tests/pass_on"

    def on_next(self, element: int) -> None:
        self.emit(element)


class Repeat(PythonStage[int, int]):
    """An operator in Python that says itself what it requests: each element goes out twice."""

    name = "tests/repeat"
    demand = "own"

    def on_request(self, n: int) -> None:
        self.request_upstream(n)

    def on_next(self, element: int) -> None:
        self.emit(2 * element)
        self.emit(2 * element + 1)


def operator_case(
    name: str,
    covers: tuple[str, ...],
    add: Callable[[Any, Workers], Any],
    *,
    taken: Callable[[int], int] = lambda elements: elements,
) -> PublisherCase:
    """Return a case for an operator on top of a range.

    Args:
        name: Of the case.
        covers: Names of what is covered.
        add: Adds the operator to a stream.
        taken: How many elements the operator takes for so many that it sends.
    """
    return PublisherCase(
        name,
        covers,
        lambda elements, workers: add(Stream.range(taken(elements)), workers),
        lambda workers: add(failed_source(), workers),
        lambda position, workers: add(numbers_failing_at(taken(position)), workers),
    )


FOLD_CALLS: dict[str, tuple[Any, ...]] = {
    "AllMatch": ("all", lambda number: number < 7),
    "AnyMatch": ("any",),
    "Average": ("average",),
    "Collect": ("collect", Collector(list, list.append, tuple)),
    "Contains": ("contains", 8),
    "Count": ("count",),
    "ElementAt": ("element_at", 0),
    "ElementAtOrDefault": ("element_at_or_default", 3, "none"),
    "First": ("first",),
    "FirstOrDefault": ("first_or_default", "none"),
    "IsEmpty": ("is_empty",),
    "Last": ("last",),
    "LastOrDefault": ("last_or_default", "none"),
    "Max": ("max",),
    "Min": ("min",),
    "Reduce": ("reduce", lambda total, number: total + number),
    "SequenceEqual": ("sequence_equal", [7]),
    "Single": ("single",),
    "SingleOrDefault": ("single_or_default", "none"),
    "Sum": ("sum",),
    "ToDict": ("to_dict", str),
    "ToList": ("to_list",),
    "ToLookup": ("to_lookup", str),
    "ToSet": ("to_set",),
}
"""The definitions with one result: the method, and arguments with which it takes a number."""


def fold_case(name: str) -> PublisherCase:
    """Return a case for an operator with one result, that of the number 7."""
    method, *arguments = FOLD_CALLS[name]

    def folded(stream: Stream[int]) -> Any:
        return stream.through(getattr(pipeline(), method)(*arguments))

    return PublisherCase(
        f"{method} of the elements",
        (f"operators.{name}",),
        lambda elements, workers: folded(Stream.just(7)) if elements else folded(Stream.just(7)).take(0),
        lambda workers: folded(failed_source()),
        longest=1,
    )


def latest_case(method: str, name: str, time: Any) -> PublisherCase:
    """Return a case for an operator that passes on the latest element: of many streams of one."""

    def latest(stream: Any) -> Any:
        return getattr(stream, method)(time)

    def latest_of_each(numbers: Any) -> Any:
        return numbers.concat_map(lambda number: latest(Stream.just(number)))

    return PublisherCase(
        method,
        (f"operators.{name}", f"Stream.{method}"),
        lambda elements, workers: latest_of_each(Stream.range(elements)),
        lambda workers: latest(failed_source()),
        lambda position, workers: latest_of_each(numbers_failing_at(position)),
    )


BACKPRESSURE_CALLS: dict[str, Callable[[Any], Any]] = {
    "Buffer": lambda stream: stream.on_backpressure_buffer(2**24),
    "Drop": lambda stream: stream.on_backpressure_drop(on_dropped=lambda number: None),
    "Error": lambda stream: stream.on_backpressure_error(),
    "Latest": lambda stream: stream.on_backpressure_latest(on_dropped=lambda number: None),
    "Reduce": lambda stream: stream.on_backpressure_reduce(lambda before, number: number),
}
"""The operators that take all that comes, by the ends of their names."""


def backpressure_case(name: str) -> PublisherCase:
    """Return a case for an operator that takes elements which nobody requested: of many streams of one."""
    add = BACKPRESSURE_CALLS[name]
    method = f"on_backpressure_{name.lower()}"

    def each_alone(numbers: Any) -> Any:
        return numbers.concat_map(lambda number: add(Stream.just(number)))

    return PublisherCase(
        method,
        (f"operators.OnBackpressure{name}", f"Stream.{method}"),
        lambda elements, workers: each_alone(Stream.range(elements)),
        lambda workers: add(failed_source()),
        lambda position, workers: each_alone(numbers_failing_at(position)),
    )


def deep() -> Any:
    chain = pipeline()
    for _ in range(100):
        chain = chain.map(lambda n: n).filter(lambda n: True)
    return chain


async def successor(number: int) -> int:
    return number + 1


async def successor_later(number: int) -> int:
    await asyncio.sleep(0)
    return number + 1


async def inverse_distance(position: int, number: int) -> int:
    return 1 // (position - number)


OPERATOR_CASES = [
    *map(fold_case, FOLD_CALLS),
    PublisherCase(
        "concat_with",
        ("operators.ConcatWith", "Stream.concat_with"),
        lambda elements, workers: Stream.range(elements // 2).concat_with(Stream.range(elements - elements // 2)),
        lambda workers: failed_source().concat_with([1]),
        lambda position, workers: Stream.range(position).concat_with(failed_source()),
    ),
    PublisherCase(
        "then",
        ("operators.Then", "Stream.then"),
        lambda elements, workers: Stream.range(3).then(Stream.range(elements)),
        lambda workers: failed_source().then([1]),
        lambda position, workers: Stream.range(3).then(numbers_failing_at(position)),
    ),
    *map(
        latest_case,
        ("debounce", "audit", "throttle_latest", "sample"),
        ("Debounce", "Audit", "ThrottleLatest", "Sample"),
        (3600, 3600, 3600, ()),
    ),
    operator_case("delay", ("operators.Delay", "Stream.delay"), lambda stream, workers: stream.delay(0)),
    operator_case(
        "delay_subscription",
        ("operators.DelaySubscription", "Stream.delay_subscription"),
        lambda stream, workers: stream.delay_subscription(()),
    ),
    operator_case(
        "delay_until",
        ("operators.DelayUntil", "Stream.delay_until"),
        lambda stream, workers: stream.delay_until(lambda _: Stream.empty()),
    ),
    operator_case("timeout", ("operators.Timeout", "Stream.timeout"), lambda stream, workers: stream.timeout(3600)),
    operator_case("take_for", ("operators.TakeFor", "Stream.take_for"), lambda stream, workers: stream.take_for(3600)),
    operator_case("skip_for", ("operators.SkipFor", "Stream.skip_for"), lambda stream, workers: stream.skip_for(0)),
    operator_case(
        "throttle_first",
        ("operators.ThrottleFirst", "Stream.throttle_first"),
        lambda stream, workers: stream.throttle_first(0),
    ),
    operator_case(
        "buffer_timeout",
        ("operators.BufferTimeout", "Stream.buffer_timeout"),
        lambda stream, workers: stream.buffer_timeout(1, 3600),
    ),
    operator_case(
        "rate_limit",
        ("operators.RateLimit", "Stream.rate_limit"),
        lambda stream, workers: stream.rate_limit(2**24, 0.000001),
    ),
    *starmap(
        operator_case,
        [
            ("share", ("Stream.share",), lambda stream, workers: stream.share()),
            ("publish", ("Stream.publish",), lambda stream, workers: stream.publish(capacity=4).ref_count(grace=0)),
            ("replay", ("Stream.replay",), lambda stream, workers: stream.replay(3).auto_connect()),
            ("cache", ("Stream.cache",), lambda stream, workers: stream.cache()),
            (
                "multicast",
                ("Stream.multicast",),
                lambda stream, workers: stream.multicast(lambda: BroadcastSubject(policy=lockstep())).ref_count(),
            ),
        ],
    ),
    *map(backpressure_case, BACKPRESSURE_CALLS),
    operator_case(
        "on_backpressure_batch",
        ("operators.OnBackpressureBatch", "Stream.on_backpressure_batch"),
        lambda stream, workers: stream.on_backpressure_batch(1),
    ),
    operator_case(
        "limit_rate",
        ("operators.LimitRate", "Stream.limit_rate"),
        lambda stream, workers: stream.limit_rate(7, 2),
    ),
    operator_case(
        "limit_weight",
        ("operators.LimitWeight", "Stream.limit_weight"),
        lambda stream, workers: stream.limit_weight(3, lambda _: 2),
    ),
    operator_case(
        "pause_while",
        ("operators.PauseWhile", "Stream.pause_while"),
        lambda stream, workers: stream.pause_while(Stream.never()),
    ),
    operator_case("timestamp", ("operators.Timestamp", "Stream.timestamp"), lambda stream, workers: stream.timestamp()),
    operator_case(
        "time_interval",
        ("operators.TimeInterval", "Stream.time_interval"),
        lambda stream, workers: stream.time_interval(),
    ),
    PublisherCase(
        "merge_sorted",
        ("operators.MergeSorted", "Stream.merge_sorted"),
        lambda elements, workers: Stream.range(elements // 2).merge_sorted(Stream.range(elements - elements // 2)),
        lambda workers: failed_source().merge_sorted([1]),
        lambda position, workers: numbers_failing_at(position).merge_sorted(()),
    ),
    PublisherCase(
        "switch_map",
        ("operators.SwitchMap", "Stream.switch_map"),
        lambda elements, workers: Stream.just(elements).switch_map(Stream.range),
        lambda workers: failed_source().switch_map(Stream.range),
        lambda position, workers: Stream.just(position).switch_map(numbers_failing_at),
    ),
    PublisherCase(
        "exhaust_map",
        ("operators.ExhaustMap", "Stream.exhaust_map"),
        lambda elements, workers: Stream.just(elements).exhaust_map(Stream.range),
        lambda workers: failed_source().exhaust_map(Stream.range),
        lambda position, workers: Stream.just(position).exhaust_map(numbers_failing_at),
    ),
    PublisherCase(
        "expand",
        ("operators.Expand", "Stream.expand"),
        lambda elements, workers: (
            Stream.just(1).expand(lambda number: (number + 1,) if number < elements else ())
            if elements
            else Stream.empty()
        ),
        lambda workers: failed_source().expand(lambda _: ()),
        lambda position, workers: numbers_failing_at(position).expand(lambda _: ()),
    ),
    PublisherCase(
        "repeat_when",
        ("operators.RepeatWhen", "Stream.repeat_when"),
        lambda elements, workers: (
            Stream.just(1).repeat_when(lambda counts: counts.take(elements - 1)) if elements else Stream.empty()
        ),
        lambda workers: failed_source().repeat_when(lambda counts: counts),
        lambda position, workers: numbers_failing_at(position).repeat_when(lambda counts: counts),
    ),
    PublisherCase(
        "retry_when",
        ("operators.RetryWhen", "Stream.retry_when"),
        lambda elements, workers: Stream.range(elements).retry_when(lambda errors: errors),
        lambda workers: failed_source().retry_when(lambda errors: failed_source()),
        lambda position, workers: numbers_failing_at(position).retry_when(lambda errors: failed_source()),
    ),
    PublisherCase(
        "on_error_continue",
        ("operators.OnErrorContinue", "Stream.on_error_continue"),
        lambda elements, workers: (
            Stream.range(-1, elements - 1)
            .map(lambda n: 1 // (n + 1) if n < 0 else n)
            .on_error_continue(lambda error, n: None)
            .append(7)
            if elements
            else Stream.empty()
        ),
        lambda workers: failed_source().on_error_continue(lambda error, n: None),
        lambda position, workers: Stream.from_publisher(numbers_failing_at(position)).on_error_continue(
            lambda error, n: None
        ),
    ),
    PublisherCase(
        "materialize",
        ("operators.Materialize", "Stream.materialize"),
        lambda elements, workers: Stream.range(elements - 1).materialize() if elements else Stream.empty(),
    ),
    PublisherCase(
        "dematerialize",
        ("operators.Dematerialize", "Stream.dematerialize"),
        lambda elements, workers: Stream.range(elements).map(OnNext).dematerialize(),
        lambda workers: failed_source().dematerialize(),
        lambda position, workers: Stream.range(position).map(OnNext).append(OnError(OSError("x"))).dematerialize(),
    ),
    PublisherCase(
        "finally_",
        ("operators.Finally", "Stream.finally_"),
        lambda elements, workers: Stream.range(elements).finally_(list),
        lambda workers: failed_source().finally_(list),
        lambda position, workers: numbers_failing_at(position).finally_(list),
    ),
    PublisherCase(
        "start_with",
        ("operators.StartWith", "Stream.start_with"),
        lambda elements, workers: Stream.range(elements - 1).start_with(7) if elements else Stream.empty(),
        create_failing_at=lambda position, workers: (
            numbers_failing_at(position - 1).start_with(7) if position else failed_source()
        ),
    ),
    PublisherCase(
        "append",
        ("operators.Append", "Stream.append"),
        lambda elements, workers: Stream.range(elements - 1).append(7) if elements else Stream.empty(),
        lambda workers: failed_source().append(7),
        lambda position, workers: numbers_failing_at(position).append(7),
    ),
    PublisherCase(
        "default_if_empty",
        ("operators.DefaultIfEmpty", "Stream.default_if_empty"),
        lambda elements, workers: Stream.range(elements).default_if_empty(7) if elements else Stream.empty(),
        lambda workers: failed_source().default_if_empty(7),
        lambda position, workers: numbers_failing_at(position).default_if_empty(7),
    ),
    PublisherCase(
        "switch_if_empty",
        ("operators.SwitchIfEmpty", "Stream.switch_if_empty"),
        lambda elements, workers: Stream.empty().switch_if_empty(Stream.range(elements)),
        lambda workers: failed_source().switch_if_empty([1]),
        lambda position, workers: Stream.empty().switch_if_empty(numbers_failing_at(position)),
    ),
    PublisherCase(
        "repeat",
        ("operators.Repeat", "Stream.repeat"),
        lambda elements, workers: Stream.just(1).repeat(elements) if elements else Stream.empty(),
        lambda workers: failed_source().repeat(),
        lambda position, workers: numbers_failing_at(position).repeat(),
    ),
    PublisherCase(
        "retry",
        ("operators.Retry", "Stream.retry"),
        lambda elements, workers: Stream.range(elements).retry(2),
        lambda workers: failed_source().retry(2),
        lambda position, workers: numbers_failing_at(position).retry(2, when=lambda error: False),
    ),
    PublisherCase(
        "on_error_return",
        ("operators.OnErrorReturn", "Stream.on_error_return"),
        lambda elements, workers: numbers_failing_at(elements - 1).on_error_return(7) if elements else Stream.empty(),
    ),
    PublisherCase(
        "on_error_resume",
        ("operators.OnErrorResume", "Stream.on_error_resume"),
        lambda elements, workers: failed_source().on_error_resume(Stream.range(elements)),
        lambda workers: failed_source().on_error_resume(failed_source()),
        lambda position, workers: failed_source().on_error_resume(numbers_failing_at(position)),
    ),
    operator_case(
        "on_error_map",
        ("operators.OnErrorMap", "Stream.on_error_map"),
        lambda stream, workers: stream.on_error_map(lambda error: error),
    ),
    operator_case("map", ("operators.Map", "Stream.map"), lambda stream, workers: stream.map(lambda n: n + 1)),
    PublisherCase(
        "map whose function fails",
        ("operators.Map", "Stream.map"),
        lambda elements, workers: Stream.range(elements).map(str),
        create_failing_at=lambda position, workers: Stream.range(position + 10).map(lambda n: 1 // (position - n)),
    ),
    operator_case(
        "map_not_none",
        ("operators.MapNotNone", "Stream.map_not_none"),
        lambda stream, workers: stream.map_not_none(lambda n: n if n % 2 == 1 else None),
        taken=lambda elements: 2 * elements,
    ),
    operator_case(
        "filter",
        ("operators.Filter", "Stream.filter"),
        lambda stream, workers: stream.filter(lambda n: n % 2 == 1),
        taken=lambda elements: 2 * elements,
    ),
    PublisherCase(
        "take of a stream without end",
        ("operators.Take", "Stream.take"),
        lambda elements, workers: Stream.range(2**63 - 1).take(elements),
        lambda workers: failed_source().take(3),
        lambda position, workers: numbers_failing_at(position).take(position + 10),
    ),
    operator_case(
        "skip",
        ("operators.Skip", "Stream.skip"),
        lambda stream, workers: stream.skip(3),
        taken=lambda elements: elements + 3,
    ),
    PublisherCase(
        "take_while of a stream without end",
        ("operators.TakeWhile", "Stream.take_while"),
        lambda elements, workers: Stream.range(2**63 - 1).take_while(lambda n: n < elements),
        lambda workers: failed_source().take_while(lambda n: True),
        lambda position, workers: numbers_failing_at(position).take_while(lambda n: True),
    ),
    operator_case(
        "skip_while",
        ("operators.SkipWhile", "Stream.skip_while"),
        lambda stream, workers: stream.skip_while(lambda n: n < 3),
        taken=lambda elements: elements + 3,
    ),
    PublisherCase(
        "take_until",
        ("operators.TakeUntil", "Stream.take_until"),
        lambda elements, workers: (
            Stream.range(2**63 - 1).take_until(lambda n: n == elements - 1) if elements else Stream.empty()
        ),
        lambda workers: failed_source().take_until(lambda n: False),
        lambda position, workers: numbers_failing_at(position).take_until(lambda n: False),
    ),
    operator_case(
        "take_until another stream",
        ("operators.TakeUntil", "Stream.take_until"),
        lambda stream, workers: stream.take_until(Stream.never()),
    ),
    operator_case(
        "skip_until",
        ("operators.SkipUntil", "Stream.skip_until"),
        lambda stream, workers: stream.skip_until(lambda n: n == 3),
        taken=lambda elements: elements + 3,
    ),
    operator_case(
        "skip_until another stream",
        ("operators.SkipUntil", "Stream.skip_until"),
        lambda stream, workers: stream.skip_until(Stream.just(1)),
    ),
    operator_case(
        "distinct",
        ("operators.Distinct", "Stream.distinct"),
        lambda stream, workers: stream.distinct(lambda n: n // 2),
        taken=lambda elements: 2 * elements,
    ),
    operator_case(
        "distinct_until_changed",
        ("operators.DistinctUntilChanged", "Stream.distinct_until_changed"),
        lambda stream, workers: stream.distinct_until_changed(lambda n: n // 2),
        taken=lambda elements: 2 * elements,
    ),
    PublisherCase(
        "take_last",
        ("operators.TakeLast", "Stream.take_last"),
        lambda elements, workers: Stream.range(2 * elements).take_last(elements),
        lambda workers: failed_source().take_last(3),
        longest=10_000,
    ),
    operator_case(
        "skip_last",
        ("operators.SkipLast", "Stream.skip_last"),
        lambda stream, workers: stream.skip_last(3),
        taken=lambda elements: elements + 3,
    ),
    PublisherCase(
        "ignore_elements",
        ("operators.IgnoreElements", "Stream.ignore_elements"),
        lambda elements, workers: Stream.range(100).ignore_elements(),
        lambda workers: failed_source().ignore_elements(),
        longest=0,
    ),
    operator_case(
        "of_type",
        ("operators.OfType", "Stream.of_type"),
        lambda stream, workers: stream.map(lambda n: n if n % 2 else str(n)).of_type(int),
        taken=lambda elements: 2 * elements,
    ),
    operator_case("cast", ("operators.Cast", "Stream.cast"), lambda stream, workers: stream.cast(int)),
    operator_case(
        "handle",
        ("operators.Handle", "Stream.handle"),
        lambda stream, workers: stream.handle(lambda n, sink: sink.emit(-n) if n % 2 else None),
        taken=lambda elements: 2 * elements,
    ),
    operator_case(
        "map_indexed",
        ("operators.MapIndexed", "Stream.map_indexed"),
        lambda stream, workers: stream.map_indexed(lambda n, index: n * index),
    ),
    operator_case(
        "filter_indexed",
        ("operators.FilterIndexed", "Stream.filter_indexed"),
        lambda stream, workers: stream.filter_indexed(lambda n, index: index % 2),
        taken=lambda elements: 2 * elements,
    ),
    PublisherCase(
        "sorted",
        ("operators.Sorted", "Stream.sorted"),
        lambda elements, workers: Stream.range(elements).sorted(lambda number: -number),
        lambda workers: failed_source().sorted(),
        longest=10_000,
    ),
    operator_case(
        "scan",
        ("operators.Scan", "Stream.scan"),
        lambda stream, workers: stream.scan(lambda total, n: total + n, 0),
    ),
    operator_case(
        "scan without a seed",
        ("operators.Scan", "Stream.scan"),
        lambda stream, workers: stream.scan(lambda total, n: total + n),
    ),
    operator_case(
        "enumerate", ("operators.Enumerate", "Stream.enumerate"), lambda stream, workers: stream.enumerate(1)
    ),
    operator_case(
        "starmap",
        ("operators.Starmap", "Stream.starmap"),
        lambda stream, workers: stream.map(lambda n: (n, 2)).starmap(divmod),
    ),
    operator_case(
        "pluck",
        ("operators.Pluck", "Stream.pluck"),
        lambda stream, workers: stream.map(lambda n: (n, 2)).pluck(0),
    ),
    operator_case(
        "pluck_attr",
        ("operators.PluckAttr", "Stream.pluck_attr"),
        lambda stream, workers: stream.pluck_attr("real"),
    ),
    operator_case(
        "scan of each key",
        ("operators.KeyedScan", "Stream.key_by"),
        lambda stream, workers: stream.key_by(lambda n: n % 3).scan(lambda total, n: total + n, 0),
    ),
    operator_case(
        "operators of each key",
        ("operators.Keyed", "Stream.key_by"),
        lambda stream, workers: stream.key_by(lambda n: n % 3).through(pipeline().map(str).map(int)),
    ),
    operator_case(
        "lists of one element of each key",
        ("operators.KeyedBuffer", "Stream.key_by"),
        lambda stream, workers: stream.key_by(lambda n: n % 3).buffer(1),
    ),
    operator_case(
        "groups that are flattened",
        ("operators.GroupBy", "Stream.group_by", "GroupedStream"),
        lambda stream, workers: stream.group_by(lambda n: n % 3).flat_map(lambda group: group),
    ),
    operator_case(
        "keys of groups that end",
        ("operators.GroupByUntil", "Stream.group_by_until"),
        lambda stream, workers: stream.group_by_until(lambda n: n, lambda key: [key]).map(lambda group: group.key),
    ),
    operator_case(
        "groups until a stream ends them",
        ("operators.GroupByUntil", "Stream.group_by_until"),
        lambda stream, workers: stream.group_by_until(lambda n: n % 3, lambda key: [key]).flat_map(lambda group: group),
    ),
    operator_case(
        "first elements of each key",
        ("operators.KeyedTake", "Stream.key_by"),
        lambda stream, workers: stream.key_by(lambda n: n % 3).take(10**6),
    ),
    operator_case(
        "different elements of each key",
        ("operators.KeyedDistinct", "Stream.key_by"),
        lambda stream, workers: stream.key_by(lambda n: n % 3).distinct(),
    ),
    PublisherCase(
        "counts of many keys",
        ("operators.KeyedCount", "Stream.key_by"),
        lambda elements, workers: Stream.range(elements).key_by(lambda n: n).count(),
        longest=10_000,
    ),
    PublisherCase(
        "windows of event time",
        ("operators.KeyedWindows", "Stream.with_timestamps"),
        lambda elements, workers: (
            Stream.range(elements).with_timestamps(float).key_by(lambda n: n % 3).tumbling(1).count()
        ),
        longest=10_000,
    ),
    PublisherCase(
        "join by key and time",
        ("operators.KeyedJoin", "Stream.with_timestamps"),
        lambda elements, workers: (
            Stream.range(elements)
            .with_timestamps(float)
            .key_by(lambda n: n % 3)
            .join(Stream.range(elements).with_timestamps(float).key_by(lambda n: n % 3), within=0)
        ),
        longest=10_000,
    ),
    PublisherCase(
        "group_join by key and time",
        ("operators.KeyedGroupJoin", "Stream.with_timestamps"),
        lambda elements, workers: (
            Stream.range(elements)
            .with_timestamps(float)
            .key_by(lambda n: n % 3)
            .group_join(Stream.range(elements).with_timestamps(float).key_by(lambda n: n % 3), within=4)
        ),
        longest=10_000,
    ),
    PublisherCase(
        "folds of many keys",
        ("operators.KeyedReduce", "Stream.key_by"),
        lambda elements, workers: Stream.range(elements).key_by(lambda n: n).reduce(lambda total, n: total + n, 0),
        longest=10_000,
    ),
    PublisherCase(
        "aggregates of many keys",
        ("operators.KeyedAggregate", "Stream.key_by"),
        lambda elements, workers: Stream.range(elements).key_by(lambda n: n).aggregate(most="max"),
        longest=10_000,
    ),
    operator_case(
        "buffer",
        ("operators.Buffer", "Stream.buffer"),
        lambda stream, workers: stream.buffer(2),
        taken=lambda elements: 2 * elements,
    ),
    PublisherCase(
        "buffer whose last list is short",
        ("operators.Buffer", "Stream.buffer"),
        lambda elements, workers: Stream.range(max(0, 3 * elements - 1)).buffer(3),
    ),
    operator_case(
        "buffer of lists that overlap",
        ("operators.Buffer", "Stream.buffer"),
        lambda stream, workers: stream.buffer(2, 1),
    ),
    operator_case(
        "buffer with gaps",
        ("operators.Buffer", "Stream.buffer"),
        lambda stream, workers: stream.buffer(1, 3),
        taken=lambda elements: 3 * elements,
    ),
    operator_case(
        "sliding",
        ("operators.Sliding", "Stream.sliding"),
        lambda stream, workers: stream.sliding(2, 3),
        taken=lambda elements: 3 * elements,
    ),
    operator_case(
        "pairwise",
        ("operators.Pairwise", "Stream.pairwise"),
        lambda stream, workers: stream.pairwise(),
        taken=lambda elements: elements + 1 if elements else 0,
    ),
    operator_case(
        "window",
        ("operators.Window", "Stream.window"),
        lambda stream, workers: stream.window(3, 2).flat_map(lambda window: window.take(2)),
    ),
    operator_case(
        "window_until",
        ("operators.WindowUntil", "Stream.window_until"),
        lambda stream, workers: stream.window_until(lambda number: number % 2 == 1).concat_map(lambda window: window),
    ),
    operator_case(
        "window_when",
        ("operators.WindowWhen", "Stream.window_when"),
        lambda stream, workers: stream.window_when(Stream.never()).flat_map(lambda window: window),
    ),
    PublisherCase(
        "window_toggle",
        ("operators.WindowToggle", "Stream.window_toggle"),
        lambda elements, workers: (
            Stream.never()
            .window_toggle(Stream.range(elements), lambda _: [0], prefetch=1)
            .map(lambda window: window.key)
        ),
        lambda workers: Stream.never().window_toggle(failed_source(), lambda _: [0]),
        lambda position, workers: Stream.never().window_toggle(numbers_failing_at(position), lambda _: [0], prefetch=1),
    ),
    operator_case(
        "window_timeout",
        ("operators.WindowTimeout", "Stream.window_timeout"),
        lambda stream, workers: stream.window_timeout(3, 3600).concat_map(lambda window: window),
    ),
    operator_case(
        "split_when",
        ("operators.SplitWhen", "Stream.split_when"),
        lambda stream, workers: stream.split_when(lambda one, other: other % 2 == 0),
        taken=lambda elements: 2 * elements,
    ),
    operator_case(
        "buffer_until",
        ("operators.BufferUntil", "Stream.buffer_until"),
        lambda stream, workers: stream.buffer_until(lambda number: number % 2 == 1),
        taken=lambda elements: 2 * elements,
    ),
    operator_case(
        "buffer_while",
        ("operators.BufferWhile", "Stream.buffer_while"),
        lambda stream, workers: stream.buffer_while(lambda number: number % 2 == 0),
        taken=lambda elements: 2 * elements,
    ),
    PublisherCase(
        "buffer_toggle",
        ("operators.BufferToggle", "Stream.buffer_toggle"),
        lambda elements, workers: Stream.never().buffer_toggle(Stream.range(elements), lambda _: [0], prefetch=1),
        lambda workers: Stream.never().buffer_toggle(failed_source(), lambda _: [0]),
        lambda position, workers: Stream.never().buffer_toggle(numbers_failing_at(position), lambda _: [0], prefetch=1),
    ),
    PublisherCase(
        "buffer_when",
        ("operators.BufferWhen", "Stream.buffer_when"),
        lambda elements, workers: Stream.never().buffer_when(Stream.range(elements), prefetch=1),
        lambda workers: Stream.never().buffer_when(failed_source()),
        lambda position, workers: Stream.never().buffer_when(numbers_failing_at(position), prefetch=1),
    ),
    operator_case(
        "compress",
        ("operators.Compress", "Stream.compress"),
        lambda stream, workers: stream.compress(Stream.range(10**6).map(lambda n: n % 2), prefetch=1),
        taken=lambda elements: 2 * elements,
    ),
    PublisherCase(
        "intersperse",
        ("operators.Intersperse", "Stream.intersperse"),
        lambda elements, workers: (
            Stream.range(elements // 2 + 1).intersperse(7).take(elements) if elements else Stream.empty()
        ),
        lambda workers: failed_source().intersperse(7),
        lambda position, workers: numbers_failing_at((position + 1) // 2).intersperse(7),
    ),
    PublisherCase(
        "cycle",
        ("operators.Cycle", "Stream.cycle"),
        lambda elements, workers: Stream.just(1).cycle(elements) if elements else Stream.empty(),
        lambda workers: failed_source().cycle(),
        lambda position, workers: numbers_failing_at(position).cycle(),
    ),
    operator_case(
        "flat_map to one",
        ("operators.FlatMap", "Stream.flat_map"),
        lambda stream, workers: stream.flat_map(lambda n: [n], prefetch=1),
    ),
    PublisherCase(
        "flat_map to none or several",
        ("operators.FlatMap", "Stream.flat_map"),
        lambda elements, workers: Stream.range(elements + 1).flat_map(lambda n: () if n % 2 else (n, n)).take(elements),
    ),
    operator_case(
        "flat_map to streams",
        ("operators.FlatMap", "Stream.flat_map"),
        lambda stream, workers: stream.flat_map(lambda n: Stream.just(n).map(int), prefetch=1),
    ),
    operator_case(
        "concat_map",
        ("operators.ConcatMap", "Stream.concat_map"),
        lambda stream, workers: stream.concat_map(lambda n: Stream.just(n).map(int), prefetch=1),
    ),
    operator_case(
        "flat_map_ordered",
        ("operators.FlatMapOrdered", "Stream.flat_map_ordered"),
        lambda stream, workers: stream.flat_map_ordered(lambda n: Stream.just(n).map(int), prefetch=1),
    ),
    operator_case(
        "merge_with",
        ("operators.MergeWith", "Stream.merge_with"),
        lambda stream, workers: stream.merge_with((), prefetch=1),
    ),
    operator_case(
        "zip_with",
        ("operators.ZipWith", "Stream.zip_with"),
        lambda stream, workers: stream.zip_with(Stream.range(10**6), prefetch=1),
    ),
    operator_case(
        "zip_longest",
        ("operators.ZipLongest", "Stream.zip_longest"),
        lambda stream, workers: stream.zip_longest((), prefetch=1),
    ),
    operator_case(
        "combine_latest",
        ("operators.CombineLatest", "Stream.combine_latest"),
        lambda stream, workers: stream.combine_latest([0], prefetch=1),
    ),
    operator_case(
        "with_latest_from",
        ("operators.WithLatestFrom", "Stream.with_latest_from"),
        lambda stream, workers: stream.with_latest_from([0], prefetch=1),
    ),
    operator_case(
        "map_async",
        ("operators.MapAsync", "Stream.map_async"),
        lambda stream, workers: stream.map_async(successor, loop=workers.new_loop()),
    ),
    operator_case(
        "map_async, as results come",
        ("operators.MapAsync", "Stream.map_async"),
        lambda stream, workers: stream.map_async(
            successor_later, concurrency=3, ordered=False, loop=workers.new_loop()
        ),
    ),
    PublisherCase(
        "map_async whose function fails",
        ("operators.MapAsync", "Stream.map_async"),
        lambda elements, workers: Stream.range(elements).map_async(
            successor_later, concurrency=1, loop=workers.new_loop()
        ),
        create_failing_at=lambda position, workers: Stream.range(position + 10).map_async(
            partial(inverse_distance, position), loop=workers.new_loop()
        ),
    ),
    operator_case(
        "map_in_executor",
        ("operators.MapInExecutor", "Stream.map_in_executor"),
        lambda stream, workers: stream.map_in_executor(str, workers.new_executor()),
    ),
    operator_case(
        "map_in_executor of chunks, as results come",
        ("operators.MapInExecutor", "Stream.map_in_executor"),
        lambda stream, workers: stream.map_in_executor(
            str, workers.new_executor(), concurrency=3, chunk=2, ordered=False
        ),
    ),
    PublisherCase(
        "map_in_executor whose function fails",
        ("operators.MapInExecutor", "Stream.map_in_executor"),
        lambda elements, workers: Stream.range(elements).map_in_executor(str, workers.new_executor(), concurrency=1),
        create_failing_at=lambda position, workers: Stream.range(position + 10).map_in_executor(
            lambda number: 1 / (position - number), workers.new_executor(), chunk=3
        ),
    ),
    operator_case(
        "recorded", ("operators.Recorded", "Stream.recorded"), lambda stream, workers: stream.recorded(os.devnull)
    ),
    operator_case("log", ("operators.Log", "Stream.log"), lambda stream, workers: stream.log(level=0)),
    operator_case(
        "tap", ("operators.Tap", "Stream.tap"), lambda stream, workers: stream.tap(MemoryMetrics(), name="numbers")
    ),
    operator_case(
        "progress", ("operators.Progress", "Stream.progress"), lambda stream, workers: stream.progress("numbers")
    ),
    operator_case(
        "checkpoint", ("operators.Checkpoint", "Stream.checkpoint"), lambda stream, workers: stream.checkpoint("here")
    ),
    operator_case(
        "do", ("operators.Do", "Stream.do"), lambda stream, workers: stream.do(lambda n: None, on_complete=lambda: None)
    ),
    operator_case(
        "observe_on",
        ("operators.ObserveOn", "Stream.observe_on", "WorkerScheduler"),
        lambda stream, workers: stream.observe_on(workers.new()),
    ),
    operator_case(
        "observe_on the thread that is there",
        ("operators.ObserveOn", "Stream.observe_on", "ImmediateScheduler"),
        lambda stream, workers: stream.observe_on(ImmediateScheduler()),
    ),
    operator_case(
        "observe_on one element ahead, and work after it",
        ("operators.ObserveOn", "Stream.observe_on", "WorkerScheduler"),
        lambda stream, workers: stream.observe_on(workers.new(), prefetch=1).map(str).filter(len),
    ),
    operator_case(
        "observe_on twice",
        ("operators.ObserveOn", "Stream.observe_on", "WorkerScheduler"),
        lambda stream, workers: stream.observe_on(workers.new()).map(str).observe_on(workers.new()),
    ),
    operator_case(
        "subscribe_on",
        ("operators.SubscribeOn", "Stream.subscribe_on", "WorkerScheduler"),
        lambda stream, workers: stream.subscribe_on(workers.new()),
    ),
    operator_case(
        "subscribe_on the thread that is there",
        ("operators.SubscribeOn", "Stream.subscribe_on", "ImmediateScheduler"),
        lambda stream, workers: stream.subscribe_on(ImmediateScheduler()),
    ),
    operator_case(
        "parallel in order",
        ("operators.Parallel", "Stream.parallel"),
        lambda stream, workers: stream.parallel(3).run_on(workers.new()).map(str).filter(len).sequential(ordered=True),
    ),
    operator_case(
        "parallel as results come, one element ahead",
        ("operators.Parallel", "Stream.parallel"),
        lambda stream, workers: (
            stream.parallel(2, prefetch=1).run_on(workers.new(), prefetch=1).flat_map(lambda n: (n,)).sequential()
        ),
    ),
    operator_case(
        "parallel in the thread that is there",
        ("operators.Parallel", "Stream.parallel"),
        lambda stream, workers: stream.parallel(2).map(str).sequential(),
    ),
    operator_case(
        "operator in Python",
        ("operators.Lift", "Stream.lift", "PythonStage"),
        lambda stream, workers: stream.lift(PassOn),
    ),
    operator_case(
        "operator of the example own_operator",
        ("operators.Lift", "Stream.lift", "PythonStage", "examples/own_operator.py"),
        lambda stream, workers: stream.lift(example("own_operator.py", "OnlyRecords")),
    ),
    PublisherCase(
        "operator in Python with a demand of its own",
        ("operators.Lift", "Stream.lift", "PythonStage"),
        lambda elements, workers: Stream.range((elements + 1) // 2).lift(Repeat).take(elements),
        lambda workers: failed_source().lift(Repeat),
        lambda position, workers: numbers_failing_at(position // 2).lift(Repeat),
    ),
    operator_case(
        "pipeline of several operators",
        ("Stream.through", "pipeline"),
        lambda stream, workers: stream.through(
            pipeline().filter(lambda n: n % 2 == 0).map(str).scan(lambda last, text: text, "").do(len)
        ),
        taken=lambda elements: 2 * elements,
    ),
    operator_case(
        "deep chain",
        ("Stream.map",),
        lambda stream, workers: stream.through(deep()),
    ),
]
