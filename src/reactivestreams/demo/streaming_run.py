"""The run as a streaming query on Spark: killed in the middle of a micro-batch, started again, and compared."""

import tempfile
import time
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from reactivestreams.demo.child_process import ChildProcess, child_process
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


def query_process(settings: QuerySettings) -> AbstractContextManager[ChildProcess]:
    """Run a query in a process group of its own, which is killed on exit, the JVM with it."""
    return child_process(
        "reactivestreams.demo.streaming_query", settings.text(), name="the streaming query", error=SparkJobError
    )
