"""Types of Stream, Pipeline and their keyed forms; read by the type checker only."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime, timedelta
from queue import Queue
from typing import Any, assert_type

from reactivestreams import (
    EmitResult,
    GroupedStream,
    KeyedStream,
    OverflowPolicy,
    Pipeline,
    Stream,
    StreamEmitter,
    TimeWindow,
    pipeline,
)
from reactivestreams.schedulers import ImmediateScheduler, Scheduler, WorkerScheduler
from reactivestreams.spec import Publisher, Subscriber, Subscription
from reactivestreams.stream import ConnectableStream, KeyedPipeline, Operator
from reactivestreams.subjects import BroadcastSubject
from rs_core.authors.subscriber import BaseSubscriber
from rs_core.ends.blocking_iterator import BlockingIterator
from rs_core.ends.subscriber import SubscriberStage
from rs_core.sharing import Connection
from rs_core.stream.description import Assembly, Description


@dataclass
class Flight:
    origin: str
    delay_minutes: int


def flights() -> Iterator[Flight]:
    return iter(())


def add(total: int, flight: Flight) -> int:
    return total + flight.delay_minutes


def lengths(word: str) -> list[int]:
    return [len(word)]


class Sink:
    def on_subscribe(self, subscription: Subscription) -> None: ...
    def on_next(self, element: object) -> None: ...
    def on_error(self, error: Exception) -> None: ...
    def on_complete(self) -> None: ...


class FlightSink(Sink):
    def on_next(self, element: Flight) -> None: ...  # type: ignore[override]


numbers: Stream[int] = Stream.range(5)
words: Stream[str] = Stream.just("a", "b")
delays: Stream[Flight] = Stream.from_iterable(flights())

# --- sources ------------------------------------------------------------------------------------------------------

assert_type(Stream.from_iterable(["a"]), Stream[str])
assert_type(Stream.from_iterable({"a": 1}), Stream[str])
assert_type(Stream.range(0, 10, 2), Stream[int])


def push_words(emitter: StreamEmitter[str]) -> None:
    assert_type(emitter.emit("a"), EmitResult)
    assert_type(emitter.complete(), bool)
    assert_type(emitter.fail(ValueError("why")), bool)
    assert_type(emitter.demand, int)
    assert_type(emitter.is_cancelled, bool)
    emitter.on_dispose(lambda: 3)
    emitter.emit(1)  # type: ignore[arg-type]
    emitter.on_dispose(3)  # type: ignore[arg-type]


def push_anything(emitter: StreamEmitter[object]) -> None: ...


assert_type(Stream.create(push_words, on_overflow="error"), Stream[str])
assert_type(Stream.create(push_words, on_overflow=OverflowPolicy.BLOCK, block_timeout_seconds=1).map(len), Stream[int])
Stream.create(push_words)  # type: ignore[call-arg]
Stream.create(push_words, "error")  # type: ignore[call-arg]
Stream.create(3, on_overflow="error")  # type: ignore[arg-type]
Stream.create(push_words, on_overflow="error", capacity="8")  # type: ignore[arg-type]
assert_type(Stream.from_publisher(numbers), Stream[int])
assert_type(Stream.from_publisher(words, prefetch=8), Stream[str])
assert_type(Stream.just(1, 2), Stream[int])
assert_type(Stream[Flight].empty(), Stream[Flight])
assert_type(Stream.from_callable(lambda: 3), Stream[int])
assert_type(Stream.from_future(Future[str]()), Stream[str])
assert_type(Stream.from_queue(Queue[str](), sentinel="end"), Stream[str])
assert_type(Stream.defer(lambda: ["a"]), Stream[str])
assert_type(Stream.using(flights, lambda resource: words, lambda resource: None), Stream[str])
assert_type(Stream.repeat_value(3, 4), Stream[int])
assert_type(Stream.timer(3), Stream[int])
assert_type(Stream.interval(0.5, unrequested="keep"), Stream[int])
Stream.interval(0.5, unrequested="lose")  # type: ignore[arg-type]
assert_type(words.delay(1), Stream[str])
assert_type(words.timeout(1, fallback=[3]), Stream[str | int])
assert_type(words.timestamp(), Stream[tuple[datetime, str]])
assert_type(words.buffer_timeout(3, 0.5), Stream[list[str]])
assert_type(words.rate_limit(3, 0.5, burst=1), Stream[str])
assert_type(words.on_backpressure_buffer(9, "latest", on_dropped=len), Stream[str])
assert_type(words.on_backpressure_reduce(max), Stream[str])
assert_type(words.on_backpressure_batch(9).limit_rate(4, 2), Stream[list[str]])
assert_type(words.limit_weight(1000, len), Stream[str])
assert_type(words.pause_while(numbers), Stream[str])
words.on_backpressure_reduce(len)  # type: ignore[arg-type]
assert_type(words.publish(), ConnectableStream[str])
assert_type(words.publish().map(len), Stream[int])
assert_type(words.publish().connect(), Connection)
assert_type(words.replay(3, max_age=timedelta(seconds=1)).ref_count(2, grace=0.5), Stream[str])
assert_type(words.multicast(BroadcastSubject[str]).auto_connect(), Stream[str])
assert_type(words.share(), Stream[str])
assert_type(words.cache(), Stream[str])


def word_of(number: int) -> tuple[str, int] | None: ...


assert_type(Stream.generate(0, word_of), Stream[str])
assert_type(Stream.concat(numbers, [1]), Stream[int])
assert_type(Stream.concat([numbers, Stream.range(2)]), Stream[int])
assert_type(Stream.merge(words.map(lengths)), Stream[int])
assert_type(Stream.amb(words, ["a"], prefetch=3), Stream[str])
assert_type(Stream.zip(words, numbers), Stream[tuple[Any, ...]])
assert_type(Stream.when_all(words, numbers), Stream[tuple[Any, ...]])
assert_type(numbers.through(lambda stream: stream.map(str)), Stream[str])
nothing: Stream[Flight] = Stream.from_iterable([])
assert_type(Stream[Flight].error(ValueError("why")), Stream[Flight])
assert_type(Stream[Flight].never(), Stream[Flight])

Stream.from_iterable(3)  # type: ignore[arg-type]
Stream.from_publisher([1])  # type: ignore[arg-type]
Stream.error("why")  # type: ignore[arg-type]
Stream.range("3")  # type: ignore[arg-type]

# --- operators ----------------------------------------------------------------------------------------------------

assert_type(numbers.map(str), Stream[str])
assert_type(numbers.map(lambda number: number / 2), Stream[float])
assert_type(numbers.filter(lambda number: assert_type(number, int) % 2), Stream[int])
assert_type(numbers.take(3), Stream[int])
assert_type(numbers.skip(3), Stream[int])
assert_type(delays.scan(add, 0), Stream[int])
assert_type(numbers.scan(max), Stream[int])
assert_type(numbers.enumerate(), Stream[tuple[int, int]])
assert_type(numbers.enumerate().starmap(range), Stream[range])
assert_type(numbers.pluck_attr("real"), Stream[Any])
assert_type(numbers.split_when(lambda one, following: one < following), Stream[list[int]])
assert_type(numbers.buffer_when(numbers), Stream[list[int]])
assert_type(numbers.buffer_until(lambda n: n > 1), Stream[list[int]])
assert_type(numbers.buffer_while(bool, max_elements=9), Stream[list[int]])
assert_type(numbers.buffer_toggle(["a"], lambda opening: opening.upper()), Stream[list[int]])
assert_type(numbers.window(2, 1), Stream[GroupedStream[int, int]])
assert_type(numbers.window_toggle(["a"], lambda opening: opening.upper()), Stream[GroupedStream[int, int]])
assert_type(numbers.window_until(bool), Stream[GroupedStream[int, int]])
assert_type(numbers.window_when(numbers), Stream[GroupedStream[int, int]])
assert_type(numbers.window_timeout(2, 0.5), Stream[GroupedStream[int, int]])
numbers.buffer_toggle([1], lambda opening: opening.upper())  # type: ignore[attr-defined]
assert_type(numbers.compress([True]), Stream[int])
assert_type(numbers.intersperse(0), Stream[int])
assert_type(numbers.cycle(2), Stream[int])
assert_type(numbers.buffer(2), Stream[list[int]])
assert_type(numbers.buffer(3, skip=2), Stream[list[int]])
assert_type(numbers.sliding(3), Stream[tuple[int, ...]])
assert_type(numbers.pairwise(), Stream[tuple[int, int]])
assert_type(words.flat_map(lengths), Stream[int])
assert_type(words.flat_map(lengths, prefetch=4), Stream[int])
assert_type(words.flat_map(lambda word: word), Stream[str])
assert_type(words.do(print), Stream[str])
assert_type(words.do(on_error=print, on_complete=lambda: None), Stream[str])
assert_type(words.observe_on(WorkerScheduler(name="worker")), Stream[str])
assert_type(words.observe_on(ImmediateScheduler(), prefetch=4), Stream[str])

# What a lambda takes is inferred through a chain of operators.
chained = (
    Stream.from_iterable(flights())
    .filter(lambda flight: flight.delay_minutes > 0)
    .map(lambda flight: (flight.origin, flight.delay_minutes))
    .filter(lambda pair: pair[0] != "JFK")
    .buffer(10)
    .flat_map(lambda pairs: [minutes for _, minutes in pairs])
    .do(on_next=lambda minutes: assert_type(minutes, int))
    .scan(lambda total, minutes: total + minutes, 0)
)
assert_type(chained, Stream[int])

words.map(lambda word: word + 1)  # type: ignore[operator]
delays.filter(lambda flight: flight.airport)  # type: ignore[attr-defined]
numbers.flat_map(lambda number: number)  # type: ignore[arg-type,return-value]
numbers.take("3")  # type: ignore[arg-type]
numbers.observe_on(None)  # type: ignore[arg-type]
words.do(lambda word, other: None)  # type: ignore[arg-type,misc]

# --- nodes --------------------------------------------------------------------------------------------------------

assert_type(delays.nodes(), list[Description])
assert_type(delays.upstream, Description | None)
assert_type(delays.definition, Any)
assert_type(delays.parameters, tuple[Any, ...])
assert_type(delays.depth, int)
assert_type(delays.assembly, Assembly)

# --- keys ---------------------------------------------------------------------------------------------------------

keyed = delays.key_by(lambda flight: flight.origin, max_keys=100)
assert_type(keyed, KeyedStream[Flight])
assert_type(keyed.scan(add, 0), Stream[int])
assert_type(keyed.expire_after(60), KeyedStream[Flight])
assert_type(keyed.reduce(add, 0), Stream[tuple[Any, int]])
assert_type(keyed.count(), Stream[tuple[Any, int]])
assert_type(keyed.buffer(3), Stream[list[Flight]])
assert_type(keyed.take(3), Stream[Flight])
assert_type(keyed.distinct(), Stream[Flight])
assert_type(keyed.scan(lambda total, flight: total + flight.delay_minutes, 0), Stream[int])
timed = delays.with_timestamps(lambda flight: flight.delay_minutes, max_lateness=5)
windows = timed.key_by(lambda flight: flight.origin)
assert_type(windows.tumbling(60).count(), Stream[TimeWindow[int]])
sliding = windows.sliding(60, 20)
assert_type(sliding.reduce(lambda total, flight: total + flight.delay_minutes, 0), Stream[TimeWindow[int]])
assert_type(windows.session(60).aggregate(flights="count"), Stream[TimeWindow[dict[str, Any]]])
assert_type(windows.tumbling(60).to_list(), Stream[TimeWindow[list[Flight]]])
counted = numbers.with_timestamps(float).key_by(str)
assert_type(windows.join(counted, within=(0, 60)), Stream[tuple[Flight, int]])
assert_type(windows.group_join(counted, within=60), Stream[tuple[Flight, list[int]]])
delays.key_by(lambda flight: flight.airport)  # type: ignore[attr-defined]

groups = delays.group_by(lambda flight: flight.origin, max_groups=100)
assert_type(groups, Stream[GroupedStream[str, Flight]])
assert_type(groups.map(lambda group: group.key), Stream[str])
assert_type(groups.flat_map(lambda group: group.take(1)), Stream[Flight])
assert_type(
    delays.group_by_until(lambda flight: flight.delay_minutes, lambda key: [key]), Stream[GroupedStream[int, Flight]]
)
delays.group_by(lambda flight: flight.airport)  # type: ignore[attr-defined]

# --- pipelines ----------------------------------------------------------------------------------------------------

assert_type(pipeline(), Pipeline[Any, Any])
worst: Pipeline[Flight, int] = pipeline().filter(lambda flight: flight.delay_minutes > 0).scan(add, 0)
assert_type(delays.through(worst), Stream[int])
assert_type(worst.map(str), Pipeline[Flight, str])
assert_type(worst.filter(lambda most: assert_type(most, int)), Pipeline[Flight, int])
assert_type(worst.take(1), Pipeline[Flight, int])
assert_type(worst.skip(1), Pipeline[Flight, int])
assert_type(worst.scan(lambda text, most: f"{text} {most}", ""), Pipeline[Flight, str])
assert_type(worst.buffer(2), Pipeline[Flight, list[int]])
assert_type(worst.flat_map(lambda most: [str(most)], prefetch=4), Pipeline[Flight, str])
assert_type(worst.do(print), Pipeline[Flight, int])
assert_type(worst.observe_on(ImmediateScheduler()), Pipeline[Flight, int])
assert_type(worst.key_by(lambda most: most % 2), KeyedPipeline[Flight, int])
assert_type(worst.key_by(lambda most: most % 2).scan(lambda text, most: text * most, ""), Pipeline[Flight, str])
assert_type(worst.through(worst.map(str).slice(0)), Pipeline[Flight, Any])
assert_type(worst.slice(1, 2), Pipeline[Any, Any])
assert_type(worst.operators, tuple[Operator, ...])
assert_type(worst.operators[0].assembly, Assembly)

numbers.through(worst)  # type: ignore[arg-type]
worst.through(worst)  # type: ignore[arg-type]
numbers.through(numbers)  # type: ignore[arg-type]

# --- subscription -------------------------------------------------------------------------------------------------

publisher: Publisher[Flight] = delays
publisher_of_objects: Publisher[object] = delays
description: Description = delays
assert_type(delays.subscribe(FlightSink()), None)
assert_type(delays.bind(Sink()), SubscriberStage)
handle: Subscription = delays.bind(Sink())
assert_type(delays.bind(Sink()).inputs, tuple[Any, ...])
sink: Subscriber[Flight] = Sink()

assert_type(words.subscribe(on_next=print, on_error=print, prefetch=3), BaseSubscriber[str])
words.subscribe(on_next=3)  # type: ignore[call-overload]
words.subscribe(FlightSink())  # type: ignore[arg-type]
words.subscribe(None)  # type: ignore[call-overload]
publisher_of_words: Publisher[str] = delays  # type: ignore[assignment]

# --- ends ---------------------------------------------------------------------------------------------------------

assert_type(delays.to_list(), list[Flight])
assert_type(delays.to_list(timeout_seconds=1.5), list[Flight])
assert_type(delays.for_each(print, prefetch=4, timeout_seconds=1), None)
assert_type(delays.run(prefetch=4), None)
assert_type(delays.first(), Flight)
assert_type(delays.reduce(add, 0), int)
assert_type(delays.iterate(prefetch=4), BlockingIterator[Flight])
assert_type(iter(delays), BlockingIterator[Flight])
assert_type(next(iter(delays)), Flight)
iterable: Iterable[Flight] = delays
iterator: Iterator[Flight] = delays.iterate()

for flight in delays:
    assert_type(flight, Flight)
with delays.iterate() as opened:
    assert_type(opened, BlockingIterator[Flight])

delays.for_each(lambda flight: flight.airport)  # type: ignore[attr-defined]
delays.reduce(add, "")  # type: ignore[arg-type]
scheduler: Callable[[], Scheduler] = ImmediateScheduler
