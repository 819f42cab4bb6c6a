"""What does it cost to keep the state of a keyed query so that it survives a kill, beside bytewax, which does that too?

Running sums of numbers by 10,000 keys, which are texts, since bytewax takes no others. Both keep their state in SQLite
files, with a snapshot each quarter of a second, and throw the sums away. The source counts the pause: the longest time
between two of its reads in a run, whatever the time was spent on; so both are measured in the same way. bytewax reads a
thousand numbers at a time, an engine up to 128; bytewax, which takes longer, is given fewer.
"""

import importlib.util
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture

from bench.bench_engine import Numbers
from reactivestreams.engine import Engine, FactoryRegistry, SqliteStore

KEYS = 10_000
SNAPSHOT_EVERY = timedelta(seconds=0.25)
ENGINE_ELEMENTS = 3_000_000
BYTEWAX_ELEMENTS = 400_000
BYTEWAX_BATCH = 1_000

HAS_BYTEWAX = importlib.util.find_spec("bytewax") is not None
"""It has wheels for some interpreters only."""


class Pauses:
    """Adds up the longest time between two reads in each run: what a clock of a `Case` returns."""

    def __init__(self) -> None:
        self.nanoseconds = 0
        self._longest = self._last = 0

    @contextmanager
    def of_a_run(self) -> Iterator[None]:
        """Add the longest pause of a `with` statement."""
        self._longest = self._last = 0
        yield
        self.nanoseconds += self._longest

    def read(self) -> None:
        """Note that the source is read."""
        now = time.perf_counter_ns()
        if self._last:
            self._longest = max(self._longest, now - self._last)
        self._last = now


class Watched(Numbers):
    """Gives the numbers, and notes each read until all are given."""

    def __init__(self, pauses: Pauses) -> None:
        super().__init__()
        self.pauses = pauses

    def read(self, max_elements: int) -> list[tuple[int, int]]:
        if self.position < self.last:
            self.pauses.read()
        return super().read(max_elements)


def key_of(number: int) -> str:
    return str(number % KEYS)


def added(total: int, number: int) -> int:
    return total + number


def in_an_engine(pauses: Pauses) -> None:
    """Run the query in the thread of an engine until the last sum has come."""
    registry, numbers, seen = FactoryRegistry(), Watched(pauses), list[int]()
    registry.register("input")(lambda engine: numbers)
    registry.register("query")(
        lambda engine, source: (
            engine.stream(source).key_by(key_of).scan(added, 0).skip(ENGINE_ELEMENTS - 1).do(seen.append)
        )
    )

    def define(engine: Engine) -> None:
        engine.define("input", "input")
        engine.define("query", "query", source="input")

    with tempfile.TemporaryDirectory() as folder, pauses.of_a_run():
        store = SqliteStore(Path(folder, "state.db"))
        with Engine(store, registry=registry, checkpoint_every=SNAPSHOT_EVERY, define=define) as engine:
            numbers.give(ENGINE_ELEMENTS)
            while not seen:
                time.sleep(0.001)
            last = engine.last_checkpoint
        if last is None or last.size_bytes < KEYS:
            raise RuntimeError(f"the last snapshot was {last}, and a run needs one of all keys; take more elements")


def in_bytewax(pauses: Pauses) -> None:
    """The baseline: run the same as a dataflow with recovery, in its worker of one thread."""
    from bytewax import operators
    from bytewax.dataflow import Dataflow
    from bytewax.recovery import RecoveryConfig, init_db_dir
    from bytewax.testing import run_main

    source, sink = _ends_of_bytewax(pauses)

    def add(total: int | None, number: int) -> tuple[int, int]:
        summed = added(total or 0, number)
        return summed, summed

    flow = Dataflow("sums")
    keyed = operators.key_on("key", operators.input("numbers", flow, source), key_of)
    operators.output("output", operators.stateful_map("sum", keyed, add), sink)
    with tempfile.TemporaryDirectory() as folder, pauses.of_a_run():
        init_db_dir(Path(folder), 1)
        run_main(flow, epoch_interval=SNAPSHOT_EVERY, recovery_config=RecoveryConfig(folder))


def _ends_of_bytewax(pauses: Pauses) -> tuple[Any, Any]:
    from bytewax.inputs import FixedPartitionedSource, StatefulSourcePartition
    from bytewax.outputs import DynamicSink, StatelessSinkPartition

    class Part(StatefulSourcePartition[int, int]):
        def __init__(self, position: int | None) -> None:
            self.position = position or 0

        def next_batch(self) -> range:
            if self.position == BYTEWAX_ELEMENTS:
                raise StopIteration
            pauses.read()
            first, self.position = self.position, min(BYTEWAX_ELEMENTS, self.position + BYTEWAX_BATCH)
            return range(first, self.position)

        def snapshot(self) -> int:
            return self.position

    class Source(FixedPartitionedSource[int, int]):
        def list_parts(self) -> list[str]:
            return ["numbers"]

        def build_part(self, step_id: str, for_part: str, resume_state: int | None) -> Part:
            return Part(resume_state)

    class Nowhere(StatelessSinkPartition[Any]):
        def write_batch(self, items: list[Any]) -> None:
            pass

    class Sink(DynamicSink[Any]):
        def build(self, step_id: str, worker_index: int, worker_count: int) -> Nowhere:
            return Nowhere()

    return Source(), Sink()


def of_new_pauses(run: Callable[[Pauses], None]) -> tuple[Callable[[], None], Callable[[], int]]:
    """Return a run, and the clock that says how long its longest pauses were."""
    pauses = Pauses()
    return lambda: run(pauses), lambda: pauses.nanoseconds


def bench_keyed_recovery__engine(benchmark: BenchmarkFixture) -> None:
    """What does an element cost an engine whose state is saved each quarter of a second?"""
    benchmark.extra_info["operations"] = ENGINE_ELEMENTS
    benchmark(in_an_engine, Pauses())


def bench_keyed_recovery__bytewax(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does it cost bytewax?"""
    benchmark.extra_info["operations"] = BYTEWAX_ELEMENTS
    benchmark(in_bytewax, Pauses())
