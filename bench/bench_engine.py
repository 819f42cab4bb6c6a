"""What does an engine cost: pauses, commits, recovery, and an element that eight queries take?

Each figure is of the part that its name says, not of the whole call: `Spans` adds up what lies between two steps of the
engine. Everything runs in virtual time, in the calling thread, whose computing time is counted, so that a busy machine
does not count; but a commit waits for the disk, and the throughput beside checkpoints is that of the engine's threads.
"""

import importlib
import pickle
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture

from bench.bench_saved_state import OPERATORS, values
from reactivestreams.engine import Engine, FactoryRegistry, Ingress, MemoryStore, SqliteStore, Store
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler
from reactivestreams.state import decode_value, encode_value

QUERIES = 10_000
INPUTS = 1_000
"""Of these queries: those of one input are ten."""

KEYS = 1_000_000
CHANGED_KEYS = 1_000

HOSTED = 8
ELEMENTS = 40_000

CODEC_KEYS = 100_000


class Numbers(Ingress):
    """Gives the numbers up to a bound, which may be raised."""

    def __init__(self) -> None:
        self.position = 0
        self.last = 0

    def open(self, position: int, bookmark: Any) -> None:
        self.position = self.last = position

    def read(self, max_elements: int) -> list[tuple[int, int]]:
        first, self.position = self.position + 1, min(self.last, self.position + max_elements)
        return [(number, number) for number in range(first, self.position + 1)]

    def give(self, count: int) -> None:
        """Let so many more numbers come."""
        self.last += count
        self.wake()


class Spans:
    """Adds up the time between the steps of an engine: what a clock of a `Case` returns."""

    def __init__(self) -> None:
        self.pause = self.commit = self.recovery = 0
        self._began = 0

    def step(self, name: str) -> None:
        """Note that the engine is at a step."""
        if name == "paused":
            self._began = time.thread_time_ns()
        elif name == "saved":
            self.pause += time.thread_time_ns() - self._began
        elif name == "committing":
            self._began = time.perf_counter_ns()
        elif name == "committed":
            self.commit += time.perf_counter_ns() - self._began

    @contextmanager
    def recovering(self) -> Iterator[None]:
        """Add the time of a `with` statement to the recovery."""
        began = time.thread_time_ns()
        yield
        self.recovery += time.thread_time_ns() - began


class HostedQueries:
    """An engine in virtual time with queries over ingresses of numbers.

    Args:
        store: Where it keeps them.
        inputs: How many ingresses there are.
        add: Returns query number i over a stream.
        queries: How many there are.
    """

    def __init__(self, store: Store, inputs: int, add: Callable[[Any, int], Any], queries: int) -> None:
        self.store = store
        self.spans = Spans()
        self.registry = FactoryRegistry()
        self.inputs: dict[int, Numbers] = {}
        self.registry.register("input")(self._input)
        self.registry.register("query")(lambda engine, source, number: add(engine.stream(source), number))
        self.engine, self.clock = self.made()
        self.engine.start()
        with self.engine.held():
            for number in range(inputs):
                self.engine.define(f"in {number}", "input", number=number)
            for number in range(queries):
                self.engine.define(f"query {number}", "query", source=f"in {number % inputs}", number=number)

    def _input(self, engine: Any, number: int) -> Numbers:
        self.inputs[number] = Numbers()
        return self.inputs[number]

    def made(self) -> tuple[Engine, VirtualTime]:
        clock = VirtualTime()
        engine = Engine(
            self.store,
            scheduler=VirtualTimeScheduler(clock),
            checkpoint_every=None,
            registry=self.registry,
            on_step=self.spans.step,
        )
        return engine, clock

    def give(self, number: int, count: int) -> None:
        """Let numbers come from an ingress, and queries take them."""
        self.inputs[number].give(count)
        self.clock.advance_to(self.clock.ticks + 10_000_000)

    def give_and_save(self, count: int) -> None:
        self.give(0, count)
        self.engine.checkpoint()

    def save_all(self) -> None:
        self.engine.checkpoint("full")

    def recover(self) -> None:
        """Stop, and start another engine over the store; the first checkpoint, which looks at all nodes, is taken."""
        self.engine.unload()
        self.engine, self.clock = self.made()
        with self.spans.recovering():
            self.engine.start()
        self.give_and_save(1)


# --- what is measured -------------------------------------------------------------------------------------------------


def _with_kilobytes(stream: Any, _number: int) -> Any:
    for state in values(OPERATORS - 1):
        stream = stream.scan(lambda before, element, state=state: state, None)
    return stream


