"""A DataFrame as a re-iterable: each iteration reads it again.

In a classic session one job per partition is run when it is requested; through Spark Connect on this machine executors
push as many batches as are requested, and a server elsewhere sends the rows as they are read (`received_rows.py`).
"""

import itertools
import threading
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from reactivestreams.dropped import dropped
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.rows.row_forms import decoder
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.batch_push import PUSHED_SCHEMA, pusher
from reactivestreams.spark.sources.batch_server import BatchServer
from reactivestreams.spark.sources.partition_jobs import partition_jobs
from reactivestreams.spark.sources.partition_window import JOIN_TIMEOUT_SECONDS, PartitionWindow, translated
from reactivestreams.spark.sources.received_rows import ReceivedRows
from reactivestreams.spark.storage.shared_storage import runs_on_one_machine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["DataFrameRows", "PartitionRows", "dataframe_rows", "reader_name"]


def dataframe_rows(
    df: Any, *, form: str, window: int, properties: Any = None
) -> "DataFrameRows | PartitionRows | ReceivedRows":
    """Return the rows of a DataFrame as a re-iterable, depending on the kind of its session.

    Args:
        df: A batch DataFrame.
        form: One of `ROW_FORMS`.
        window: As for `from_dataframe`.
        properties: As for `DataFrameRows`.
    """
    if is_connect(df):
        if runs_on_one_machine(df.sparkSession):
            return PartitionRows(df, form=form, window=window)
        return ReceivedRows(df, form=form)
    return DataFrameRows(df, form=form, window=window, properties=properties)


class DataFrameRows:
    """Iterable over the rows or batches of a DataFrame; nothing is computed before the first `next` of an iteration.

    Args:
        dataframe: A batch DataFrame of classic Spark.
        form: One of `ROW_FORMS`.
        window: How many partitions may be computed ahead of the one that is read.
        properties: Spark's local properties for the jobs; None for those of the reading thread.
    """

    def __init__(self, dataframe: "DataFrame", *, form: str, window: int, properties: Any = None) -> None:
        self.dataframe = dataframe
        self.form = form
        self.window = window
        self.properties = properties
        self.is_computed: bool = False
        """Whether an iteration has computed all partitions."""

    def __iter__(self) -> Generator[Any, None, None]:
        """Yield the elements in order; the generator's `close()` stops the jobs and joins the threads."""
        name = reader_name()
        jobs = partition_jobs(self.dataframe, name, self.properties)
        decode = decoder(self.form, self.dataframe.schema)
        window = PartitionWindow(jobs, window=self.window, name=name)
        try:
            for batches in window:
                for batch in batches:
                    yield from decode(batch)
        finally:
            self.is_computed = self.is_computed or window.delivered == window.partitions
            window.close()

    def __repr__(self) -> str:
        return f"DataFrameRows({self.dataframe!r}, form={self.form!r}, window={self.window})"


readers: "itertools.count[int]" = itertools.count(1)


def reader_name() -> str:
    """Return a new name for a reader of this process; it is part of the names of its threads and job group."""
    return f"reactivestreams-dataframe-{next(readers)}"


class PartitionRows:
    """Iterable over the rows or batches of a DataFrame; nothing is computed before the first `next` of an iteration.

    A task whose function raises, for example because its connection was closed, still reads all of its input before it
    fails. So a job is interrupted by its tag, which works from any thread in sessions of Spark Connect.

    Args:
        dataframe: A batch DataFrame of Spark Connect.
        form: One of `ROW_FORMS`.
        window: How many batches may be buffered besides the one that is read.
    """

    def __init__(self, dataframe: "DataFrame", *, form: str, window: int) -> None:
        self.dataframe = dataframe
        self.form = form
        self.window = window
        self.guard: threading.Lock = threading.Lock()
        self.servers: list[BatchServer] = []
        self.failure: Exception | None = None
        self.is_computed: bool = False
        """Whether an iteration has computed all partitions."""

    def __iter__(self) -> Generator[Any, None, None]:
        """Yield the elements in order; the generator's `close()` ends the job and joins the threads."""
        name = reader_name()
        schema = self.dataframe.schema
        arrow = arrow_schema(schema)
        decode = decoder(self.form, schema)
        server = BatchServer(window=self.window, name=f"{name}-sockets")
        job = threading.Thread(target=self.run_job, args=(server, name), name=f"{name}-job", daemon=True)
        with self.guard:
            self.servers.append(server)
            if self.failure is not None:
                server.job_ended(self.failure)
        job.start()
        try:
            for batch in server:
                # Timestamps arrive in the session's time zone; they are converted to the same instants in UTC.
                yield from decode(batch.cast(arrow))
            self.is_computed = True
        finally:
            self.end_job(server, job, name)
            with self.guard:
                self.servers.remove(server)

    def fail(self, error: Exception) -> None:
        """End the iterations, also those that begin later, with an error."""
        with self.guard:
            self.failure = error
            for server in self.servers:
                server.job_ended(error)

    def run_job(self, server: BatchServer, tag: str) -> None:
        """Run the job that pushes all partitions."""
        try:
            self.dataframe.sparkSession.addTag(tag)
            pushed = self.dataframe.mapInArrow(pusher(server.address, server.token), PUSHED_SCHEMA)
            pushed.collect()
        except BaseException as error:
            failure = translated(error, is_stopped=is_stopped(self.dataframe.sparkSession, error))
            failure.__cause__ = error
            server.job_ended(failure)
        else:
            server.job_ended(None)

    def end_job(self, server: BatchServer, job: threading.Thread, tag: str) -> None:
        """Interrupt the job if it still runs, close the connections and join the threads."""
        is_left = self.failure is not None or not server.is_over
        if is_left and job.is_alive() and not is_stopped(self.dataframe.sparkSession):
            try:
                self.dataframe.sparkSession.interruptTag(tag)
            except Exception as error:
                # No one can receive this error: the reader has closed, or has received another error.
                dropped("cancel", error, origin="from_dataframe")
        server.close()
        job.join(JOIN_TIMEOUT_SECONDS)

    def __repr__(self) -> str:
        return f"PartitionRows({self.dataframe!r}, form={self.form!r}, window={self.window})"
