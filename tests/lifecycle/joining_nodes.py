"""Operators with several inputs, written in Python, as users would write them."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from reactivestreams import Stream
from reactivestreams.lifecycle import MultiInputNode, OperatorPublisher, OperatorSubscription, Subscribable

PREFETCH = 2


class Zipping(MultiInputNode[tuple[Any, ...]]):
    """Sends tuples with one element of each input; asks each for as many as it keeps at most."""

    name = "test/zipping"

    def __init__(self, subscriber: Any, *streams: Subscribable, log: list[Any] | None = None) -> None:
        super().__init__(subscriber)
        self.streams = streams
        self.log: list[Any] = [] if log is None else log
        self.kept: list[deque[Any]] = [deque() for _ in streams]
        self.over: set[int] = set()

    def sources(self) -> Iterable[Subscribable]:
        return self.streams

    def on_start(self) -> None:
        self.log.append("start")
        for index, kept in enumerate(self.kept):
            if len(kept) < PREFETCH:
                self.request_input(index, PREFETCH - len(kept))

    def on_request(self, n: int) -> None:
        self.log.append(("request", n))
        self._go_on()

    def on_next(self, index: int, element: Any) -> None:
        self.kept[index].append(element)
        self._go_on()

    def on_complete(self, index: int) -> None:
        self.log.append(("complete", index))
        self.over.add(index)
        self._go_on()

    def _go_on(self) -> None:
        while self.wanted and all(self.kept):
            self.emit(tuple(kept.popleft() for kept in self.kept))
            for each in range(len(self.kept)):
                self.request_input(each, 1)
        if any(not self.kept[index] for index in self.over):
            self.complete()

    def on_dispose(self) -> None:
        self.log.append("dispose")

    def save_fields(self, writer: Any) -> None:
        writer.write([list(kept) for kept in self.kept])
        writer.write(sorted(self.over))

    def load_fields(self, reader: Any, version: Any) -> None:
        self.kept = [deque(kept) for kept in reader.read()]
        self.over = set(reader.read())


class Publishing(OperatorPublisher[Any]):
    """Publishes what a function makes a node of."""

    def __init__(self, create: Callable[[Any], OperatorSubscription]) -> None:
        self.create = create

    def create_operator(self, subscriber: Any) -> OperatorSubscription:
        return self.create(subscriber)


def zipped(*streams: Subscribable, log: list[Any] | None = None) -> Stream[Any]:
    return Stream.from_publisher(Publishing(lambda subscriber: Zipping(subscriber, *streams, log=log)))