@cache
def operators_of_a_kilobyte() -> HostedQueries:
    """One query of 1,000 operators, each of which has 1 KiB of state that changes with every element."""
    return HostedQueries(MemoryStore(), 1, _with_kilobytes, 1)


@cache
def many_queries() -> HostedQueries:
    """10,000 queries over 1,000 ingresses."""
    hosted = HostedQueries(MemoryStore(), INPUTS, lambda stream, number: stream.scan(_added, 0), QUERIES)
    hosted.save_all()
    return hosted


def _added(total: int, number: int) -> int:
    return total + number


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


@cache
def many_keys() -> HostedQueries:
    """A million keys in a SQLite file; each thousand numbers in a row are of other keys."""
    _FOLDERS.append(tempfile.TemporaryDirectory())
    store = SqliteStore(Path(_FOLDERS[-1].name, "state.db"))
    hosted = HostedQueries(store, 1, lambda stream, _: stream.key_by(lambda number: number % KEYS).scan(_added, 0), 1)
    hosted.give(0, KEYS)
    hosted.engine.checkpoint()
    return hosted


@cache
def eight_queries() -> HostedQueries:
    """Eight running sums over one ingress."""
    return HostedQueries(MemoryStore(), 1, lambda stream, number: stream.scan(_added, 0), HOSTED)


def eight_sums() -> list[int]:
    """The baseline: what plain Python does in their place."""
    totals = [0] * HOSTED
    for number in range(ELEMENTS):
        for place in range(HOSTED):
            totals[place] = _added(totals[place], number)
    return totals


def run_for(elements: int, checkpoint_every: timedelta | None) -> int:
    """Run a keyed query over numbers in a thread of an engine, with checkpoints beside it; return their count."""
    registry = FactoryRegistry()
    numbers = Numbers()
    seen: list[int] = []
    registry.register("input")(lambda engine: numbers)
    registry.register("query")(
        lambda engine, source: (
            engine.stream(source)
            .key_by(lambda number: number % 10_000)
            .scan(_added, 0)
            .skip(elements - 1)
            .do(seen.append)
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(
            SqliteStore(Path(folder, "state.db")), registry=registry, checkpoint_every=checkpoint_every, define=_define
        )
        with engine:
            numbers.give(elements)
            while not seen:
                time.sleep(0.001)
            last = engine.last_checkpoint
        return 0 if last is None else last.number


def _define(engine: Engine) -> None:
    engine.define("input", "input")
    engine.define("query", "query", source="input")


def keyed_state() -> dict[str, tuple[int, float, float, str]]:
    """The state of many keys: tuples of four values by texts."""
    return {f"key {number:06d}": (number, 1.5 * number, 0.25, "open") for number in range(CODEC_KEYS)}


def packed_by_msgspec(state: dict[str, tuple[int, float, float, str]]) -> bytes:
    """Encode the state in another library, which has a form of its own for it."""
    packed: bytes = importlib.import_module("msgspec").msgpack.encode(state)
    return packed


def unpacked_by_msgspec(packed: bytes) -> dict[str, tuple[int, float, float, str]]:
    """Decode what `packed_by_msgspec` returned; the types make tuples of its lists."""
    state: dict[str, tuple[int, float, float, str]] = _unpacker().decode(packed)
    return state


@cache
def _unpacker() -> Any:
    return importlib.import_module("msgspec").msgpack.Decoder(dict[str, tuple[int, float, float, str]])


# --- each alone -------------------------------------------------------------------------------------------------------


def bench_engine__save_1000_operators_of_1_kib(benchmark: BenchmarkFixture) -> None:
    """What does a checkpoint of 1,000 operators with 1 KiB of state each need, with its pause?"""
    hosted = operators_of_a_kilobyte()
    benchmark(lambda: hosted.give_and_save(1))


def bench_engine__element_to_eight_queries(benchmark: BenchmarkFixture) -> None:
    """What does an element need that eight queries take?"""
    benchmark.extra_info["operations"] = ELEMENTS
    hosted = eight_queries()
    benchmark(lambda: hosted.give(0, ELEMENTS))


def bench_engine__encode_keyed_state(benchmark: BenchmarkFixture) -> None:
    """What does encoding the state of 100,000 keys need?"""
    benchmark(encode_value, keyed_state())


def bench_engine__decode_keyed_state(benchmark: BenchmarkFixture) -> None:
    """What does decoding it need?"""
    benchmark(decode_value, encode_value(keyed_state()))


def bench_engine__pickle_keyed_state(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does pickle need for it?"""
    benchmark(pickle.dumps, keyed_state())
