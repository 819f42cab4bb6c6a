"""Types of the bases that library authors subclass; read by the type checker only."""

from collections.abc import Iterator
from typing import Any, assert_type

from reactivestreams import BasePublisher, BaseSubscriber, BaseSubscription, Pipeline, Stream, pipeline
from reactivestreams.spec import Publisher, Subscriber, Subscription
from rs_core.base_classes import DemandView
from rs_core.python_stage import PythonStage


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

assert_type(Stream.from_publisher(Squares()), Stream[int])
assert_type(Stream.just("a").lift(Lengths), Stream[int])
assert_type(pipeline().map(str).lift(Lengths), Pipeline[Any, int])
Squares().subscribe(Printing())
Stream.range(3).subscribe(Printing())
Stream.just("a").subscribe(Printing())  # type: ignore[arg-type]
Stream.range(3).lift(Lengths)  # type: ignore[arg-type]
