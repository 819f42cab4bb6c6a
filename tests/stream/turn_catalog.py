"""Streams that make much and deliver little: each source, operator and awaited end, by its name in the library."""

import inspect
import itertools
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future
from typing import Any

from reactivestreams import Collector, OnNext, Stream, operators, pipeline, sources
from reactivestreams.metrics import MemoryMetrics
from reactivestreams.stream import ParallelStream
from reactivestreams.stream.keyed import KeyedStream
from reactivestreams.stream.operator_methods import OperatorMethods
from reactivestreams.subjects import BroadcastSubject, ReplaySubject, UnicastSubject, buffer
from rs_core.authors.base_classes import BasePublisher, BaseSubscription
from rs_core.operators.python_operator import PythonStage
from tests.contracts.arrow_batches import numbered_batches
from tests.contracts.executors import InlineExecutor

MANY = 10**12
KEPT = 200_000


class Made:
    """Counts what sources have made in the thread that has made this: where others make something, a loop is free."""

    def __init__(self) -> None:
        self.count = 0
        self.thread = threading.get_ident()

    def one(self, _element: object = None) -> None:
        self.count += threading.get_ident() == self.thread

    def iterator(self) -> Iterator[int]:
        for number in itertools.count():
            self.count += 1
            yield number

    async def async_iterator(self) -> AsyncIterator[int]:
        for number in itertools.count():
            self.count += 1
            yield number


class _Endless(BaseSubscription[int]):
    number = 0

    def on_request(self, n: int) -> None:
        for _ in range(n):
            self.number += 1
            self.emit(self.number)


class EndlessPublisher(BasePublisher[int]):
    """Sends as much as is requested, inside of `request`."""

    def create_subscription(self, subscriber: Any) -> BaseSubscription[int]:
        return _Endless(subscriber)


class WrappedStream:
    """A publisher that nobody knows to be a stream."""

    def __init__(self, stream: Stream[int]) -> None:
        self._stream = stream

    def subscribe(self, subscriber: Any) -> None:
        self._stream.subscribe(subscriber)


def _created(made: Made) -> Stream[int]:
    def callback(emitter: Any) -> None:
        def emit() -> None:
            while not emitter.is_cancelled:
                emitter.emit(1)

        threading.Thread(target=emit, daemon=True).start()

    return Stream.create(callback, on_overflow="block").do(on_next=made.one)


def _kept(subject: Any, made: Made) -> Stream[int]:
    for number in range(KEPT):
        subject.on_next(number)
    return Stream.from_publisher(subject).do(on_next=made.one)


def _fed(made: Made) -> Stream[int]:
    subject: BroadcastSubject[int] = BroadcastSubject()
    Stream.range(MANY).do(on_next=made.one).subscribe(subject)
    return Stream.from_publisher(subject)


def _counted(stream: Stream[int]) -> Callable[[Made], Stream[int]]:
    return lambda made: stream.do(on_next=made.one)


class _Refilled:
    """A queue that is never empty."""

    def put(self, element: int) -> None:
        raise NotImplementedError

    def get(self, *, timeout: float) -> int:
        return 1


class _RefilledInLoop(_Refilled):
    async def get(self) -> int:  # type: ignore[override]
        return 1


def _done() -> Future[int]:
    future: Future[int] = Future()
    future.set_result(1)
    return future


