"""Types of the bases that library authors subclass; read by the type checker only."""

from collections.abc import Iterator
from typing import Any, assert_type

from reactivestreams import (
    AsyncBaseSubscriber,
    BaseProcessor,
    BasePublisher,
    BaseSubscriber,
    BaseSubscription,
    Pipeline,
    Stream,
    WorkerScheduler,
    pipeline,
)
from reactivestreams.spec import Processor, Publisher, Subscriber, Subscription
from rs_core.authors.base_classes import DemandView
from rs_core.operators.python_operator import PythonStage


class Squares(BasePublisher[int]):
    def generate(self, demand: DemandView) -> Iterator[int]:
        assert_type(demand.value, int)
        yield 1


class Countdown(BaseSubscription[int]):
    def on_request(self, n: int) -> None:
        assert_type(self.emit(self.demand), bool)
        self.emit("three")  # type: ignore[arg-type]


class Printing(BaseSubscriber[int]):
    def hook_on_next(self, element: int) -> None:
        self.request(1)
        assert_type(self.is_cancelled, bool)


class Storing(AsyncBaseSubscriber[int]):
    prefetch = 16

    def hook_on_next(self, element: int) -> None:
        assert_type(self.is_cancelled, bool)
        self.cancel()


class Words(BaseProcessor[str, int]):
    prefetch = 16
    capacity = 16

    def hook_on_next(self, element: str) -> None:
        self.emit(len(element))
        self.emit(element)  # type: ignore[arg-type]

    def hook_on_error(self, error: Exception) -> None:
        self.fail(error)
        self.fail("why")  # type: ignore[arg-type]


class WrongWords(BaseProcessor[str, int]):
    prefetch = "16"  # type: ignore[assignment]

    def hook_on_next(self, element: int) -> None: ...  # type: ignore[override]


class Lengths(PythonStage[str, int]):
    name = "example/lengths"
    demand = "own"

    def on_request(self, n: int) -> None:
        self.request_upstream(n)

    def on_next(self, element: str) -> None:
        self.emit(len(element))
        self.emit(element)  # type: ignore[arg-type]


class Neither(PythonStage[str, int]):
    demand = "neither"  # type: ignore[assignment]


squares: Publisher[int] = Squares()
sink: Subscriber[int] = Printing()
wrong_squares: Publisher[str] = Squares()  # type: ignore[assignment]
wrong_sink: Subscriber[str] = Printing()  # type: ignore[assignment]
subscription: Subscription = Countdown(Printing())

words: Processor[str, int] = Words()
wrong_words: Processor[int, int] = Words()  # type: ignore[assignment]
worker = WorkerScheduler()
storing: Subscriber[int] = Storing(scheduler=worker)
Storing()  # type: ignore[call-arg]
Storing(scheduler="worker")  # type: ignore[arg-type]

assert_type(Stream.from_publisher(Squares()), Stream[int])
assert_type(Stream.from_publisher(Words()), Stream[int])
assert_type(Stream.just("a").lift(Lengths), Stream[int])
assert_type(pipeline().map(str).lift(Lengths), Pipeline[Any, int])
Squares().subscribe(Printing())
Stream.range(3).subscribe(Printing())
Stream.just("a").subscribe(Printing())  # type: ignore[arg-type]
Stream.just("a").subscribe(Words())
Stream.just(1).subscribe(Words())  # type: ignore[arg-type]
Words().subscribe(Printing())
Stream.range(3).subscribe(Storing(scheduler=worker))
Stream.range(3).lift(Lengths)  # type: ignore[arg-type]
