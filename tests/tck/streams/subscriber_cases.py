"""Every subscriber of ours under the kit: those on the base classes, the source of a stream, its ends."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from examples.standard_examples import SyncSubscriber
from reactivestreams import AsyncBaseSubscriber, BaseSubscriber, ImmediateScheduler, Stream, Subscription
from tests.tck.streams.example_programs import example
from tests.tck.streams.operator_cases import FOLD_CALLS
from tests.tck.streams.publisher_case import Workers
from tests.tck.streams.subscriber_case import END_SECONDS, SubscriberCase, source_of, source_of_end

WINDOW = 8


class Hooks:
    """The hooks of a base class: they fail in a signal, or want no more after some elements, if told so."""

    def __init__(self, *, failing_in: str = "", limit: int = 0, **options: Any) -> None:
        super().__init__(**options)
        self._failing_in = failing_in
        self._limit = limit
        self._count = 0

    def hook_on_subscribe(self) -> None:
        self._fail_in("on_subscribe")
        self.begin()

    def hook_on_next(self, element: Any) -> None:
        self._fail_in("on_next")
        self._count += 1
        if self._count == self._limit:
            self.cancel()  # type: ignore[attr-defined]
        else:
            self.go_on()

    def hook_on_error(self, error: Exception) -> None:
        self._fail_in("on_error")

    def hook_on_complete(self) -> None:
        self._fail_in("on_complete")

    def begin(self) -> None:
        """Request the first elements."""

    def go_on(self) -> None:
        """Request further elements, if not all were requested."""

    def _fail_in(self, signal: str) -> None:
        if signal == self._failing_in:
            raise OSError(f"the work of {signal} cannot be done")


class OneByOne(Hooks, BaseSubscriber[Any]):
    """Requests an element when it is done with the one before."""

    def begin(self) -> None:
        self.request(1)

    def go_on(self) -> None:
        self.request(1)


class InWindows(Hooks, BaseSubscriber[Any]):
    """Requests a window of elements when it has taken the one before."""

    def begin(self) -> None:
        self.request(WINDOW)

    def go_on(self) -> None:
        if self._count % WINDOW == 0:
            self.request(WINDOW)


class Everything(BaseSubscriber[Any]):
    """Leaves it to the base class to request."""

    def hook_on_next(self, element: Any) -> None:
        """Take the element."""


class OnAScheduler(Hooks, AsyncBaseSubscriber[Any]):
    """Works on the scheduler and wants everything, which the base class requests in windows."""

    prefetch = WINDOW

    def begin(self) -> None:
        self.request(2**63 - 1)


class Sink(SyncSubscriber[Any]):
    """Takes what a stream sends it, one at a time."""

    def when_next(self, element: Any) -> bool:
        return True


class Greedy(Sink):
    """Takes all that a stream has."""

    def on_subscribe(self, subscription: Subscription, /) -> None:
        super().on_subscribe(subscription)
        subscription.request(2**63 - 1)


def failing_source(signal: str, workers: Workers) -> Any:
    """Return the source of a stream whose operator fails at an element."""

    def fail(element: int) -> int:
        raise OSError(f"{element} cannot be worked on")

    return source_of(lambda stream: stream.map(fail).subscribe(Greedy())) if signal == "on_next" else None


def end_case(name: str, end: Any, **options: Any) -> SubscriberCase:
    return SubscriberCase(
        f"end that blocks: {name}", (f"Stream.{name}",), lambda workers: source_of_end(end), **options
    )


def async_end_case(name: str, end: Callable[[Stream[int]], Coroutine[Any, Any, object]]) -> SubscriberCase:
    """Return a case for an end that a task awaits."""
    return SubscriberCase(
        f"end that is awaited: {name}",
        (f"Stream.{name}",),
        lambda workers: source_of_end(
            lambda stream: asyncio.run_coroutine_threadsafe(end(stream), workers.new_loop()).result(END_SECONDS)
        ),
    )


def fold_cases(name: str) -> list[SubscriberCase]:
    """Return the cases for the terminal operations of a definition with one result."""
    method, *arguments = FOLD_CALLS[name]

    def taken(stream: Stream[int]) -> Stream[int]:
        return stream.take(1) if method.startswith("single") else stream

    return [
        end_case(method, lambda stream: getattr(taken(stream), method)(*arguments, timeout_seconds=END_SECONDS)),
        async_end_case(f"{method}_async", lambda stream: getattr(taken(stream), f"{method}_async")(*arguments)),
    ]


def iterate(stream: Stream[int]) -> None:
    for _ in stream.iterate(prefetch=3):
        pass


async def iterate_async(stream: Stream[int]) -> None:
    async for _ in stream.iterate_async(prefetch=3):
        pass


SUBSCRIBER_CASES = [
    SubscriberCase(
        "base class, one by one",
        ("BaseSubscriber",),
        lambda workers: OneByOne(),
        lambda elements, workers: OneByOne(limit=elements),
        lambda signal, workers: OneByOne(failing_in=signal),
    ),
    SubscriberCase(
        "base class, in windows",
        ("BaseSubscriber",),
        lambda workers: InWindows(),
        lambda elements, workers: InWindows(limit=elements),
        lambda signal, workers: InWindows(failing_in=signal),
    ),
    SubscriberCase("base class, everything", ("BaseSubscriber",), lambda workers: Everything()),
    SubscriberCase(
        "subscriber of the example own_publisher",
        ("BaseSubscriber", "examples/own_publisher.py"),
        lambda workers: example("own_publisher.py", "FirstThree")(),
    ),
    SubscriberCase(
        "asynchronous base class on a worker",
        ("AsyncBaseSubscriber",),
        lambda workers: OnAScheduler(scheduler=workers.new()),
        lambda elements, workers: OnAScheduler(scheduler=workers.new(), limit=elements),
        lambda signal, workers: OnAScheduler(scheduler=workers.new(), failing_in=signal),
    ),
    SubscriberCase(
        "asynchronous base class in the caller's thread",
        ("AsyncBaseSubscriber",),
        lambda workers: OnAScheduler(scheduler=ImmediateScheduler()),
    ),
    SubscriberCase(
        "subscriber of the example own_processor",
        ("AsyncBaseSubscriber", "examples/own_processor.py"),
        lambda workers: example("own_processor.py", "Store")(workers.new()),
    ),
    SubscriberCase(
        "source of a stream, one element ahead",
        ("Stream.from_publisher", "Stream.subscribe"),
        lambda workers: source_of(lambda stream: stream.subscribe(Sink()), prefetch=1),
        lambda elements, workers: source_of(
            lambda stream: stream.take(elements).subscribe(Greedy()), prefetch=elements + WINDOW
        ),
        failing_source,
    ),
    SubscriberCase(
        "source of a stream with unbounded demand",
        ("Stream.from_publisher", "Stream.subscribe"),
        lambda workers: source_of(lambda stream: stream.subscribe(Greedy())),
    ),
    SubscriberCase(
        "source of a stream that goes on in another thread",
        ("Stream.from_publisher", "Stream.subscribe"),
        lambda workers: source_of(lambda stream: stream.observe_on(workers.new(), prefetch=2).subscribe(Sink())),
    ),
    end_case("for_each", lambda stream: stream.for_each(abs, prefetch=2, timeout_seconds=END_SECONDS)),
    end_case("run", lambda stream: stream.run(timeout_seconds=END_SECONDS)),
    *(case for name in FOLD_CALLS for case in fold_cases(name)),
    end_case("iterate", iterate),
    async_end_case("for_each_async", lambda stream: stream.for_each_async(abs, prefetch=2)),
    async_end_case("run_async", lambda stream: stream.run_async()),
    async_end_case("iterate_async", iterate_async),
]
