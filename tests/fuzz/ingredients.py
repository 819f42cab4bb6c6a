"""What random streams are made of: every source and operator of the catalogue, each with a model in plain Python."""

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from operator import xor
from random import Random
from typing import Any

from reactivestreams import Collector, Stream, pipeline
from reactivestreams.metrics import MemoryMetrics
from reactivestreams.schedulers import Scheduler
from reactivestreams.subjects import (
    BroadcastSubject,
    ReplaySubject,
    SimpleSubject,
    UnicastSubject,
    buffer,
    drop_slow,
    error_slow,
    lockstep,
)
from rs_core.authors.publisher import BasePublisher
from rs_core.operators.python_operator import PythonStage
from rs_core.queues.overflow_policy import OverflowPolicy
from tests.contracts.executors import InlineExecutor

Act = Callable[[str], None]
"""What a user function calls first: the case may do something there, and may raise."""

Model = Callable[[list[Any]], list[Any]]


class Entrance:
    """Where a case pushes elements into its stream: all subjects or emitters that it has."""

    def __init__(self) -> None:
        self.doors: list[tuple[Callable[[int], object], Callable[[], object], Callable[[Exception], object]]] = []

    def emit(self, number: int) -> None:
        for emit, _, _ in self.doors:
            emit(number)

    def complete(self) -> None:
        for _, complete, _ in self.doors:
            complete()

    def fail(self, error: Exception) -> None:
        for _, _, fail in self.doors:
            fail(error)


@dataclass
class Source:
    """A source and what it sends where nothing goes wrong."""

    stream: Stream[Any]
    elements: list[int] | None = None  # None: what the case pushes
    ends: bool = True
    fails: bool = False
    is_recovered: bool = False  # a saved stream goes on behind the element that it was saved at
    needs_loop: bool = False
    entrance: Entrance | None = None


@dataclass
class Operator:
    """An operator, added to a stream."""

    add: Callable[[Stream[Any]], Stream[Any]]
    model: Model
    needs_loop: bool = False
    is_ordered: bool = True