SOURCES: dict[str, dict[str, Callable[[Made], Stream[Any]]]] = {
    "Range": {"range": _counted(Stream.range(MANY)), "huge range": _counted(Stream.range(2**80))},
    "FromIterable": {
        "generator": lambda made: Stream.from_iterable(made.iterator()),
        "counter": lambda made: Stream.from_iterable(itertools.count()).do(on_next=made.one),
    },
    "FromAsyncIterable": {"asynchronous generator": lambda made: Stream.from_async_iterable(made.async_iterator())},
    "FromPublisher": {
        "bound stream": lambda made: Stream.from_publisher(Stream.range(MANY).do(on_next=made.one)),
        "bound stream that sends nothing": lambda made: Stream.from_publisher(
            Stream.range(MANY).do(on_next=made.one).filter(lambda _: False)
        ),
        "wrapped stream that sends nothing": lambda made: Stream.from_publisher(
            WrappedStream(Stream.range(MANY).do(on_next=made.one).filter(lambda _: False))
        ),
        "publisher of an author": lambda made: Stream.from_publisher(EndlessPublisher()).do(on_next=made.one),
        "replaying subject": lambda made: _kept(ReplaySubject(KEPT, policy=buffer(KEPT)), made),
        "unicast subject": lambda made: _kept(UnicastSubject(capacity=KEPT), made),
        "subject that a stream feeds": _fed,
    },
    "Create": {"emitter": _created},
    "Defer": {"deferred stream": lambda made: Stream.defer(lambda: Stream.range(MANY).do(on_next=made.one))},
    "Generate": {"unfolded state": _counted(Stream.generate(0, lambda number: (number, number + 1)))},
    "Timer": {"timer as fast as it can": _counted(Stream.timer(0, 0))},
    "Interval": {"interval": _counted(Stream.interval(0.000001, unrequested="keep"))},
    "RepeatValue": {"repeated value": _counted(Stream.repeat_value(1))},
    "Using": {"stream with a resource": lambda made: Stream.using(int, lambda _: made.iterator(), int)},
    "FromQueue": {
        "queue of the loop": lambda made: Stream.from_queue(_RefilledInLoop()).do(on_next=made.one),
        "queue of threads": lambda made: Stream.from_queue(_Refilled()).do(on_next=made.one),
    },
    "Amb": {
        "amb": lambda made: Stream.amb(Stream.range(MANY).do(on_next=made.one), [1]),
        "amb of what sends nothing": lambda made: Stream.amb(
            Stream.range(MANY).do(on_next=made.one).filter(lambda _: False), Stream.never()
        ),
    },
    "WhenAll": {"when_all": lambda made: Stream.when_all(Stream.range(MANY).do(on_next=made.one), [1])},
    # They make one element.
    "FromCallable": {"callable": _counted(Stream.from_callable(lambda: 1).repeat())},
    "FromFuture": {"future": lambda made: Stream.from_future(_done()).do(on_next=made.one).repeat()},
    # They make nothing.
    "Empty": {},
    "Error": {},
    "Never": {},
}


class Swallow(PythonStage[Any, Any]):
    name = "test/swallow"

    def on_next(self, element: Any) -> None:
        pass


class SwallowOwn(PythonStage[Any, Any]):
    name = "test/swallow_own"
    demand = "own"

    def on_request(self, n: int) -> None:
        self.request_upstream(16)

    def on_next(self, element: Any) -> None:
        self.request_upstream(1)


class Multiply(PythonStage[Any, Any]):
    name = "test/multiply"
    demand = "own"
    capacity = 4096

    def on_request(self, n: int) -> None:
        self.request_upstream(1)

    def on_next(self, element: Any) -> None:
        for _ in range(500):
            self.emit(element)
        self.request_upstream(1)


async def _awaited(element: Any) -> Any:
    return element


def _none(_element: object) -> bool:
    return False


def _key(_element: object) -> int:
    return 0


Operator = Callable[[Stream[Any], Any], Stream[Any]]
"""Adds an operator; the second argument is a scheduler of the loop."""


End = Callable[[Stream[Any]], Awaitable[Any]]

FOLDS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "AllMatch": ("all", (lambda _: True,)),
    "AnyMatch": ("any", (_none,)),
    "Average": ("average", ()),
    "Collect": ("collect", (Collector(list, lambda _, element: None),)),
    "Contains": ("contains", ("not there",)),
    "Count": ("count", ()),
    "ElementAt": ("element_at", (MANY,)),
    "ElementAtOrDefault": ("element_at_or_default", (MANY,)),
    "First": ("first", ()),
    "FirstOrDefault": ("first_or_default", ()),
    "IsEmpty": ("is_empty", ()),
    "Last": ("last", ()),
    "LastOrDefault": ("last_or_default", ()),
    "Max": ("max", (_key,)),
    "Min": ("min", (_key,)),
    "Reduce": ("reduce", (lambda total, _: total, 0)),
    "SequenceEqual": ("sequence_equal", (range(MANY),)),
    "Single": ("single", ()),
    "SingleOrDefault": ("single_or_default", ()),
    "Sum": ("sum", ()),
    "ToDict": ("to_dict", (_key,)),
    "ToList": ("to_list", ()),
    "ToLookup": ("to_lookup", (_key,)),
    "ToSet": ("to_set", ()),
}
"""The operators with one result, each with the method and arguments with which an endless stream never decides it."""

