"""Publishers written on the base classes, and the example programs, under the kit."""

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

from reactivestreams import BaseProcessor, BasePublisher, BaseSubscription, Stream, Subscriber
from reactivestreams.errors import NullElementError
from reactivestreams.spec import MAX_DEMAND
from rs_core import SerializedEmitter
from tests.tck.streams.example_programs import example
from tests.tck.streams.publisher_case import PublisherCase, failed_source, numbers_failing_at

EMITTER_CAPACITY = 64

_log = logging.getLogger(__name__)


class Generated(BasePublisher[int]):
    """Yields numbers; cannot make the element at a position, if there is one."""

    def __init__(self, elements: int, failing_at: int = -1) -> None:
        self._elements = elements
        self._failing_at = failing_at

    def generate(self, demand: object, /) -> Iterator[int]:
        for number in range(self._elements):
            if number == self._failing_at:
                raise OSError("the file has failed")
            yield number


class Counted(BasePublisher[int]):
    """Has subscriptions of its own, which send from `on_request`."""

    def __init__(self, elements: int, failing_at: int = -1) -> None:
        self.elements = elements
        self.failing_at = failing_at

    def create_subscription(self, subscriber: Any) -> "CountedSubscription":
        return CountedSubscription(subscriber, self)


class CountedSubscription(BaseSubscription[int]):
    def __init__(self, subscriber: Any, publisher: Counted) -> None:
        self._publisher = publisher
        self._next = 0

    def on_request(self, n: int) -> None:
        while self.demand and not self.is_cancelled:
            if self._next == self._publisher.failing_at:
                self.fail(OSError("the device has failed"))
                return
            self._next += 1
            self.emit(self._next)
            if self._next == self._publisher.elements:
                self.complete()


class Broken(BasePublisher[int]):
    """Cannot make a subscription."""

    def create_subscription(self, subscriber: Any) -> Any:
        raise OSError("there is no device")


class Identity(BaseProcessor[Any, Any]):
    """Passes on what it gets."""

    def hook_on_next(self, element: Any) -> None:
        self.emit(element)


class Doubled(BaseProcessor[int, int]):
    """Sends every element twice; small limits, so that they are reached often."""

    prefetch = 2
    capacity = 2

    def hook_on_next(self, element: int) -> None:
        self.emit(2 * element)
        self.emit(2 * element + 1)


def processed(processor: BaseProcessor[Any, Any], upstream: Stream[Any]) -> BaseProcessor[Any, Any]:
    """Return a processor behind an upstream: a publisher for one subscriber."""
    upstream.subscribe(processor)
    return processor


class EmittedFromAThread:
    """A publisher without a base class: a thread emits on demand, and a bad request fails the emitter meanwhile."""

    def __init__(self, elements: int) -> None:
        self._elements = elements

    def subscribe(self, subscriber: Subscriber[int] | None, /) -> None:
        if subscriber is None:
            raise NullElementError("§1.9: subscribe(None)", rule="1.9")
        EmittingSubscription(self._elements, subscriber)


class EmittingSubscription:
    """Counts demand under a condition that its thread waits on; the emitter makes all signals serial."""

    def __init__(self, elements: int, subscriber: Subscriber[int]) -> None:
        self._changed = threading.Condition()
        self._demand = 0
        self._is_over = False
        self._emitter: SerializedEmitter[int] | None = None
        try:
            subscriber.on_subscribe(self)
        except Exception:  # §2.13: as if it had cancelled, and it is made known
            self._is_over = True
            _log.exception("%r has raised in on_subscribe", subscriber)
        with self._changed:
            if not self._is_over:
                self._emitter = SerializedEmitter(
                    subscriber, capacity=EMITTER_CAPACITY, on_overflow="block", block_timeout_seconds=10
                )
                threading.Thread(target=self._emit_all, args=(elements,), name="emitting", daemon=True).start()

    def request(self, n: int, /) -> None:
        with self._changed:
            self._demand += max(n, 0)
            self._changed.notify()
            emitter = self._emitter
        if n <= 0 and emitter is not None:
            emitter.fail(ValueError(f"§3.9: non-positive subscription request: {n}"))
            self.cancel()

    def cancel(self) -> None:
        with self._changed:
            self._is_over = True
            self._emitter = None
            self._changed.notify()

    def _emit_all(self, elements: int) -> None:
        for number in range(elements):
            emitter = self._emitter_on_demand()
            if emitter is None:
                return
            emitter.emit(number)
            del emitter
        with self._changed:
            emitter = self._emitter
        if emitter is not None:
            emitter.complete()
        self.cancel()

    def _emitter_on_demand(self) -> SerializedEmitter[int] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._demand > 0 or self._is_over)
            self._demand -= 1
            return self._emitter


def base_case(
    name: str, covers: tuple[str, ...], create: Callable[[Stream[Any]], Any], **options: Any
) -> PublisherCase:
    """Return a case for a publisher that sends what an upstream sends."""
    return PublisherCase(
        name,
        covers,
        lambda elements, workers: create(Stream.range(elements)),
        lambda workers: create(failed_source()),
        lambda position, workers: create(numbers_failing_at(position)),
        **options,
    )


BASE_CLASS_CASES = [
    PublisherCase(
        "publisher that generates",
        ("BasePublisher", "DemandView"),
        lambda elements, workers: Generated(elements),
        lambda workers: Broken(),
        lambda position, workers: Generated(position + 10, position),
    ),
    PublisherCase(
        "publisher with subscriptions of its own",
        ("BasePublisher", "BaseSubscription"),
        lambda elements, workers: Counted(elements),
        lambda workers: Broken(),
        lambda position, workers: Counted(position + 10, position),
    ),
    base_case("processor", ("BaseProcessor",), lambda upstream: processed(Identity(), upstream)),
    PublisherCase(
        "processor that sends more than it gets",
        ("BaseProcessor",),
        lambda elements, workers: Stream.from_publisher(
            processed(Doubled(), Stream.range((elements + 1) // 2)), prefetch=1
        ).take(elements),
    ),
    PublisherCase(
        "publisher on an emitter",
        ("SerializedEmitter",),
        lambda elements, workers: EmittedFromAThread(elements),
    ),
    PublisherCase(
        "publisher of the example own_publisher",
        ("BasePublisher", "examples/own_publisher.py"),
        lambda elements, workers: example("own_publisher.py", "Pages")(),
        longest=MAX_DEMAND,
        ignored={"required_spec101_demand_must_be_met_exactly_across_batches": "the example ends after 1998 lines"},
    ),
    base_case(
        "processor of the example own_processor",
        ("BaseProcessor", "examples/own_processor.py"),
        lambda upstream: processed(example("own_processor.py", "Words")(), upstream.map(str)),
    ),
]
