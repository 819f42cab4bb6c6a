"""Publishers whose demand is noted, their rows and batches, and a wait for what another thread does."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from reactivestreams import Publisher, Subscription

__all__ = ["BRIEFLY", "SOON", "Ledger", "batch", "eventually", "ids", "rows"]

SOON = 10.0
BRIEFLY = 0.05


class Ledger(Publisher[Any]):
    """A publisher that notes what is requested, and sends when it is told to or at once."""

    def __init__(self, elements: Any, *, at_once: bool = True) -> None:
        self.elements: Iterator[Any] = iter(elements)
        self.at_once = at_once
        self.requested: list[int] = []
        self.cancelled = threading.Event()
        self.asked = threading.Event()
        self.subscriber: Any = None
        self.subscriptions = 0

    def subscribe(self, subscriber: Any, /) -> None:
        ledger = self
        self.subscriptions += 1
        self.subscriber = subscriber

        class Own(Subscription):
            def request(self, n: int, /) -> None:
                ledger.requested.append(n)
                ledger.asked.set()
                if ledger.at_once:
                    ledger.send(n)

            def cancel(self) -> None:
                ledger.cancelled.set()

        subscriber.on_subscribe(Own())

    def send(self, count: int) -> None:
        for _ in range(count):
            element = next(self.elements, None)
            if element is None:
                self.subscriber.on_complete()
                return
            self.subscriber.on_next(element)


def eventually(condition: Callable[[], bool], seconds: float = SOON) -> bool:
    """Wait until a condition holds, or the time is up; return whether it does."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.001)
    return condition()


def rows(count: int, start: int = 0) -> list[tuple[int, int]]:
    return [(number, number // 2) for number in range(start, start + count)]


def batch(start: int, count: int) -> pa.RecordBatch:
    numbers = range(start, start + count)
    return pa.record_batch({"id": list(numbers), "half": [number // 2 for number in numbers]})


def ids(batches: Any) -> list[int]:
    return [number for one in batches for number in one["id"].to_pylist()]