DECIDED_BY_ONE = {"First", "FirstOrDefault", "IsEmpty", "Single", "SingleOrDefault"}


def _folded(name: str) -> Operator:
    method, arguments = FOLDS[name]

    def add(stream: Stream[Any], _: Any) -> Stream[Any]:
        endless = stream.filter(_none) if name in DECIDED_BY_ONE else stream
        return endless.through(getattr(pipeline(), method)(*arguments))

    return add


def _awaited_fold(name: str) -> End:
    method, arguments = FOLDS[name]
    return lambda stream: getattr(stream, f"{method}_async")(*arguments)


def _rails(stream: Stream[Any], scheduler: Any) -> ParallelStream[Any]:
    rails = stream.parallel(2)
    return rails if scheduler is None else rails.run_on(scheduler)


def _batches(stream: Stream[Any]) -> Stream[Any]:
    batch = numbered_batches(1)[0]
    return stream.map(lambda _: batch)


def _columns(stream: Stream[Any], name: str) -> Stream[Any]:
    import pyarrow.compute as pc

    field = pc.field(numbered_batches(1)[0].schema.names[0])
    if name == "filter_batches":
        return _batches(stream).filter_batches(field != field)
    return getattr(_batches(stream), name)(added=field)  # type: ignore[no-any-return]


