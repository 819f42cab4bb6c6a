"""Small engines in virtual time, over stores in memory."""

from collections.abc import Callable, Sequence
from typing import Any

from reactivestreams.engine import Engine, FactoryRegistry, IdempotentEgress, MemoryStore, PushInput
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler
from reactivestreams.subjects import BroadcastSubject


class Written(IdempotentEgress):
    """Keeps batches in a dict of the test."""

    def __init__(self, batches: dict[int, list[Any]], max_rows: int) -> None:
        self._batches = batches
        self.max_rows = max_rows
        self.failures = 0
        self.closed = 0

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError("the disk is away")
        self._batches[batch_id] = list(rows)

    def close(self) -> None:
        self.closed += 1


class Hosted:
    """An engine that can be stopped, or die, and go on; and what it has written.

    Its artifacts are `in`, a PushInput, `out`, the egress, and `totals`, a running sum from the one to the other.
    """

    def __init__(self, **arguments: Any) -> None:
        self.store = MemoryStore()
        self.batches: dict[int, list[Any]] = {}
        self.registry = FactoryRegistry()
        self.registry.register("in")(lambda engine: PushInput())
        self.registry.register("out")(lambda engine, max_rows=1000: Written(self.batches, max_rows))
        self.registry.register("totals")(lambda engine, source: engine.stream(source).scan(added, 0))
        self.registry.register("subject")(lambda engine: BroadcastSubject())
        self.arguments = arguments
        self.clock = VirtualTime()
        self.engine = self.make()

    def make(self, **arguments: Any) -> Engine:
        self.clock = VirtualTime()
        return Engine(
            self.store,
            scheduler=VirtualTimeScheduler(self.clock),
            checkpoint_every=None,
            registry=self.registry,
            **{**self.arguments, **arguments},
        )

    def start(self, define: Callable[[Engine], object] | None = None) -> Engine:
        self.engine.start()
        (define or self.define)(self.engine)
        return self.engine

    def define(self, engine: Engine) -> None:
        engine.define("in", "in")
        engine.define("out", "out")
        engine.define("totals", "totals", source="in", into="out")

    def push(self, *elements: Any) -> None:
        self.engine.push("in", *elements)
        self.settle()

    def settle(self) -> None:
        self.clock.advance_to(self.clock.ticks + 1_000_000)

    def crash(self, **arguments: Any) -> Engine:
        """Let the process die; return the engine of the next one, not started."""
        self.store = self.store.after_crash()
        self.engine = self.make(**arguments)
        return self.engine

    @property
    def rows(self) -> list[Any]:
        return [row for number in sorted(self.batches) for row in self.batches[number]]


def added(total: int, number: int) -> int:
    return total + number
