"""Every source of a stream as a publisher under the kit."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from functools import partial
from itertools import count
from typing import Any

from examples.standard_examples import AsyncIterablePublisher, RangePublisher
from examples.standard_examples.verifications import Unavailable, shared_executor
from reactivestreams import Stream, StreamEmitter
from reactivestreams.spec import MAX_DEMAND
from tests.tck.streams.publisher_case import PublisherCase, Workers, failed_source, numbers_failing_at

FINITE_CAPACITY = 4096
"""Places for all elements of a finite stream that is emitted at once: more than any check requests of one."""

PACE_SECONDS = 0.001


def emit_all(elements: int, emitter: StreamEmitter[int]) -> None:
    for number in range(elements):
        emitter.emit(number)
    emitter.complete()


def emit_from_a_thread(elements: int, emitter: StreamEmitter[int]) -> None:
    """Emit as fast as the stream takes elements: a thread waits wherever there is no room."""

    def emit() -> None:
        for number in count() if elements == MAX_DEMAND else range(elements):
            if not emitter.emit(number).is_accepted:
                return
        emitter.complete()

    threading.Thread(target=emit, name="emitter", daemon=True).start()


def emit_readings(emitter: StreamEmitter[int]) -> None:
    """Emit at a pace of its own, whether or not anybody asks."""
    stopped = threading.Event()
    emitter.on_dispose(stopped.set)

    def emit() -> None:
        for number in count():
            emitter.emit(number)
            if stopped.wait(PACE_SECONDS):
                return

    threading.Thread(target=emit, name="sensor", daemon=True).start()


def emit_until(position: int, emitter: StreamEmitter[int]) -> None:
    for number in range(position):
        emitter.emit(number)
    emitter.fail(OSError("the sensor has failed"))


def generator(elements: int) -> Iterator[int]:
    yield from range(elements)


def generator_failing_at(position: int) -> Iterator[int]:
    yield from range(position)
    raise OSError("the file has failed")


async def async_generator(elements: int) -> AsyncIterator[int]:
    for number in range(elements):
        yield number


async def async_generator_failing_at(position: int) -> AsyncIterator[int]:
    for number in range(position):
        await asyncio.sleep(0)
        yield number
    raise OSError("the connection has failed")


def finite(policy: str) -> PublisherCase:
    create = partial(Stream.create, on_overflow=policy, capacity=FINITE_CAPACITY)
    return PublisherCase(
        f"create, {policy}, emitted at once",
        ("sources.Create", "Stream.create", f"OverflowPolicy.{policy}", "StreamEmitter"),
        lambda elements, workers: create(partial(emit_all, elements)),
        lambda workers: create(partial(emit_until, 0)),
        lambda position, workers: create(partial(emit_until, position)),
        longest=FINITE_CAPACITY,
    )


def paced(policy: str) -> PublisherCase:
    capacity = {} if policy == "latest" else {"capacity": 4}
    return PublisherCase(
        f"create, {policy}, emitted at a pace of its own",
        ("sources.Create", "Stream.create", f"OverflowPolicy.{policy}", "StreamEmitter"),
        lambda elements, workers: Stream.create(emit_readings, on_overflow=policy, **capacity),
        longest=MAX_DEMAND,
    )


def foreign_failed(workers: Workers) -> Any:
    return Stream.from_publisher(AsyncIterablePublisher[int](Unavailable(), executor=shared_executor()))


def foreign_failing_at(position: int, workers: Workers) -> Any:
    return Stream.from_publisher(numbers_failing_at(position))


def failing(position: int) -> Any:
    raise OSError("the file has failed")


def unfolded(stop: int, number: int) -> tuple[int, int] | None:
    return (number, number + 1) if number < stop else None


def unfolded_failing_at(position: int, number: int) -> tuple[int, int]:
    return (number, number + 1) if number < position else failing(position)


def done(number: int) -> Future[int]:
    future: Future[int] = Future()
    future.set_result(number)
    return future


def failed_future() -> Future[int]:
    future: Future[int] = Future()
    future.set_exception(OSError("the call has failed"))
    return future


class Numbers:
    """A queue that is filled as it is read, since one with as many elements as a check asks for would be large."""

    def __init__(self, elements: int, failing_at: int | None = None) -> None:
        self._numbers = iter(range(elements)) if failing_at is None else generator_failing_at(failing_at)

    def put(self, number: int) -> None:
        raise NotImplementedError

    def get(self, *, timeout: float) -> int | None:
        return next(self._numbers, None)


class AwaitedNumbers(Numbers):
    async def get(self) -> int | None:  # type: ignore[override]
        await asyncio.sleep(0)
        return super().get(timeout=0)


SOURCE_CASES = [
    PublisherCase(
        "callable",
        ("sources.FromCallable", "Stream.from_callable"),
        lambda elements, workers: Stream.from_callable(lambda: 7) if elements else Stream.empty(),
        create_failing_at=lambda position, workers: Stream.from_callable(partial(failing, 0)),
        longest=1,
    ),
    PublisherCase(
        "future",
        ("sources.FromFuture", "Stream.from_future"),
        lambda elements, workers: Stream.from_future(done(7)) if elements else Stream.empty(),
        lambda workers: Stream.from_future(failed_future()),
        lambda position, workers: Stream.from_future(failed_future()),
        longest=1,
    ),
    PublisherCase(
        "state that is unfolded",
        ("sources.Generate", "Stream.generate"),
        lambda elements, workers: Stream.generate(0, partial(unfolded, elements)),
        create_failing_at=lambda position, workers: Stream.generate(0, partial(unfolded_failing_at, position)),
    ),
    PublisherCase(
        "repeated value",
        ("sources.RepeatValue", "Stream.repeat_value"),
        lambda elements, workers: Stream.repeat_value(7, elements),
    ),
    PublisherCase(
        "ticks",
        ("sources.Interval", "Stream.interval"),
        lambda elements, workers: Stream.interval(0.0005, unrequested="keep").take(elements),
    ),
    PublisherCase(
        "timer",
        ("sources.Timer", "Stream.timer"),
        lambda elements, workers: Stream.timer(0, 0).take(elements),
    ),
    PublisherCase(
        "deferred stream",
        ("sources.Defer", "Stream.defer"),
        lambda elements, workers: Stream.defer(lambda: Stream.range(elements)),
        lambda workers: Stream.defer(partial(failing, 0)),
        lambda position, workers: Stream.defer(lambda: generator_failing_at(position)),
    ),
    PublisherCase(
        "stream with a resource",
        ("sources.Using", "Stream.using"),
        lambda elements, workers: Stream.using(lambda: elements, Stream.range, int),
        lambda workers: Stream.using(int, failing, int),
        lambda position, workers: Stream.using(lambda: position, generator_failing_at, int),
    ),
    PublisherCase(
        "first of several streams",
        ("sources.Amb", "Stream.amb"),
        lambda elements, workers: Stream.amb(Stream.never(), Stream.range(elements)),
        lambda workers: Stream.amb(Stream.never(), failed_source()),
        lambda position, workers: Stream.amb(generator_failing_at(position), Stream.never()),
    ),
    PublisherCase(
        "last elements of several streams",
        ("sources.WhenAll", "Stream.when_all"),
        lambda elements, workers: Stream.when_all(Stream.range(5), [7] if elements else []),
        lambda workers: Stream.when_all(Stream.never(), failed_source()),
        lambda position, workers: Stream.when_all([1], failed_source()),
        longest=1,
    ),
    PublisherCase(
        "streams given to the class, one after the other",
        ("Stream.concat", "Stream.merge", "Stream.zip", "Stream.through"),
        lambda elements, workers: Stream.concat(
            [Stream.zip([Stream.merge(Stream.range(elements), Stream.empty())]).through(lambda stream: stream)]
        ),
        lambda workers: Stream.concat([failed_source()]),
        lambda position, workers: Stream.concat(Stream.just(generator_failing_at(position))),
    ),
    PublisherCase(
        "queue of threads",
        ("sources.FromQueue", "Stream.from_queue"),
        lambda elements, workers: Stream.from_queue(Numbers(elements)),
        create_failing_at=lambda position, workers: Stream.from_queue(Numbers(0, position)),
    ),
    PublisherCase(
        "queue of an event loop",
        ("sources.FromQueue", "Stream.from_queue"),
        lambda elements, workers: Stream.from_queue(AwaitedNumbers(elements), loop=workers.new_loop(), prefetch=16),
        create_failing_at=lambda position, workers: Stream.from_queue(
            AwaitedNumbers(0, position), loop=workers.new_loop()
        ),
    ),
    PublisherCase(
        "range",
        ("sources.Range", "Stream.range", "Stream.subscribe"),
        lambda elements, workers: Stream.range(elements),
    ),
    PublisherCase(
        "range beyond 64 bits",
        ("sources.FromIterable", "Stream.range"),
        lambda elements, workers: Stream.range(2**70, 2**70 + elements),
    ),
    PublisherCase(
        "iterable",
        ("sources.FromIterable", "Stream.from_iterable"),
        lambda elements, workers: Stream.from_iterable(range(elements)),
        create_failing_at=lambda position, workers: Stream.from_iterable(generator_failing_at(position)),
    ),
    PublisherCase(
        "generator, which serves one subscriber",
        ("sources.FromIterable", "Stream.from_iterable"),
        lambda elements, workers: Stream.from_iterable(generator(elements)),
        create_failing_at=lambda position, workers: Stream.from_iterable(generator_failing_at(position)),
    ),
    PublisherCase(
        "asynchronous generator",
        ("sources.FromAsyncIterable", "Stream.from_async_iterable"),
        lambda elements, workers: Stream.from_async_iterable(async_generator(elements), loop=workers.new_loop()),
        create_failing_at=lambda position, workers: Stream.from_async_iterable(
            async_generator_failing_at(position), loop=workers.new_loop()
        ),
    ),
    PublisherCase(
        "asynchronous generator, one element ahead",
        ("sources.FromAsyncIterable", "Stream.from_async_iterable"),
        lambda elements, workers: Stream.from_async_iterable(
            async_generator(elements), prefetch=1, loop=workers.new_loop()
        ),
    ),
    PublisherCase(
        "just",
        ("sources.FromIterable", "Stream.just"),
        lambda elements, workers: Stream.just(*range(elements)),
        longest=FINITE_CAPACITY,
    ),
    PublisherCase("empty", ("sources.Empty", "Stream.empty"), lambda elements, workers: Stream.empty(), longest=0),
    PublisherCase(
        "error",
        ("sources.Error", "Stream.error"),
        lambda elements, workers: failed_source(),
        lambda workers: failed_source(),
        lambda position, workers: failed_source(),
        longest=0,
    ),
    PublisherCase("never", ("sources.Never", "Stream.never"), lambda elements, workers: Stream.never(), longest=0),
    PublisherCase(
        "publisher that sends on the thread that requests",
        ("sources.FromPublisher", "Stream.from_publisher"),
        lambda elements, workers: Stream.from_publisher(RangePublisher(0, elements)),
        foreign_failed,
        foreign_failing_at,
    ),
    PublisherCase(
        "publisher that sends on an executor, one element ahead",
        ("sources.FromPublisher", "Stream.from_publisher"),
        lambda elements, workers: Stream.from_publisher(
            AsyncIterablePublisher(range(elements), executor=shared_executor()), prefetch=1
        ),
        foreign_failed,
        foreign_failing_at,
    ),
    *(finite(policy) for policy in ("error", "drop_newest", "drop_oldest")),
    *(paced(policy) for policy in ("drop_newest", "drop_oldest", "latest")),
    PublisherCase(
        "create, latest, one element",
        ("sources.Create", "Stream.create", "OverflowPolicy.latest", "StreamEmitter"),
        lambda elements, workers: Stream.create(partial(emit_all, elements), on_overflow="latest"),
        lambda workers: Stream.create(partial(emit_until, 0), on_overflow="latest"),
        longest=1,
    ),
    PublisherCase(
        "create, block, emitted by a thread",
        ("sources.Create", "Stream.create", "OverflowPolicy.block", "StreamEmitter"),
        lambda elements, workers: Stream.create(partial(emit_from_a_thread, elements), on_overflow="block", capacity=2),
    ),
]