OPERATORS: dict[str, dict[str, Operator]] = {
    **{name: {f"{FOLDS[name][0]} as an operator": _folded(name)} for name in FOLDS},
    "Append": {"append": lambda s, _: s.append(1)},
    "Buffer": {
        "buffer": lambda s, _: s.buffer(10**6),
        "buffer of lists that overlap": lambda s, _: s.buffer(10**6, 10**5),
        "buffer of short lists that overlap": lambda s, _: s.buffer(2, 1).filter(_none),
        "buffer of what is left out": lambda s, _: s.buffer(1, MANY),
    },
    "BufferToggle": {
        "buffer_toggle": lambda s, _: s.buffer_toggle(Stream.range(10**9), lambda _: [0]).filter(_none),
        "buffer_toggle of what never comes": lambda s, _: s.buffer_toggle(Stream.never(), lambda _: [0]),
        "buffer_toggle of one list": lambda s, _: s.buffer_toggle([0], lambda _: Stream.never(), max_elements=10**7),
    },
    "BufferUntil": {
        "buffer_until": lambda s, _: s.buffer_until(lambda _: True).filter(_none),
        "buffer_until without an end": lambda s, _: s.buffer_until(lambda _: False, max_elements=2**24),
    },
    "BufferWhile": {
        "buffer_while": lambda s, _: s.buffer_while(lambda _: False),
        "buffer_while without an end": lambda s, _: s.buffer_while(lambda _: True, max_elements=2**24),
    },
    "BufferWhen": {
        "buffer_when": lambda s, _: s.buffer_when(Stream.range(10**9)).filter(_none),
        "buffer_when of what never comes": lambda s, _: s.buffer_when(Stream.never(), max_elements=10**7),
    },
    "Compress": {
        "compress": lambda s, _: s.compress(Stream.range(10**9)).filter(_none),
        "compress to nothing": lambda s, _: s.compress(itertools.repeat(0)),
    },
    "Cast": {"cast": lambda s, _: s.cast(int)},
    "ConcatWith": {
        "concat_with": lambda s, _: s.concat_with([1]),
        "concat_with behind nothing": lambda s, _: Stream.empty().concat_with(s),
        "concat_with of what is let go": lambda s, _: Stream.empty().concat_with(s).filter(_none),
    },
    "Cycle": {
        "cycle": lambda s, _: s.cycle(max_elements=None),
        "cycle of one element": lambda s, _: s.take(1).cycle().filter(_none),
    },
    "DefaultIfEmpty": {"default_if_empty": lambda s, _: s.default_if_empty(1)},
    "Distinct": {"distinct": lambda s, _: s.distinct(_key)},
    "DistinctUntilChanged": {"distinct_until_changed": lambda s, _: s.distinct_until_changed(_key)},
    "Enumerate": {"enumerate": lambda s, _: s.enumerate().filter(_none)},
    "Dematerialize": {
        "dematerialize": lambda s, _: s.map(OnNext).dematerialize(),
        "dematerialize of what is let go": lambda s, _: s.map(OnNext).dematerialize().filter(_none),
    },
    "Do": {
        "do": lambda s, _: s.do(on_next=repr),
        "do on all sides": lambda s, _: s.do(on_request=repr, on_cancel=list, on_finally=list).filter(_none),
    },
    "ExhaustMap": {
        "exhaust_map of nothing": lambda s, _: s.exhaust_map(lambda _: ()),
        "exhaust_map of much": lambda s, _: s.exhaust_map(lambda _: Stream.range(10**9).filter(_none)),
        "exhaust_map of what never comes": lambda s, _: s.exhaust_map(lambda _: Stream.never()),
    },
    "Expand": {
        "expand": lambda s, _: s.take(1).expand(lambda n: (n,)).filter(_none),
        "expand of nothing": lambda s, _: s.filter(_none).expand(lambda _: ()),
        "expand of streams of much": lambda s, _: s.take(1).expand(lambda _: Stream.range(10**9).filter(_none)),
    },
    "Filter": {"filter": lambda s, _: s.filter(_none)},
    "FilterIndexed": {"filter_indexed": lambda s, _: s.filter_indexed(lambda *_: False)},
    "FilterBatches": {"filter_batches": lambda s, _: _columns(s, "filter_batches")},
    "Log": {"log": lambda s, _: s.log(level=0)},
    "Tap": {"tap": lambda s, _: s.tap(MemoryMetrics(), name="numbers")},
    "Progress": {"progress": lambda s, _: s.progress("numbers")},
    "Recorded": {"recorded": lambda s, _: s.recorded(os.devnull)},
    "Checkpoint": {"checkpoint": lambda s, _: s.checkpoint("here")},
    "Finally": {"finally_": lambda s, _: s.finally_(list).filter(_none)},
    "FlatMap": {
        "flat_map of nothing": lambda s, _: s.flat_map(lambda _: ()),
        "flat_map of much": lambda s, _: s.flat_map(lambda _: range(10**9)),
        "flat_map of what is let go": lambda s, _: s.flat_map(lambda _: itertools.repeat(1)).filter(_none),
        "flat_map of streams of nothing": lambda s, _: s.flat_map(lambda _: Stream.empty()),
        "flat_map of streams of much": lambda s, _: s.flat_map(lambda _: Stream.range(10**9).filter(_none)),
    },
    "ConcatMap": {
        "concat_map of streams of nothing": lambda s, _: s.concat_map(lambda _: Stream.empty()),
        "concat_map of streams of much": lambda s, _: s.concat_map(lambda _: Stream.range(10**9).filter(_none)),
    },
    "FlatMapOrdered": {
        "flat_map_ordered of nothing": lambda s, _: s.flat_map_ordered(lambda _: Stream.empty()),
        "flat_map_ordered of much": lambda s, _: s.flat_map_ordered(lambda _: Stream.range(10**9).filter(_none)),
    },
    "Intersperse": {"intersperse": lambda s, _: s.intersperse(0).filter(_none)},
    "Handle": {"handle": lambda s, _: s.handle(lambda _, sink: None)},
    "IgnoreElements": {"ignore_elements": lambda s, _: s.ignore_elements()},
    "Materialize": {"materialize": lambda s, _: s.materialize().filter(_none)},
    "MergeWith": {"merge_with": lambda s, _: s.merge_with(Stream.range(10**9)).filter(_none)},
    "MergeSorted": {"merge_sorted": lambda s, _: s.merge_sorted(Stream.range(10**9)).filter(_none)},
    "ZipWith": {"zip_with": lambda s, _: s.zip_with(Stream.range(10**9)).filter(_none)},
    "ZipLongest": {"zip_longest": lambda s, _: s.zip_longest(Stream.range(10**9)).filter(_none)},
    "CombineLatest": {"combine_latest": lambda s, _: s.combine_latest(Stream.range(10**9)).filter(_none)},
    "WithLatestFrom": {
        "with_latest_from": lambda s, _: s.with_latest_from(Stream.just(1)).filter(_none),
        "with_latest_from of what never comes": lambda s, _: s.with_latest_from(Stream.never()),
    },
    "Keyed": {
        "keyed through": lambda s, _: s.key_by(_key).through(pipeline().filter(_none)),
        "keyed count that expires": lambda s, _: s.key_by(_key).expire_after(60).count(),
    },
    "GroupBy": {
        "group_by": lambda s, _: s.group_by(_key).map(lambda group: group.key).filter(_none),
        "group_by and flat_map": lambda s, _: s.group_by(_key).flat_map(lambda group: group.filter(_none)),
    },
    "Window": {
        "window": lambda s, _: s.window(1).map(lambda window: window.key).filter(_none),
        "window and flat_map": lambda s, _: s.window(10, 3).flat_map(lambda window: window.filter(_none)),
    },
    "WindowTimeout": {
        "window_timeout": lambda s, _: s.window_timeout(10, 3600).flat_map(lambda window: window.filter(_none)),
    },
    "WindowToggle": {
        "window_toggle": lambda s, _: s.window_toggle([0], lambda _: Stream.never()).flat_map(
            lambda window: window.filter(_none)
        ),
    },
    "WindowUntil": {
        "window_until": lambda s, _: s.window_until(lambda _: True).flat_map(lambda window: window.filter(_none)),
        "window_until without an end": lambda s, _: s.window_until(_none).flat_map(lambda window: window.filter(_none)),
    },
    "WindowWhen": {
        "window_when": lambda s, _: s.window_when(Stream.never()).flat_map(lambda window: window.filter(_none)),
    },
    "GroupByUntil": {
        "group_by_until": lambda s, _: s.group_by_until(_key, lambda _: Stream.never()).flat_map(
            lambda group: group.filter(_none)
        ),
    },
    "KeyedAggregate": {"aggregate of each key": lambda s, _: s.key_by(_key).aggregate(most=("max", repr))},
    "KeyedBuffer": {"buffer of each key": lambda s, _: s.key_by(_key).buffer(10**6)},
    "KeyedCount": {"count of each key": lambda s, _: s.key_by(_key).count()},
    "KeyedDistinct": {"distinct of each key": lambda s, _: s.key_by(_key).distinct(_key)},
    "KeyedGroupJoin": {
        "group_join": lambda s, _: (
            s.with_timestamps(float)
            .key_by(_key)
            .group_join(Stream.range(10**9).with_timestamps(float).key_by(_key), within=1)
            .filter(_none)
        ),
    },
    "KeyedJoin": {
        "join": lambda s, _: (
            s.with_timestamps(float)
            .key_by(_key)
            .join(Stream.range(10**9).with_timestamps(float).key_by(repr), within=1)
        ),
        "join of which many come at once": lambda s, _: (
            s.with_timestamps(lambda _: 0)
            .key_by(lambda _: 0)
            .join(Stream.range(10**9).with_timestamps(lambda _: 0).key_by(lambda _: 0), within=1, max_held=1000)
            .filter(_none)
        ),
    },
    "KeyedReduce": {"reduce of each key": lambda s, _: s.key_by(_key).reduce(lambda total, _: total, 0)},
    "KeyedScan": {"scan of each key": lambda s, _: s.key_by(lambda _: 0).scan(lambda total, _: total, 0)},
    "KeyedWindows": {
        "tumbling windows": lambda s, _: s.with_timestamps(int).key_by(_key).tumbling(10**9).count(),
        "sliding windows": lambda s, _: s.with_timestamps(int).key_by(_key).sliding(10**9, 10**8).count(),
        "sessions": lambda s, _: s.with_timestamps(int).key_by(_key).session(60).count(),
    },
    "KeyedTake": {"take of each key": lambda s, _: s.key_by(_key).take(1)},
    "Lift": {
        "lift": lambda s, _: s.lift(Swallow),
        "lift with a demand of its own": lambda s, _: s.lift(SwallowOwn),
        "lift that makes many of one": lambda s, _: s.lift(Multiply),
    },
    "LimitWeight": {
        "limit_weight": lambda s, _: s.limit_weight(1000, lambda _: 10).filter(_none),
    },
    "PauseWhile": {
        "pause_while": lambda s, _: s.pause_while(Stream.never()).filter(_none),
        "pause_while of much that is said": lambda s, _: s.pause_while(Stream.range(10**6)).filter(_none),
    },
    "LimitRate": {"limit_rate": lambda s, _: s.limit_rate(1000, 10).filter(_none)},
    "Parallel": {
        "parallel": lambda s, _: s.parallel(2).map(repr).sequential(),
        "parallel of which nothing comes, in order": lambda s, _: s.parallel(2).filter(_none).sequential(ordered=True),
        "parallel on a scheduler": lambda s, scheduler: _rails(s, scheduler).map(repr).sequential(),
    },
    "Map": {"map": lambda s, _: s.map(repr)},
    "MapAsync": {
        "map_async": lambda s, _: s.map_async(_awaited),
        "map_async without order": lambda s, _: s.map_async(_awaited, ordered=False, concurrency=1000),
        "map_async behind a filter": lambda s, _: s.filter(_none).map_async(_awaited),
    },
    "MapInExecutor": {
        "map_in_executor": lambda s, _: s.map_in_executor(repr, InlineExecutor()),
        "map_in_executor of chunks without order": lambda s, _: s.map_in_executor(
            repr, InlineExecutor(), ordered=False, concurrency=100, chunk=1000
        ),
        "map_in_executor behind a filter": lambda s, _: s.filter(_none).map_in_executor(repr, InlineExecutor()),
    },
    "MapBatches": {"map_batches": lambda s, _: _batches(s).map_batches(lambda batch: batch)},
    "MapIndexed": {"map_indexed": lambda s, _: s.map_indexed(lambda *_: 0)},
    "MapNotNone": {"map_not_none": lambda s, _: s.map_not_none(lambda _: None)},
    "ObserveOn": {
        "observe_on": lambda s, scheduler: s.observe_on(scheduler),
        "observe_on behind a filter": lambda s, scheduler: s.filter(_none).observe_on(scheduler),
    },
    "OfType": {"of_type": lambda s, _: s.of_type(str)},
    "OnBackpressureBatch": {"on_backpressure_batch": lambda s, _: s.on_backpressure_batch(1000).filter(_none)},
    "OnBackpressureBuffer": {
        "on_backpressure_buffer": lambda s, _: s.on_backpressure_buffer(9, "drop_newest", on_dropped=repr).filter(
            _none
        ),
    },
    "OnBackpressureDrop": {"on_backpressure_drop": lambda s, _: s.on_backpressure_drop(on_dropped=repr).filter(_none)},
    "OnBackpressureError": {
        "on_backpressure_error": lambda s, _: s.on_backpressure_error().on_error_resume(s).filter(_none),
    },
    "OnBackpressureLatest": {
        "on_backpressure_latest": lambda s, _: s.on_backpressure_latest(on_dropped=repr).filter(_none),
    },
    "OnBackpressureReduce": {
        "on_backpressure_reduce": lambda s, _: s.on_backpressure_reduce(lambda _, last: last).filter(_none),
    },
    "OnErrorContinue": {
        "on_error_continue": lambda s, _: s.map(lambda n: 1 // 0).on_error_continue(lambda error, n: None),
    },
    "OnErrorMap": {"on_error_map": lambda s, _: s.on_error_map(lambda error: error)},
    "OnErrorResume": {
        "on_error_resume": lambda s, _: s.on_error_resume([1]),
        "on_error_resume behind an error": lambda s, _: Stream.error(OSError("x")).on_error_resume(s),
    },
    "OnErrorReturn": {"on_error_return": lambda s, _: s.on_error_return(1)},
    "Pairwise": {"pairwise": lambda s, _: s.pairwise().filter(_none)},
    "Pluck": {"pluck": lambda s, _: s.map(lambda n: (n,)).pluck(0).filter(_none)},
    "PluckAttr": {"pluck_attr": lambda s, _: s.pluck_attr("real").filter(_none)},
    "Project": {"project": lambda s, _: _columns(s, "project")},
    "Repeat": {
        "repeat": lambda s, _: s.repeat(),
        "repeat of one element": lambda s, _: s.take(1).repeat(),
        "repeat of what is let go": lambda s, _: s.take(1).filter(_none).repeat(),
    },
    "RepeatWhen": {
        "repeat_when": lambda s, _: s.take(1).filter(_none).repeat_when(lambda counts: counts),
        "repeat_when of much": lambda s, _: s.take(1).repeat_when(lambda counts: itertools.count()).filter(_none),
    },
    "Retry": {"retry": lambda s, _: s.retry(3)},
    "Audit": {"audit": lambda s, _: s.audit(3600)},
    "BufferTimeout": {
        "buffer_timeout": lambda s, _: s.buffer_timeout(2**24, 3600),
        "buffer_timeout of one": lambda s, _: s.buffer_timeout(1, 3600).filter(_none),
    },
    "Debounce": {
        "debounce": lambda s, _: s.debounce(3600),
        "debounce by what never comes": lambda s, _: s.debounce(lambda _: Stream.never()),
        "debounce by nothing": lambda s, _: s.debounce(lambda _: Stream.empty()).filter(_none),
    },
    "Delay": {"delay": lambda s, _: s.delay(0).filter(_none)},
    "SubscribeOn": {"subscribe_on": lambda s, scheduler: s.subscribe_on(scheduler).filter(_none)},
    "DelaySubscription": {"delay_subscription": lambda s, _: s.delay_subscription(()).filter(_none)},
    "DelayUntil": {
        "delay_until nothing": lambda s, _: s.delay_until(lambda _: Stream.empty()).filter(_none),
        "delay_until much": lambda s, _: s.take(1).delay_until(lambda _: s).filter(_none),
        "delay_until an empty list": lambda s, _: s.delay_until(lambda _: ()).filter(_none),
    },
    "RateLimit": {"rate_limit": lambda s, _: s.rate_limit(2**24, 0.000001).filter(_none)},
    "Sample": {"sample": lambda s, _: s.sample(()), "sample of much": lambda s, _: s.sample(s).filter(_none)},
    "SkipFor": {"skip_for": lambda s, _: s.skip_for(3600)},
    "TakeFor": {"take_for": lambda s, _: s.take_for(3600).filter(_none)},
    "ThrottleFirst": {"throttle_first": lambda s, _: s.throttle_first(3600)},
    "ThrottleLatest": {"throttle_latest": lambda s, _: s.throttle_latest(3600)},
    "TimeInterval": {"time_interval": lambda s, _: s.time_interval().filter(_none)},
    "Timeout": {"timeout": lambda s, _: s.timeout(3600).filter(_none)},
    "Timestamp": {"timestamp": lambda s, _: s.timestamp().filter(_none)},
    "RetryWhen": {
        "retry_when": lambda s, _: s.map(lambda n: 1 // 0).retry_when(lambda errors: errors),
        "retry_when of what is let go": lambda s, _: s.filter(_none).retry_when(lambda errors: errors),
    },
    "Scan": {
        "scan": lambda s, _: s.scan(lambda total, _: total, 0),
        "scan without a seed": lambda s, _: s.scan(lambda total, _: total).filter(_none),
    },
    "Skip": {"skip": lambda s, _: s.skip(MANY)},
    "Sliding": {"sliding": lambda s, _: s.sliding(10**6), "sliding with gaps": lambda s, _: s.sliding(1, MANY)},
    "SkipLast": {"skip_last": lambda s, _: s.skip_last(2**20).filter(_none)},
    "SkipUntil": {
        "skip_until": lambda s, _: s.skip_until(_none),
        "skip_until what never comes": lambda s, _: s.skip_until(Stream.never()),
        "skip_until, of which nothing is let go": lambda s, _: s.skip_until([1]).filter(_none),
    },
    "SkipWhile": {"skip_while": lambda s, _: s.skip_while(lambda _: True)},
    "Sorted": {"sorted": lambda s, _: s.sorted(_key, max_elements=2**24)},
    "SplitWhen": {
        "split_when": lambda s, _: s.split_when(lambda one, other: True).filter(_none),
        "split_when that never splits": lambda s, _: s.split_when(lambda one, other: False, max_elements=2**24),
    },
    "Starmap": {"starmap": lambda s, _: s.map(lambda n: (n,)).starmap(repr)},
    "StartWith": {"start_with": lambda s, _: s.start_with(1)},
    "SwitchIfEmpty": {
        "switch_if_empty": lambda s, _: s.switch_if_empty([1]),
        "switch_if_empty behind nothing": lambda s, _: Stream.empty().switch_if_empty(s),
    },
    "SwitchMap": {
        "switch_map of nothing": lambda s, _: s.switch_map(lambda _: ()),
        "switch_map of much": lambda s, _: s.take(1).switch_map(lambda _: Stream.range(10**9).filter(_none)),
        "switch_map of what never comes": lambda s, _: s.switch_map(lambda _: Stream.never()),
    },
    "Take": {"take": lambda s, _: s.take(MANY)},
    "TakeLast": {"take_last": lambda s, _: s.take_last(2**10)},
    "TakeUntil": {
        "take_until": lambda s, _: s.take_until(_none),
        "take_until what never comes": lambda s, _: s.take_until(Stream.never()),
        "take_until what never comes, of what is let go": lambda s, _: s.take_until(Stream.never()).filter(_none),
    },
    "TakeWhile": {"take_while": lambda s, _: s.take_while(lambda _: True)},
    "Then": {
        "then": lambda s, _: s.then([1]),
        "then behind nothing": lambda s, _: Stream.empty().then(s).filter(_none),
    },
    "WithColumns": {"with_columns": lambda s, _: _columns(s, "with_columns")},
}


async def _iterate(stream: Stream[Any]) -> None:
    async for _ in stream:
        pass


async def _taken(_element: object) -> None:
    pass


ENDS: dict[str, dict[str, End]] = {
    "iterate_async": {"async for": _iterate},
    **{f"{FOLDS[name][0]}_async": {f"{FOLDS[name][0]}_async": _awaited_fold(name)} for name in FOLDS},
    "for_each_async": {
        "for_each_async": lambda s: s.for_each_async(repr),
        "for_each_async of a coroutine": lambda s: s.for_each_async(_taken),
    },
    "run_async": {"run_async": lambda s: s.run_async()},
}


def catalog_of(table: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return all entries by their names, of which there may be none twice."""
    entries = [entry for named in table.values() for entry in named.items()]
    catalog = dict(entries)
    assert len(catalog) == len(entries)
    return catalog


def named_in_the_library() -> dict[str, set[str]]:
    """Return the names of all sources, operators and ends that are awaited."""
    return {
        "sources": set(sources.__all__),
        "operators": set(operators.__all__) - {"OperatorDefinition"},
        "ends": {name for name in dir(Stream) if name.endswith("_async") and not hasattr(OperatorMethods, name)},
        "keyed": {name for name, _ in inspect.getmembers(KeyedStream) if not name.startswith("_")},
    }
