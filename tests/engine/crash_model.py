"""A small world in virtual time in which an engine dies at any call and any tick, and what came of it in the end.

One run is repeated lives of an engine over one world: a source of numbered elements, a store, and an egress of each
kind. A `Faults` counts each call that the engine makes of the world, and lets one of them fail as it is told. After a
death everything but the world is gone, and the next life recovers.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from reactivestreams import Stream
from reactivestreams.engine import (
    CheckpointError,
    CheckpointWrite,
    Engine,
    FactoryRegistry,
    IdempotentEgress,
    Ingress,
    MemoryStore,
    StoreEgress,
    TwoPhaseEgress,
)
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler
from reactivestreams.schedulers.virtual_time import TICK
from reactivestreams.subjects import MultiSubject
from reactivestreams.subjects.in_memory_subject import InMemorySubject

R = TypeVar("R")

MOST_LIVES = 6
MOST_TICKS = 400
COMPARED = ("between", "first", "second")  # how far the source was read after the query has ended is a matter of time


class Death(BaseException):
    """The process is gone: nothing that belonged to it runs any more."""


class OutageError(OSError):
    """A call that failed, in a process that lives on."""


@dataclass
class Faults:
    """Lets one call of the world go wrong.

    Attributes:
        at: Which call, counted from 1 over all lives; 0: none.
        how: `before`: death instead of the call; `after`: death when it is done; `fails`: it raises and has done
            nothing; `lies`: it has done everything and raises.
        tick: At which tick of its first life the process dies; 0: at none.
        second: How many calls after the first fault the process dies, once more if that was a death; 0: it does not.
    """

    at: int = 0
    how: str = "before"
    tick: int = 0
    second: int = 0
    calls: int = 0
    names: list[str] = field(default_factory=list)
    is_dead: bool = False
    deaths: int = 0

    def call(self, name: str, function: Callable[..., R], *arguments: Any) -> R:
        if self.is_dead:
            raise Death
        self.calls += 1
        self.names.append(name)
        if self.calls != self.at:
            return function(*arguments)
        if self.how in ("after", "lies"):
            function(*arguments)
        if self.how in ("fails", "lies"):
            outage = OutageError(f"{name}: call {self.calls} {self.how}")
            self.next_fault()
            raise outage
        self.die()
        raise Death

    def die(self) -> None:
        self.is_dead = True
        self.deaths += 1
        self.at = self.tick = 0

    def live_again(self) -> None:
        self.is_dead = False
        self.next_fault()

    def next_fault(self) -> None:
        if self.second:
            self.at, self.how, self.second = self.calls + self.second, "before", 0


class FaultyStore(MemoryStore):
    """The store in memory, whose calls go through `Faults`."""

    def __init__(self, faults: Faults) -> None:
        super().__init__()
        self.faults = faults

    def open(self) -> int:
        return self.faults.call("open", super().open)

    def put_definition(self, definition: Any) -> None:
        self.faults.call("put_definition", super().put_definition, definition)

    def last_checkpoint(self) -> Any:
        return self.faults.call("last_checkpoint", super().last_checkpoint)

    def state_of(self, artifact_id: str) -> bytes | None:
        return self.faults.call("state_of", super().state_of, artifact_id)

    def commit(self, write: CheckpointWrite) -> Any:
        return self.faults.call("commit", super().commit, write)

    def prune(self, kept: int) -> None:
        self.faults.call("prune", super().prune, kept)

    def prepared_of(self, egress_id: str) -> list[tuple[int, bytes]]:
        return self.faults.call("prepared_of", super().prepared_of, egress_id)

    def settle(self, egress_id: str, number: int) -> None:
        self.faults.call("settle", super().settle, egress_id, number)


@dataclass
class World:
    """What outlives the process.

    Attributes:
        elements: What the source has.
        acknowledged: Up to which position the source has forgotten.
        pages: What the idempotent egress has written, by batch.
        prepared: What the two-phase egress has prepared.
        ledger: What it has committed, by checkpoint.
    """

    faults: Faults
    elements: Sequence[Any]
    acknowledged: int = 0
    pages: dict[int, list[Any]] = field(default_factory=dict)
    prepared: dict[int, list[Any]] = field(default_factory=dict)
    ledger: dict[int, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.store: Any = FaultyStore(self.faults)


class NumberedSource(Ingress):
    """Reads two elements of the world at a tick; has given up what was acknowledged."""

    poll_interval = TICK

    def __init__(self, world: World) -> None:
        self._world = world
        self._position = 0
        self._has_read = False

    def open(self, position: int, bookmark: Any) -> None:
        assert position >= self._world.acknowledged, "it forgot what it is asked for"
        assert bookmark == (None if position == 0 else f"after {position}")
        self._position = position

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        return self._world.faults.call("read", self._read, min(2, max_elements))

    def _read(self, most: int) -> list[tuple[int, Any]] | None:
        self._has_read = not self._has_read
        if not self._has_read:
            return []  # the next tick has more
        first = self._position
        found = self._world.elements[first : first + most]
        self._position += len(found)
        return [(first + 1 + place, element) for place, element in enumerate(found)] or None

    @property
    def bookmark(self) -> str:
        return f"after {self._position}"

    def acknowledge(self, position: int) -> None:
        self._world.faults.call("acknowledge", self._acknowledge, position)

    def _acknowledge(self, position: int) -> None:
        self._world.acknowledged = max(self._world.acknowledged, position)


class Pages(IdempotentEgress):
    """Keeps batches by their number."""

    def __init__(self, world: World) -> None:
        self._world = world

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        self._world.faults.call("write", self._write, batch_id, list(rows))

    def _write(self, batch_id: int, rows: list[Any]) -> None:
        assert self._world.pages.setdefault(batch_id, rows) == rows, "one batch with two contents"


class Ledger(TwoPhaseEgress):
    """Prepares and commits batches."""

    def __init__(self, world: World) -> None:
        self._world = world

    def prepare(self, checkpoint_id: int, rows: Sequence[Any]) -> str:
        self._world.faults.call("prepare", self._prepare, checkpoint_id, list(rows))
        return f"token {checkpoint_id}"

    def _prepare(self, number: int, rows: list[Any]) -> None:
        assert number not in self._world.prepared, "what was prepared before was not aborted"
        self._world.prepared[number] = rows

    def commit(self, checkpoint_id: int, token: Any) -> None:
        assert token == f"token {checkpoint_id}"
        self._world.faults.call("egress commit", self._commit, checkpoint_id)

    def _commit(self, number: int) -> None:
        if number not in self._world.ledger:
            self._world.ledger[number] = self._world.prepared[number]
        self._world.prepared.pop(number, None)

    def abort(self, last_committed: int) -> None:
        self._world.faults.call("abort", self._abort, last_committed)

    def _abort(self, last_committed: int) -> None:
        for number in [number for number in self._world.prepared if number > last_committed]:
            del self._world.prepared[number]


class Table(StoreEgress):
    """Appends rows to a table of the store."""

    transaction_kind = "memory"

    def write_in(self, transaction: Any, batch_id: int, rows: Sequence[Any]) -> None:
        transaction.setdefault("rows", []).extend(rows)


Query = Callable[[Stream[Any]], Stream[Any]]


def run(
    world: World,
    query: Query,
    *,
    kinds: Sequence[str],
    make_subject: Callable[[], MultiSubject[Any, Any] | InMemorySubject[Any]],
    checkpoint_every: int,
    egress: str = "table",
) -> "Result":
    """Run engines over a world until its elements are through, whatever dies; return what came of it.

    Args:
        world: The world.
        query: The operators.
        kinds: The kinds of checkpoints, in turn.
        make_subject: Makes the subject between two queries.
        checkpoint_every: How many ticks lie between them.
        egress: The kind of egress at the end.
    """
    registry = FactoryRegistry()
    registry.register("source")(lambda engine: NumberedSource(world))
    registry.register("subject")(lambda engine: make_subject())
    registry.register("first")(lambda engine, source: query(engine.stream(source)))
    registry.register("second")(lambda engine, between: engine.stream(between).scan(_appended, []).map(_last))
    makers = {"pages": Pages, "ledger": Ledger, "table": lambda _: Table()}
    registry.register("egress")(lambda engine, kind: makers[kind](world))
    for _ in range(MOST_LIVES):
        clock = VirtualTime()
        try:
            _live(_engine(world, clock, registry), clock, world, kinds, checkpoint_every, egress)
            with _engine(world, clock, registry):  # what could not be written at the very end is written now
                pass
            return _result(world, egress)
        except (Death, OutageError, ExceptionGroup):  # an outage while it starts is a death, too
            world.store = world.store.after_crash()
            world.faults.live_again()
    raise AssertionError("it dies in every life")


def _engine(world: World, clock: VirtualTime, registry: FactoryRegistry) -> Engine:
    return Engine(
        world.store,
        scheduler=VirtualTimeScheduler(clock),
        checkpoint_every=None,
        registry=registry,
        max_failed_checkpoints=9,
    )


@dataclass(frozen=True)
class Result:
    """What came of a run: rows, states, and how often the process died."""

    rows: list[Any]
    states: dict[str, bytes | None]
    deaths: int


def _live(
    engine: Engine, clock: VirtualTime, world: World, kinds: Sequence[str], checkpoint_every: int, egress: str
) -> None:
    engine.start()
    engine.define("source", "source")
    engine.define("between", "subject")
    engine.define("out", "egress", kind=egress)
    engine.define("second", "second", between="between", into="out")
    engine.define("first", "first", source="source", into="between")
    taken = 0
    for tick in range(1, MOST_TICKS):
        clock.advance_to(tick)
        if tick == world.faults.tick:
            world.faults.die()
            raise Death
        if tick % checkpoint_every == 0:
            with suppress(CheckpointError):
                engine.checkpoint(kinds[taken % len(kinds)])
            taken += 1
            if engine.find("out").status == "ended" and not any(engine.find(each).has_changed for each in COMPARED):
                break
    else:
        raise AssertionError("it does not end")
    with suppress(CheckpointError):  # then the last life stores it
        engine.stop()


def _result(world: World, egress: str) -> Result:
    world.faults.at = 0
    states = {each: MemoryStore.state_of(world.store, each) for each in COMPARED}
    rows = {
        "pages": [row for batch in sorted(world.pages) for row in world.pages[batch]],
        "ledger": [row for batch in sorted(world.ledger) for row in world.ledger[batch]],
        "table": world.store.tables.get("rows", []),
    }[egress]
    if egress == "ledger":
        assert world.prepared == {}
    return Result(rows, states, world.faults.deaths)


def _appended(seen: list[Any], element: Any) -> list[Any]:
    return [*seen, element][-3:]


def _last(seen: list[Any]) -> tuple[int, Any]:
    return len(seen), seen[-1]
