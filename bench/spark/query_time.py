"""Clocks for what happens inside a streaming query, where the time of the whole run would hide it."""

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.interleaved import Case
from bench.spark.data import fresh

POLL_SECONDS = 0.05
WAIT_SECONDS = 300.0


class Median:
    """Runs something that returns times in nanoseconds; its clock goes on by their median with each run.

    Args:
        times: What to run.
    """

    def __init__(self, times: Callable[[], Sequence[float]]) -> None:
        self.times = times
        self.nanoseconds = 0

    def clock(self) -> int:
        return self.nanoseconds

    def run(self) -> None:
        self.nanoseconds += round(statistics.median(self.times()))

    def case(self, name: str, operations: int = 1) -> Case:
        """Return the case that times this."""
        return Case(name, self.run, operations, self.clock)


def micro_batch_times(frame: Any, folder: Path, mode: str, warm: int, measured: int) -> list[float]:
    """Run a streaming query for some micro-batches; return the nanoseconds of each, after the warm ones.

    Args:
        frame: The streaming DataFrame; what it gives is thrown away.
        folder: Where the checkpoint goes.
        mode: Spark's output mode.
        warm: How many micro-batches run before.
        measured: How many are timed.
    """
    writer = frame.writeStream.format("noop").outputMode(mode).option("checkpointLocation", str(fresh(folder)))
    query = writer.trigger(processingTime="0 seconds").start()
    deadline = time.monotonic() + WAIT_SECONDS
    try:
        while query.lastProgress is None or query.lastProgress.batchId < warm + measured - 1:
            failure = query.exception()
            if failure is not None:
                raise failure
            if time.monotonic() > deadline:
                raise TimeoutError(f"the query did not run {warm + measured} micro-batches in {WAIT_SECONDS:g} s")
            time.sleep(POLL_SECONDS)
        return times_after(warm, query)
    finally:
        query.stop()


def times_after(warm: int, query: Any) -> list[float]:
    """Return the nanoseconds of each micro-batch with rows of a query, after the warm ones."""
    progress = [each for each in query.recentProgress if each.batchId >= warm and each.numInputRows]
    return [each.durationMs["triggerExecution"] * 1e6 for each in progress]
