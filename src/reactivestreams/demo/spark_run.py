"""The run on Spark.

The rows become a DataFrame, the executors run the pipeline value, and the results are streamed back on demand.
"""

import os
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from reactivestreams.demo.captured_stderr import CapturedStandardError
from reactivestreams.demo.comparison import Comparison, Reference
from reactivestreams.demo.deferred_interrupt import DeferredInterrupt
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_pipeline import ORDER_COLUMNS, RESULT_SCHEMA
from reactivestreams.demo.flights_runs import Progress, RunReport, reporting

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["run_on_spark", "write_parquet"]

MASTER = "local[2]"
BUCKETS = 8
"""The number of tasks among which the keys are distributed; with 8, 35 keys of unequal size keep 2 cores busy."""

FILE_ROWS = 65_536
"""The number of rows in one Parquet file, and of rows in memory while the files are written."""

FIRST_FILE_SECONDS = 1_356_998_400
"""The modification time of the first file, in seconds since 1970: the start of 2013."""

WATCH_SECONDS = 0.25
"""The interval between two queries of the number of finished tasks."""


def run_on_spark(pipeline: Any, rows: FlightRows, *, total: int, reference: Reference, progress: Progress) -> RunReport:
    """Run the pipeline on a local Spark and compare the results as they arrive.

    Spark decides the interleaving of keys; rows are matched by their number. A session that is started here is stopped
    at the end; a running session is used and left running.

    Raises:
        SparkUnavailableError: PySpark is missing; the message says what to install.
        JavaNotFoundError: No Java that runs Spark was found; the message says what to install.
    """
    from reactivestreams import spark

    title = "Spark"
    comparison = Comparison(title, reference, ordered=False)
    progress.begin(title, total=reference.count)
    progress.note("starting Spark")
    started = time.perf_counter()
    was_running = running_session() is not None
    with CapturedStandardError() as held, tempfile.TemporaryDirectory(prefix="reactivestreams-flights-") as folder:
        try:
            # A Java process that is interrupted while it starts would outlive this process; later it ends with it.
            with DeferredInterrupt(lambda: progress.note("stopping when Spark has started")):
                session = spark.session(MASTER, app_name="flights demo")
            held.release()
            progress.note("making the DataFrame")
            files = write_parquet(rows, Path(folder))
            frame = session.read.parquet(folder)
            applied = spark.apply(
                pipeline, frame, schema=RESULT_SCHEMA, as_="tuples", order_by=ORDER_COLUMNS, buckets=BUCKETS
            )
            ready = time.perf_counter()
            with TaskWatch(session, progress):
                spark.from_dataframe(applied, as_="tuples").for_each(
                    reporting(comparison.check, progress, lambda count: count)
                )
            done = time.perf_counter()
        finally:
            if not was_running:
                stop_session()
    progress.end()
    return RunReport(
        name="spark",
        title=title,
        where=f"{MASTER}, {files} files in, keyed state on the executors",
        rows=total,
        results=comparison.count,
        seconds=done - ready,
        set_up_seconds=ready - started,
        difference=comparison.difference(),
    )


def running_session() -> "SparkSession | None":
    """Return the Spark session of this process; imports nothing."""
    sql: Any = sys.modules.get("pyspark.sql")
    session: SparkSession | None = None if sql is None else sql.SparkSession.getActiveSession()
    return session


def stop_session() -> None:
    """Stop the running Spark session, if there is one."""
    session = running_session()
    if session is not None:
        session.stop()


def write_parquet(rows: FlightRows, folder: Path, *, file_rows: int = FILE_ROWS) -> int:
    """Write the rows as Parquet files with the columns of `ROW_SCHEMA`; return how many files there are.

    Each file is a slice of scheduled time, and its modification time is one second later than that of the previous one:
    a streaming query reads older files first, with a resolution of milliseconds.
    """
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([("row", pa.int64()), ("scheduled", pa.string()), ("line", pa.string())])
    source = iter(rows)
    files = 0
    while part := list(islice(source, file_rows)):
        path = folder / f"part-{files:04}.parquet"
        parquet.write_table(pa.table([*zip(*part, strict=True)], schema=schema), path)
        dated = FIRST_FILE_SECONDS + files
        os.utime(path, (dated, dated))
        files += 1
    return files


class TaskWatch:
    """Show how many of Spark's tasks are done until the first result; one daemon thread, which ends on exit."""

    def __init__(self, session: "SparkSession", progress: Progress) -> None:
        self._tracker = session.sparkContext.statusTracker()
        self._progress = progress
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="reactivestreams-task-watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(WATCH_SECONDS):
            stages = [self._tracker.getStageInfo(stage) for stage in self._tracker.getActiveStageIds()]
            running = [stage for stage in stages if stage is not None]
            if running:
                done = sum(stage.numCompletedTasks for stage in running)
                self._progress.note(f"{done} of {sum(stage.numTasks for stage in running)} tasks")
