"""What does an element cost in tumbling windows of event time for each of 10,000 keys, beside bytewax?

Each window adds up five numbers. The keys are texts, since bytewax takes no others, and both ask a function for the
time of an element. bytewax, which takes longer, is given fewer elements.
"""

import importlib.util
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams import Stream

KEYS = 10_000
ELEMENTS = 1_000_000
BYTEWAX_ELEMENTS = 20_000
BYTEWAX_BATCH = 1_000
BEGAN = datetime(2013, 1, 1, tzinfo=UTC)
TICK = timedelta(seconds=1) / KEYS
WINDOW = timedelta(seconds=5)

HAS_BYTEWAX = importlib.util.find_spec("bytewax") is not None
"""It has wheels for some interpreters only."""


def key_of(number: int) -> str:
    return str(number % KEYS)


def time_of(number: int) -> datetime:
    return BEGAN + number * TICK


def added(total: int, number: int) -> int:
    return total + number


def in_a_stream() -> None:
    """Run the windows in a stream."""
    windows = Stream.range(ELEMENTS).with_timestamps(time_of, max_lateness=0).key_by(key_of).tumbling(WINDOW)
    windows.reduce(added, 0).run()


def in_bytewax() -> None:
    """The baseline: run the same as a dataflow, in its worker of one thread."""
    from bytewax import operators
    from bytewax.dataflow import Dataflow
    from bytewax.operators import windowing
    from bytewax.testing import run_main

    source, sink = _ends_of_bytewax()
    flow = Dataflow("windows")
    keyed = operators.key_on("key", operators.input("numbers", flow, source), key_of)
    clock = windowing.EventClock(time_of, timedelta(0))
    windower = windowing.TumblingWindower(length=WINDOW, align_to=BEGAN)
    folded = windowing.fold_window("sum", keyed, clock, windower, int, added, added)
    operators.output("output", folded.down, sink)
    run_main(flow)


def _ends_of_bytewax() -> tuple[Any, Any]:
    from bytewax.inputs import DynamicSource, StatelessSourcePartition
    from bytewax.outputs import DynamicSink, StatelessSinkPartition

    class Part(StatelessSourcePartition[int]):
        def __init__(self) -> None:
            self.batches: Iterator[range] = (
                range(first, first + BYTEWAX_BATCH) for first in range(0, BYTEWAX_ELEMENTS, BYTEWAX_BATCH)
            )

        def next_batch(self) -> range:
            return next(self.batches)

    class Source(DynamicSource[int]):
        def build(self, step_id: str, worker_index: int, worker_count: int) -> Part:
            return Part()

    class Nowhere(StatelessSinkPartition[Any]):
        def write_batch(self, items: list[Any]) -> None:
            pass

    class Sink(DynamicSink[Any]):
        def build(self, step_id: str, worker_index: int, worker_count: int) -> Nowhere:
            return Nowhere()

    return Source(), Sink()


def bench_event_time__stream(benchmark: BenchmarkFixture) -> None:
    """What does an element cost in a window?"""
    benchmark.extra_info["operations"] = ELEMENTS
    benchmark(in_a_stream)


def bench_event_time__bytewax(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does it cost in bytewax?"""
    benchmark.extra_info["operations"] = BYTEWAX_ELEMENTS
    benchmark(in_bytewax)
