"""Every source of a stream as a publisher under the kit."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
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


SOURCE_CASES = [
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