@dataclass
class Kitchen:
    """What makes sources and operators for one case."""

    random: Random
    act: Act
    scheduler: Callable[[], Scheduler]
    loop: asyncio.AbstractEventLoop
    sources: dict[str, Callable[[], Source]] = field(init=False)
    operators: dict[str, Callable[[], Operator]] = field(init=False)

    def __post_init__(self) -> None:
        self.sources = {
            name.removeprefix("source_"): getattr(self, name) for name in dir(self) if name.startswith("source_")
        }
        self.operators = {
            name.removeprefix("operator_"): getattr(self, name) for name in dir(self) if name.startswith("operator_")
        }
        try:
            import pyarrow as pa  # noqa: F401
        except ImportError:  # free-threaded interpreters, for which there are no wheels
            del self.operators["map_batches"]

    def size(self) -> int:
        """Return how many elements a source has: few mostly, and now and then more than any buffer holds."""
        return self.random.choice((1, 2, 3, 5, 9, 20, 300))

    # --- sources ------------------------------------------------------------------------------------------------------

    def source_range(self) -> Source:
        size = self.size()
        return Source(Stream.range(size), list(range(size)), is_recovered=True)

    def source_list(self) -> Source:
        elements = list(range(self.size()))
        return Source(Stream.from_iterable(elements), elements, is_recovered=True)

    def source_iterable(self) -> Source:
        elements = list(range(self.size()))
        return Source(Stream.from_iterable(Acting(elements, self.act)), elements, is_recovered=True)

    def source_generator(self) -> Source:
        elements = list(range(self.size()))
        return Source(Stream.from_iterable(iter(Acting(elements, self.act))), elements)

    def source_just(self) -> Source:
        return Source(Stream.just(7), [7], is_recovered=True)

    def source_empty(self) -> Source:
        return Source(Stream.empty(), [], is_recovered=True)

    def source_error(self) -> Source:
        return Source(Stream.error(ValueError("planned")), [], fails=True)

    def source_generate(self) -> Source:
        size = self.size()

        def step(number: int) -> tuple[int, int] | None:
            self.act("generate")
            return (number, number + 1) if number < size else None

        return Source(Stream.generate(0, step), list(range(size)), is_recovered=True)

    def source_repeat_value(self) -> Source:
        size = self.size()
        return Source(Stream.repeat_value(3, size), [3] * size, is_recovered=True)

    def source_timer(self) -> Source:
        size = self.size()
        return Source(Stream.timer(0, 0, unrequested="keep").take(size), list(range(size)), is_recovered=True)

    def source_callable(self) -> Source:
        def function() -> int:
            self.act("callable")
            return 7

        return Source(Stream.from_callable(function), [7], is_recovered=True)

    def source_future(self) -> Source:
        future: Future[int] = Future()
        if self.random.random() < 0.5:
            future.set_result(7)
            return Source(Stream.from_future(future), [7], is_recovered=True)
        future.set_exception(ValueError("planned"))
        return Source(Stream.from_future(future), [], fails=True)

    def source_defer(self) -> Source:
        elements = list(range(self.size()))

        def factory() -> Any:
            self.act("defer")
            return Stream.from_iterable(Acting(elements, self.act))

        return Source(Stream.defer(factory), elements, is_recovered=True)

    def source_using(self) -> Source:
        elements = list(range(self.size()))

        def opened() -> list[int]:
            self.act("using")
            return elements

        def made(resource: list[int]) -> Any:
            return Stream.from_iterable(Acting(resource, self.act)).map(lambda number: number)

        return Source(Stream.using(opened, made, lambda _: self.act("close")), elements, is_recovered=True)

    def source_amb(self) -> Source:
        elements = list(range(self.size()))
        others = [Stream.never(), Stream.from_iterable(Acting([7] * 3, self.act))]
        return Source(Stream.amb(Acting(elements, self.act), *others), elements, is_recovered=True)

    def source_when_all(self) -> Source:
        sources = [Acting(list(range(self.size())), self.act) for _ in range(self.random.choice((1, 3)))]
        stream = Stream.when_all(sources, prefetch=self.random.choice((1, 4, 128)))
        total = sum(len(source.elements) - 1 for source in sources)
        return Source(stream.map(sum), [total], is_recovered=True)

    def source_combined(self) -> Source:
        """One stream of several streams, by the methods of the class."""
        elements = list(range(self.size()))
        inner = Stream.from_iterable(Acting(elements, self.act))
        combined = self.random.choice(
            (
                Stream.concat(inner, Stream.empty()),
                Stream.merge(inner, Stream.empty(), prefetch=4),
                Stream.concat(Stream.just([], inner)),
                Stream.merge(Stream.just(inner, []), concurrency=1),
                Stream.zip(inner, Stream.repeat_value(0)).map(sum),
            )
        )
        return Source(combined, elements, is_recovered=True)

    def source_queue(self) -> Source:
        elements = list(range(self.size()))
        queue: asyncio.Queue[int | None] = asyncio.Queue()
        for element in (*elements, None):
            queue.put_nowait(element)
        stream = Stream.from_queue(queue, prefetch=self.random.choice((1, 4)), loop=self.loop)
        return Source(stream, elements, needs_loop=True)

    def source_never(self) -> Source:
        return Source(Stream.never(), [], ends=False)

    def source_publisher(self) -> Source:
        size = self.size()
        return Source(
            Stream.from_publisher(Stream.range(size), prefetch=self.random.choice((1, 4, 256))), list(range(size))
        )

    def source_base_publisher(self) -> Source:
        elements = list(range(self.size()))
        return Source(Stream.from_publisher(Generating(elements, self.act)), elements)

    def source_create(self) -> Source:
        entrance = Entrance()
        # `block` waits where nobody drains: threads that push and request are needed for that.
        policy = self.random.choice([policy for policy in OverflowPolicy if policy is not OverflowPolicy.BLOCK])

        def begin(emitter: Any) -> None:
            entrance.doors.append((emitter.emit, emitter.complete, emitter.fail))
            self.act("create")

        capacity = 1 if policy is OverflowPolicy.LATEST else self.random.choice((1, 3, 1024))
        return Source(Stream.create(begin, on_overflow=policy, capacity=capacity), entrance=entrance)

    def source_subject(self) -> Source:
        policy = self.random.choice(
            (lockstep(), error_slow(), drop_slow(), buffer(4), buffer(2, on_overflow="drop_oldest"))
        )
        subject: Any = self.random.choice(
            (
                lambda: BroadcastSubject(policy=policy),
                lambda: SimpleSubject(policy=policy),
                lambda: ReplaySubject(3, policy=policy),
                lambda: UnicastSubject(capacity=8),
            )
        )()
        entrance = Entrance()
        emit = subject.offer if self.random.random() < 0.3 else subject.on_next
        entrance.doors.append((emit, subject.on_complete, subject.on_error))
        return Source(Stream.from_publisher(subject), entrance=entrance)

    def source_async_iterable(self) -> Source:
        elements = list(range(self.size()))

        async def numbers() -> AsyncIterator[int]:
            for element in elements:
                self.act("async iterable")
                yield element
                if element % 3 == 0:
                    await asyncio.sleep(0)

        stream = Stream.from_async_iterable(numbers(), prefetch=self.random.choice((1, 4, 64)), loop=self.loop)
        return Source(stream, elements, needs_loop=True)

    # --- operators ----------------------------------------------------------------------------------------------------

    def operator_map(self) -> Operator:
        factor = self.random.randrange(1, 4)

        def function(number: int) -> int:
            self.act("map")
            return number * factor + 1

        return Operator(lambda stream: stream.map(function), lambda given: [number * factor + 1 for number in given])

    def operator_filter(self) -> Operator:
        divisor = self.random.choice((1, 2, 7))

        def predicate(number: int) -> bool:
            self.act("filter")
            return number % divisor == 0

        return Operator(
            lambda stream: stream.filter(predicate), lambda given: [number for number in given if number % divisor == 0]
        )

    def operator_map_not_none(self) -> Operator:
        def function(number: int) -> int | None:
            self.act("map_not_none")
            return None if number % 3 else number + 1

        return Operator(
            lambda stream: stream.map_not_none(function),
            lambda given: [number + 1 for number in given if number % 3 == 0],
        )

    def operator_until(self) -> Operator:
        """A part of the elements, from the first to a limit, or from a limit on."""
        limit = self.random.choice((0, 1, 5, 60))

        def is_below(number: int) -> bool:
            self.act("until")
            return number < limit

        def is_reached(number: int) -> bool:
            self.act("until")
            return number >= limit

        parts: list[tuple[Callable[[Stream[Any]], Stream[Any]], Model]] = [
            (
                lambda stream: stream.take_while(is_below),
                lambda given: list(itertools.takewhile(lambda n: n < limit, given)),
            ),
            (
                lambda stream: stream.take_until(is_reached),
                lambda given: given[: next((at for at, n in enumerate(given, 1) if n >= limit), len(given))],
            ),
            (
                lambda stream: stream.skip_while(is_below),
                lambda given: list(itertools.dropwhile(lambda n: n < limit, given)),
            ),
            (
                lambda stream: stream.skip_until(is_reached),
                lambda given: list(itertools.dropwhile(lambda n: n < limit, given)),
            ),
            (lambda stream: stream.take_until(Stream.empty()), list),
            (lambda stream: stream.skip_until([1]), list),
        ]
        return Operator(*self.random.choice(parts))

    def operator_distinct(self) -> Operator:
        divisor = self.random.choice((1, 3))

        def key(number: int) -> int:
            self.act("distinct")
            return number // divisor

        if self.random.random() < 0.5:
            return Operator(
                lambda stream: stream.distinct(key),
                lambda given: first_of_each(given, divisor),
            )
        return Operator(
            lambda stream: stream.distinct_until_changed(key),
            lambda given: [next(group) for _, group in itertools.groupby(given, lambda number: number // divisor)],
        )

    def operator_last(self) -> Operator:
        """The elements at the end, those before them, or none."""
        count = self.random.choice((1, 3, 50))
        parts: list[tuple[Callable[[Stream[Any]], Stream[Any]], Model]] = [
            (lambda stream: stream.take_last(count), lambda given: given[-count:]),
            (lambda stream: stream.skip_last(count), lambda given: given[:-count]),
            (lambda stream: stream.ignore_elements(), lambda given: []),
        ]
        return Operator(*self.random.choice(parts))

    def operator_handle(self) -> Operator:
        end = self.random.choice((None, 5))

        def function(number: int, sink: Any) -> None:
            self.act("handle")
            if number % 2:
                sink.emit(number)
            if end is not None and number >= end:
                sink.complete()

        def model(given: list[int]) -> list[int]:
            until = len(given) if end is None else next((at for at, n in enumerate(given, 1) if n >= end), len(given))
            return [number for number in given[:until] if number % 2]

        return Operator(lambda stream: stream.of_type(int).handle(function).cast(int), model)

    def operator_indexed(self) -> Operator:
        def function(number: int, index: int) -> int:
            self.act("indexed")
            return number + index

        if self.random.random() < 0.5:
            return Operator(
                lambda stream: stream.map_indexed(function),
                lambda given: [number + index for index, number in enumerate(given)],
            )
        return Operator(
            lambda stream: stream.filter_indexed(lambda number, index: function(number, index) >= 0 and index % 2),
            lambda given: given[1::2],
        )

    def operator_take(self) -> Operator:
        count = self.random.choice((0, 1, 3, 50))
        return Operator(lambda stream: stream.take(count), lambda given: given[:count])

    def operator_skip(self) -> Operator:
        count = self.random.choice((0, 1, 3, 50))
        return Operator(lambda stream: stream.skip(count), lambda given: given[count:])

    def operator_scan(self) -> Operator:
        def function(total: int, number: int) -> int:
            self.act("scan")
            return (total + number) % 1009

        return Operator(lambda stream: stream.scan(function, 0), folded)

    def operator_scan_without_seed(self) -> Operator:
        def function(total: int, number: int) -> int:
            self.act("scan")
            return total ^ number

        return Operator(lambda stream: stream.scan(function), lambda given: list(accumulate(given, xor)))

    def operator_parts(self) -> Operator:
        """A number for each element, and a look at both."""
        start = self.random.choice((-1, 0, 300))

        def function(number: int, element: int) -> int:
            self.act("starmap")
            return number + element

        of_parts: list[Callable[[Stream[Any]], Stream[Any]]] = [
            lambda stream: stream.starmap(function),
            lambda stream: stream.pluck(1).pluck_attr("real"),
        ]
        add = self.random.choice(of_parts)
        is_added = add is of_parts[0]
        return Operator(
            lambda stream: add(stream.enumerate(start)),
            lambda given: [number * is_added + element for number, element in enumerate(given, start)],
        )

    def operator_buffer(self) -> Operator:
        count = self.random.choice((1, 2, 5))
        return Operator(
            lambda stream: stream.buffer(count).map(sum),
            lambda given: [sum(given[start : start + count]) for start in range(0, len(given), count)],
        )

    def operator_buffer_with_skip(self) -> Operator:
        count, skip = self.random.choice((1, 2, 5)), self.random.choice((1, 2, 3, 7))
        return Operator(
            lambda stream: stream.buffer(count, skip).map(sum),
            lambda given: [sum(given[start : start + count]) for start in range(0, len(given), skip)],
        )

    def operator_sliding(self) -> Operator:
        size, step = self.random.choice((1, 2, 5)), self.random.choice((1, 2, 3, 7))
        return Operator(
            lambda stream: (stream.pairwise() if (size, step) == (2, 1) else stream.sliding(size, step)).map(sum),
            lambda given: [sum(given[start : start + size]) for start in range(0, len(given) - size + 1, step)],
        )

    def operator_marks(self) -> Operator:
        """Lists, or windows, that end with a multiple, or lists without it."""
        divisor = self.random.choice((1, 3, 10))

        def is_end(number: int) -> bool:
            self.act("buffer_until")
            return number % divisor == 0

        def is_none(number: int) -> bool:
            self.act("buffer_while")
            return number % divisor != 0

        def flat(each: list[int]) -> list[int]:
            return each

        def is_last(number: int) -> bool:
            self.act("window_until")
            return number % divisor == 0

        if self.random.random() < 0.3:
            return Operator(lambda stream: stream.window_until(is_last).concat_map(lambda window: window), list)
        if self.random.random() < 0.5:
            return Operator(lambda stream: stream.buffer_until(is_end).flat_map(flat), list)
        return Operator(
            lambda stream: stream.buffer_while(is_none).flat_map(flat),
            lambda given: [number for number in given if number % divisor],
        )

    def operator_split_when(self) -> Operator:
        divisor = self.random.choice((1, 3, 10))

        def predicate(number: int, following: int) -> bool:
            self.act("split_when")
            return number // divisor != following // divisor

        return Operator(
            lambda stream: stream.split_when(predicate).map(sum),
            lambda given: [sum(group) for _, group in groupby(given, lambda number: number // divisor)],
        )

    def operator_again(self) -> Operator:
        """Elements of its own in between, or the elements once more."""
        more: list[tuple[Callable[[Stream[Any]], Stream[Any]], Model]] = [
            (lambda stream: stream.intersperse(7), lambda given: [n for each in given for n in (7, each)][1:]),
            (lambda stream: stream.cycle(2), lambda given: given * 2),
        ]
        return Operator(*self.random.choice(more))

    def operator_flat_map(self) -> Operator:
        is_lazy = self.random.random() < 0.5

        def function(number: int) -> Any:
            self.act("flat_map")
            inner = [number] * (number % 3)
            return iter(Acting(inner, self.act)) if is_lazy else inner

        return Operator(
            lambda stream: stream.flat_map(function, prefetch=self.random.choice((1, 8))),
            lambda given: [number for number in given for _ in range(number % 3)],
        )

    def operator_flat_map_in_order(self) -> Operator:
        method = self.random.choice(("concat_map", "flat_map_ordered"))

        def function(number: int) -> Any:
            self.act(method)
            return Stream.range(number % 3).map(lambda _: number)

        return Operator(
            lambda stream: getattr(stream, method)(function, prefetch=self.random.choice((1, 8))),
            lambda given: [number for number in given for _ in range(number % 3)],
        )

    def operator_join(self) -> Operator:
        """Several inputs, of which the others change nothing, or where nothing is let through."""
        prefetch = self.random.choice((1, 8))

        def timed(stream: Stream[Any]) -> Any:
            return stream.with_timestamps(lambda _: 0).key_by(lambda number: number % 3)

        same: list[Callable[[Stream[Any]], Stream[Any]]] = [
            lambda stream: stream.merge_with((), prefetch=prefetch),
            lambda stream: stream.zip_with(range(10**6), prefetch=prefetch).map(lambda pair: pair[0]),
            lambda stream: stream.zip_longest((), prefetch=prefetch).map(lambda pair: pair[0]),
            lambda stream: stream.compress([1] * 10**4, prefetch=prefetch),
            lambda stream: stream.buffer_when(Stream.never(), prefetch=prefetch).flat_map(lambda each: each),
            lambda stream: stream.window(prefetch, prefetch=prefetch).concat_map(lambda window: window),
            lambda stream: stream.window_timeout(3, 3600, prefetch=prefetch).concat_map(lambda window: window),
            lambda stream: stream.window_when(Stream.never(), prefetch=prefetch).flat_map(lambda window: window),
            lambda stream: stream.merge_sorted((), prefetch=prefetch),
            lambda stream: (
                timed(stream)
                .group_join(timed(Stream.empty()), within=1, max_held=10**6, prefetch=prefetch)
                .map(lambda pair: pair[0])
            ),
            lambda stream: stream.expand(lambda _: (), prefetch=prefetch),
            lambda stream: stream.delay(0, prefetch=prefetch),
            lambda stream: stream.delay_subscription(()),
            lambda stream: stream.delay_until(lambda n: Stream.range(n % 3), prefetch=prefetch),
            lambda stream: stream.delay_until(lambda n: [n], prefetch=prefetch),
            lambda stream: stream.timeout(3600, fallback=[1]),
            lambda stream: stream.take_for(3600),
            lambda stream: stream.buffer_timeout(prefetch, 3600).flat_map(lambda each: each),
            lambda stream: stream.rate_limit(2**24, 0.000001),
            lambda stream: stream.on_backpressure_buffer(10**4),
            lambda stream: stream.on_backpressure_batch(prefetch).flat_map(lambda each: each),
            lambda stream: stream.limit_rate(prefetch, 1),
            lambda stream: stream.pause_while(Stream.range(9), prefetch=prefetch),
            lambda stream: stream.limit_weight(prefetch, lambda n: 1 + n % 3),
            # With a buffer, since another subscription that requests nothing would hold up this one.
            lambda stream: stream.multicast(lambda: ReplaySubject(10**4, policy=buffer(10**4))).ref_count(),
            lambda stream: stream.timestamp().map(lambda pair: pair[1]),
            lambda stream: stream.time_interval().map(lambda pair: pair[1]),
        ]
        silent: list[Callable[[Stream[Any]], Stream[Any]]] = [
            lambda stream: stream.buffer_toggle(
                Stream.just(0, 1).concat_with(Stream.never()), Stream.range, prefetch=prefetch
            ).filter(lambda _: False),
            lambda stream: (
                stream.window_toggle(Stream.just(0, 1).concat_with(Stream.never()), Stream.range, prefetch=prefetch)
                .flat_map(lambda window: window)
                .filter(lambda _: False)
            ),
            lambda stream: stream.combine_latest([0], prefetch=prefetch).filter(lambda _: False),
            lambda stream: (
                timed(stream)
                .join(timed(Stream.range(9)), within=1, max_held=10**6, prefetch=prefetch)
                .filter(lambda _: False)
            ),
            lambda stream: stream.skip_for(3600),
            lambda stream: stream.debounce(0).filter(lambda _: False),
            lambda stream: stream.debounce(lambda n: Stream.range(n % 3)).filter(lambda _: False),
            lambda stream: stream.audit(0).filter(lambda _: False),
            lambda stream: stream.throttle_latest(0).filter(lambda _: False),
            lambda stream: stream.throttle_first(0).filter(lambda _: False),
            lambda stream: stream.sample([1]).filter(lambda _: False),
            lambda stream: stream.on_backpressure_error().ignore_elements(),
            lambda stream: stream.on_backpressure_drop(on_dropped=repr).filter(lambda _: False),
            lambda stream: stream.on_backpressure_latest(on_dropped=repr).filter(lambda _: False),
            lambda stream: stream.on_backpressure_reduce(lambda _, last: last).filter(lambda _: False),
            lambda stream: stream.with_latest_from([0], prefetch=prefetch).filter(lambda _: False),
            lambda stream: stream.switch_map(lambda n: Stream.range(n % 3), prefetch=prefetch).filter(lambda _: False),
            lambda stream: stream.exhaust_map(lambda n: Stream.range(n % 3), prefetch=prefetch).filter(lambda _: False),
        ]
        if self.random.random() < 0.5:
            return Operator(self.random.choice(same), list)
        return Operator(self.random.choice(silent), lambda given: [])

    def operator_fold(self) -> Operator:
        """One result of all elements, as an integer; those that need an element get the only one of another fold."""

        def adding(total: int, number: int) -> int:
            self.act("fold")
            return total + number

        everything = pipeline().to_list()
        integers = Collector(list, lambda kept, number: kept.append(number), sum)
        folds: list[tuple[Callable[[Stream[Any]], Stream[Any]], Callable[[list[int]], int]]] = [
            (lambda stream: stream.through(pipeline().count()), len),
            (lambda stream: stream.through(pipeline().sum()), sum),
            (lambda stream: stream.through(pipeline().reduce(adding, 0)), sum),
            (lambda stream: stream.through(pipeline().collect(integers)), sum),
            (
                lambda stream: stream.through(pipeline().average(default=0)).map(lambda value: int(value != 0)),
                lambda given: int(sum(given) != 0),
            ),
            (lambda stream: stream.through(pipeline().min(default=0)), lambda given: min(given, default=0)),
            (lambda stream: stream.through(pipeline().max(default=0)), lambda given: max(given, default=0)),
            (lambda stream: stream.through(pipeline().all(bool)).map(int), lambda given: int(all(given))),
            (lambda stream: stream.through(pipeline().any(bool)).map(int), lambda given: int(any(given))),
            (lambda stream: stream.through(pipeline().contains(3)).map(int), lambda given: int(3 in given)),
            (lambda stream: stream.through(pipeline().is_empty()).map(int), lambda given: int(not given)),
            (lambda stream: stream.through(pipeline().sequence_equal([1])).map(int), lambda given: int(given == [1])),
            (lambda stream: stream.through(pipeline().to_set()).map(len), lambda given: len(set(given))),
            (lambda stream: stream.through(pipeline().to_dict(str)).map(len), lambda given: len(set(given))),
            (lambda stream: stream.through(pipeline().to_lookup(str)).map(len), lambda given: len(set(given))),
            (lambda stream: stream.through(everything.first().map(sum)), sum),
            (lambda stream: stream.through(everything.last().map(sum)), sum),
            (lambda stream: stream.through(everything.single().map(sum)), sum),
            (lambda stream: stream.through(everything.element_at(0).map(sum)), sum),
            (lambda stream: stream.through(pipeline().first_or_default(0)), lambda given: (given or [0])[0]),
            (lambda stream: stream.through(pipeline().last_or_default(0)), lambda given: (given or [0])[-1]),
            (lambda stream: stream.through(everything.single_or_default(()).map(sum)), sum),
            (lambda stream: stream.through(pipeline().element_at_or_default(2, 0)), lambda given: (given + [0] * 3)[2]),
        ]
        add, model = self.random.choice(folds)
        return Operator(add, lambda given: [model(given)])

    def operator_sequence(self) -> Operator:
        """One stream after the other, each with the operators of its own."""
        sequences: list[tuple[Callable[[Stream[Any]], Stream[Any]], Model]] = [
            (lambda stream: stream.concat_with([1, 2], Stream.just(3)), lambda given: [*given, 1, 2, 3]),
            (lambda stream: stream.start_with(7), lambda given: [7, *given]),
            (lambda stream: stream.append(7), lambda given: [*given, 7]),
            (lambda stream: stream.then([5, 6]), lambda given: [5, 6]),
            (lambda stream: stream.default_if_empty(0), lambda given: given or [0]),
            (lambda stream: stream.switch_if_empty([5, 6]), lambda given: given or [5, 6]),
            (
                lambda stream: stream.concat_map(lambda n: Stream.just(n).repeat(2)),
                lambda given: [n for n in given for _ in "ab"],
            ),
            (lambda stream: stream.on_error_map(lambda error: error), list),
            (lambda stream: stream.materialize().dematerialize(), list),
            (lambda stream: stream.repeat_when(lambda counts: ()), list),
            (
                lambda stream: stream.map(lambda n: n if n % 3 else 1 // 0).on_error_continue(lambda error, n: None),
                lambda given: [n for n in given if n % 3],
            ),
            (lambda stream: stream.finally_(lambda: self.act("finally")), list),
            (lambda stream: stream.checkpoint("here").log(level=0).progress("numbers"), list),
            (lambda stream: stream.tap(MemoryMetrics(), name="here"), list),
            (lambda stream: stream.recorded(os.devnull), list),
            (lambda stream: stream.do(on_request=lambda _: self.act("request"), on_finally=list), list),
        ]
        # What an error brings again, or instead, the model does not know.
        silent: list[Callable[[Stream[Any]], Stream[Any]]] = [
            lambda stream: stream.repeat(1),
            lambda stream: stream.on_error_return(0),
            lambda stream: stream.retry_when(lambda errors: errors.take(1)),
            lambda stream: stream.on_error_resume([1, 2]),
            lambda stream: stream.retry(1, when=lambda error: False),
        ]
        if self.random.random() < 0.7:
            return Operator(*self.random.choice(sequences))
        add = self.random.choice(silent)
        return Operator(lambda stream: add(stream).filter(lambda _: False), lambda given: [])

    def operator_sorted(self) -> Operator:
        return Operator(lambda stream: stream.sorted(), sorted)

    def operator_map_async(self) -> Operator:
        async def function(number: int) -> int:
            self.act("map_async")
            if number % 2:
                await asyncio.sleep(0)
            return number + 1

        ordered = self.random.random() < 0.7
        concurrency = self.random.choice((1, 3, 16))
        return Operator(
            lambda stream: stream.map_async(function, concurrency=concurrency, ordered=ordered, loop=self.loop),
            lambda given: [number + 1 for number in given],
            needs_loop=True,
            is_ordered=ordered,
        )

    def operator_map_in_executor(self) -> Operator:
        def function(number: int) -> int:
            self.act("map_in_executor")
            return number + 1

        ordered = self.random.random() < 0.7
        concurrency, chunk = self.random.choice((1, 3, 16)), self.random.choice((1, 1, 4))
        return Operator(
            lambda stream: stream.map_in_executor(
                function, InlineExecutor(), concurrency=concurrency, ordered=ordered, chunk=chunk
            ),
            lambda given: [number + 1 for number in given],
            needs_loop=True,  # that is, another thread
            is_ordered=ordered,
        )

    def operator_parallel(self) -> Operator:
        def function(number: int) -> int:
            self.act("parallel")
            return number + 1

        rails, prefetch, ordered = (
            self.random.choice((1, 2, 3)),
            self.random.choice((1, 2, 64)),
            self.random.random() < 0.5,
        )

        def joined(stream: Stream[int]) -> Stream[int]:
            opened = stream.parallel(rails, prefetch=prefetch)
            if self.random.random() < 0.7:
                opened = opened.run_on(self.scheduler(), prefetch=prefetch)
            return opened.map(function).filter(lambda number: number % 3).sequential(ordered=ordered)

        return Operator(
            joined, lambda given: [number + 1 for number in given if (number + 1) % 3], is_ordered=ordered or rails == 1
        )

    def operator_do(self) -> Operator:
        return Operator(
            lambda stream: stream.do(
                lambda number: self.act("do"),
                on_error=lambda error: self.act("do on_error"),
                on_complete=lambda: self.act("do on_complete"),
            ),
            lambda given: given,
        )

    def operator_subscribe_on(self) -> Operator:
        return Operator(lambda stream: stream.subscribe_on(self.scheduler()), lambda given: given)

    def operator_observe_on(self) -> Operator:
        prefetch = self.random.choice((1, 2, 64))
        return Operator(lambda stream: stream.observe_on(self.scheduler(), prefetch=prefetch), lambda given: given)

    def operator_lift(self) -> Operator:
        act = self.act

        class Odd(PythonStage):
            name = "fuzz/odd"

            def on_start(self) -> None:
                act("lift on_start")

            def on_next(self, element: int) -> None:
                act("lift on_next")
                if element % 2:
                    self.emit(element)

            def on_dispose(self) -> None:
                act("lift on_dispose")

        return Operator(lambda stream: stream.lift(Odd), lambda given: [number for number in given if number % 2])

    def operator_lift_own_demand(self) -> Operator:
        act = self.act

        class Twice(PythonStage):
            name = "fuzz/twice"
            demand = "own"

            def on_request(self, n: int) -> None:
                act("lift on_request")
                self.request_upstream(n)

            def on_next(self, element: int) -> None:
                act("lift on_next")
                self.emit(element)
                self.emit(element)

            def on_complete(self) -> None:
                act("lift on_complete")
                self.complete()

        return Operator(lambda stream: stream.lift(Twice), lambda given: [number for number in given for _ in range(2)])

    def operator_keyed(self) -> Operator:
        kinds = ("scan", "count", "reduce", "aggregate", "take", "buffer", "distinct", "through", "windows")
        kind = self.random.choice(kinds)

        def key(number: int) -> int:
            self.act("key_by")
            return number % 3

        def add(stream: Stream[Any]) -> Stream[Any]:
            keyed = stream.key_by(key)
            if kind == "scan":
                return keyed.scan(lambda total, number: (total + number) % 1009, 0)
            if kind == "count":
                return keyed.count().map(lambda pair: pair[0] * 1000 + pair[1])
            if kind == "windows":
                timed = stream.with_timestamps(lambda number: 0).key_by(key).tumbling(60)
                return timed.count().map(lambda window: window.key * 1000 + window.value)
            if kind == "reduce":
                return keyed.reduce(lambda total, n: total + n, 0).map(lambda pair: pair[0] * 1000 + pair[1])
            if kind == "aggregate":
                return keyed.aggregate(all="sum").map(lambda row: row["key"] * 1000 + row["all"])
            if kind == "take":
                return keyed.take(2)
            if kind == "buffer":
                return keyed.buffer(2).map(sum)
            if kind == "distinct":
                return keyed.distinct()
            return keyed.through(pipeline().skip(1).scan(lambda total, number: (total + number) % 1009, 0))

        return Operator(add, lambda given: keyed_model(kind, given))

    def operator_group_by(self) -> Operator:
        """A stream for each key, all of which run at a time; or one for each element, one after the other."""
        prefetch = self.random.choice((1, 8))

        def key(number: int) -> int:
            self.act("group_by")
            return number % 3

        def until(key: int) -> list[int]:
            self.act("group_by_until")
            return [key]

        if self.random.random() < 0.5:
            return Operator(
                lambda stream: stream.group_by(key, prefetch=prefetch).flat_map(lambda group: group, concurrency=3),
                list,
                is_ordered=False,
            )
        return Operator(
            lambda stream: stream.group_by_until(key, until, prefetch=prefetch, max_groups=4).concat_map(
                lambda group: group
            ),
            list,
        )

    def operator_map_batches(self) -> Operator:
        import pyarrow as pa
        import pyarrow.compute as pc

        def same(batch: Any) -> Any:
            self.act("map_batches")
            return batch

        def add(stream: Stream[Any]) -> Stream[Any]:
            batches = stream.map(lambda number: pa.record_batch({"number": [number]}))
            even = pc.equal(pc.bit_wise_and(pc.field("number"), 1), 0)
            computed = batches.map_batches(same).filter_batches(even).with_columns(more=pc.add(pc.field("number"), 1))
            rows = computed.project("more").map(lambda batch: batch.column(0).to_pylist())
            return rows.flat_map(lambda numbers: numbers)

        return Operator(add, lambda given: [number + 1 for number in given if number % 2 == 0])


class Acting:
    """An iterable whose iterator lets the case act before each element."""

    def __init__(self, elements: list[int], act: Act) -> None:
        self.elements = elements
        self.act = act

    def __iter__(self) -> Iterator[int]:
        for element in self.elements:
            self.act("iterable")
            yield element


class Generating(BasePublisher):
    """A publisher by the base class for authors."""

    def __init__(self, elements: list[int], act: Act) -> None:
        self.elements = elements
        self.act = act

    def generate(self, demand: Any) -> Iterator[int]:
        for element in self.elements:
            self.act("generate")
            yield element + 0 * demand.value


def first_of_each(given: list[int], divisor: int) -> list[int]:
    found: dict[int, int] = {}
    for number in given:
        found.setdefault(number // divisor, number)
    return list(found.values())


def folded(given: list[int]) -> list[int]:
    totals = []
    total = 0
    for number in given:
        total = (total + number) % 1009
        totals.append(total)
    return totals


def keyed_model(kind: str, given: list[int]) -> list[int]:
    """Return what the keyed operator of this kind makes; keys that end do so in the order in which they came."""
    out: list[int] = []
    seen: dict[int, list[int]] = {}
    for number in given:
        key = number % 3
        before = seen.setdefault(key, [])
        before.append(number)
        if kind == "scan":
            out.append(sum(before) % 1009)
        elif kind == "take" and len(before) <= 2:
            out.append(number)
        elif kind == "buffer" and len(before) % 2 == 0:
            out.append(sum(before[-2:]))
        elif kind == "distinct" and number not in before[:-1]:
            out.append(number)
        elif kind == "through" and len(before) > 1:
            out.append(sum(before[1:]) % 1009)
    if kind in ("count", "windows"):
        out += [key * 1000 + len(numbers) for key, numbers in seen.items()]
    if kind in ("reduce", "aggregate"):
        out += [key * 1000 + sum(numbers) for key, numbers in seen.items()]
    if kind == "buffer":
        out += [numbers[-1] for numbers in seen.values() if len(numbers) % 2]
    return out
