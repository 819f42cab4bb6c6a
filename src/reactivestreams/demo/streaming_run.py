"""The run as a streaming query on Spark: killed in the middle of a micro-batch, started again, and compared."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from reactivestreams.demo.comparison import Comparison, Reference
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_pipeline import OnCorrupt, Thresholds
from reactivestreams.demo.flights_runs import Progress, RunReport, reporting
from reactivestreams.demo.spark_run import BUCKETS, write_parquet
from reactivestreams.demo.streaming_query import QuerySettings
from reactivestreams.spark import SparkJobError

__all__ = ["MICRO_BATCHES", "run_streaming"]

MICRO_BATCHES = 4
"""The number of files of flights, each a slice of scheduled time; the query reads one at a time, in order."""

KILLED_BATCH = 1
"""The micro-batch in which the query is killed, counted from 0."""

END_SECONDS = 600.0
"""How long the query may run after its restart."""


def run_streaming(
    rows: FlightRows,
    *,
    total: int,
    reference: Reference,
    progress: Progress,
    on_corrupt: OnCorrupt,
    thresholds: Thresholds,
) -> RunReport:
    """Run the pipeline as a streaming query with its state in Spark's state store, and compare its results.

    The query runs in a separate process. When a micro-batch has computed its results and not yet written them, the
    process and its JVM are killed; a second process continues from the checkpoint.

    Raises:
        SparkUnavailableError: PySpark is missing; the message says what to install.
        JavaNotFoundError: No Java that runs Spark was found; the message says what to install.
        SparkJobError: The query failed; the message contains the end of its output.
    """
    from reactivestreams.spark import ensure_java
    from reactivestreams.spark.requirements import require_spark

    require_spark()
    ensure_java()
    title = "Spark streaming, killed once"
    comparison = Comparison(title, reference, ordered=True)
    progress.begin(title, total=reference.count)
    progress.note("writing the files")
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="reactivestreams-stream-") as name:
        folder = Path(name)
        for part in ("in", "out"):
            (folder / part).mkdir()
        files = write_parquet(rows, folder / "in", file_rows=-(-total // MICRO_BATCHES))
        killed = min(KILLED_BATCH, files - 1)
        starting = time.perf_counter() - started
        for hold_at in (killed, None):
            settings = QuerySettings(name, BUCKETS, on_corrupt, thresholds, hold_at)
            progress.note("starting Spark" if hold_at is not None else "killed; starting again")
            began = time.perf_counter()
            with query_process(settings) as process:
                process.expect("ready")
                starting += time.perf_counter() - began
                progress.note("running")
                if hold_at is not None:
                    process.expect("held")
                else:
                    process.expect_end()
        for file in sorted((folder / "out").glob("*.parquet")):
            read_results(file, reporting(comparison.check, progress, lambda count: count))
    progress.end()
    state = f"state in {BUCKETS} buckets"
    return RunReport(
        name="streaming",
        title=title,
        where=f"{files} micro-batches by scheduled time, {state}, kill -9 in number {killed + 1}, then a restart",
        rows=total,
        results=comparison.count,
        seconds=time.perf_counter() - started - starting,
        set_up_seconds=starting,
        difference=comparison.difference(),
    )


def read_results(file: Path, consume: Any) -> None:
    """Pass the rows of a file of results to a function as tuples."""
    from pyarrow import parquet

    for batch in parquet.ParquetFile(file).iter_batches():
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            consume(row)


class QueryProcess:
    """The process of a query, with its output."""

    def __init__(self, process: "subprocess.Popen[str]", errors: IO[bytes]) -> None:
        self.process = process
        self.errors = errors

    def expect(self, word: str) -> None:
        """Wait for a line; raise if the process ends instead."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        if line != word:
            self.process.wait(END_SECONDS)
            raise self.failure(f"it printed {line!r} instead of {word!r}")

    def expect_end(self) -> None:
        """Wait for a successful end."""
        status = self.process.wait(END_SECONDS)
        if status:
            raise self.failure(f"it ended with status {status}")

    def failure(self, what: str) -> SparkJobError:
        """Return the error of a query that failed."""
        self.errors.seek(0)
        lines = [line.strip() for line in self.errors.read().decode(errors="replace").splitlines() if line.strip()]
        last = next((line for line in reversed(lines) if "Error" in line), lines[-1] if lines else "nothing")
        return SparkJobError(f"the streaming query of the demo failed: {what}; its last error: {last[:400]}")


@contextmanager
def query_process(settings: QuerySettings) -> Generator[QueryProcess]:
    """Run a query in a process group of its own, which is killed on exit, the JVM with it."""
    command = [sys.executable, "-m", "reactivestreams.demo.streaming_query", settings.text()]
    path = os.pathsep.join(filter(None, sys.path))  # the import path of this process
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": path},
        ) as process,
    ):
        try:
            yield QueryProcess(process, errors)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
