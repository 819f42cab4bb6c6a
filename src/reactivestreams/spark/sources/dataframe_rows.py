"""A DataFrame as a re-iterable: each iteration reads it again.

In a classic session one job per partition is run when it is requested; through Spark Connect the server computes all
partitions and sends the rows as they are read.
"""

import itertools
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.jvm_calls import received_tables
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.rows.row_forms import decoder
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.partition_jobs import partition_jobs
from reactivestreams.spark.sources.partition_window import PartitionWindow, translated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["DataFrameRows", "ReceivedRows", "dataframe_rows", "reader_name"]


def dataframe_rows(
    df: Any, *, form: str, window: int, properties: Any = None, at_once: int = 1
) -> "DataFrameRows | ReceivedRows":
    """Return the rows of a DataFrame as a re-iterable, depending on the kind of its session.

    Args:
        df: A batch DataFrame.
        form: One of `ROW_FORMS`.
        window: As for `from_dataframe`.
        properties: As for `DataFrameRows`.
        at_once: As for `DataFrameRows`.
    """
    if is_connect(df):
        return ReceivedRows(df, form=form)
    return DataFrameRows(df, form=form, window=window, properties=properties, at_once=at_once)


class DataFrameRows:
    """Iterable over the rows or batches of a DataFrame; nothing is computed before the first `next` of an iteration.

    Args:
        dataframe: A batch DataFrame of classic Spark.
        form: One of `ROW_FORMS`.
        window: How many partitions may be computed ahead of the one that is read.
        properties: Spark's local properties for the jobs; None for those of the reading thread.
        at_once: So many partitions, or fewer, are computed by one job, which costs less than a job for each.
    """

    def __init__(
        self, dataframe: "DataFrame", *, form: str, window: int, properties: Any = None, at_once: int = 1
    ) -> None:
        self.dataframe = dataframe
        self.form = form
        self.window = window
        self.properties = properties
        self.at_once = at_once
        self.is_computed: bool = False
        """Whether an iteration has computed all partitions."""

    def __iter__(self) -> Generator[Any, None, None]:
        """Yield the elements in order; the generator's `close()` stops the jobs and joins the threads."""
        name = reader_name()
        jobs = partition_jobs(self.dataframe, name, self.properties, at_once=self.at_once)
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


class ReceivedRows:
    """Iterable over the rows or batches of a DataFrame; nothing is computed before the first `next` of an iteration.

    The batches come on the client's own connection. The server computes all partitions at once, holds what was not
    read, at most `spark.driver.maxResultSize`, and sends no more than the connection's buffers take.

    Args:
        dataframe: A batch DataFrame of Spark Connect.
        form: One of `ROW_FORMS`.
    """

    def __init__(self, dataframe: "DataFrame", *, form: str) -> None:
        self.dataframe: Any = dataframe
        self.form = form
        self.is_computed: bool = False
        """Whether an iteration has received all rows."""

    def __iter__(self) -> Generator[Any, None, None]:
        """Yield the elements in order; the generator's `close()` ends the job."""
        import pyarrow as pa

        schema = self.dataframe.schema
        arrow = arrow_schema(schema)
        decode = decoder(self.form, schema)
        session, tables = self.dataframe.sparkSession, received_tables(self.dataframe)
        try:
            while True:
                try:
                    table = next(tables, None)
                except Exception as error:
                    raise translated(error, is_stopped=is_stopped(session, error)) from error
                if table is None:
                    break
                if isinstance(table, pa.Table):
                    # Timestamps arrive in the session's time zone; they are converted to the same instants in UTC.
                    for batch in table.cast(arrow).to_batches():
                        yield from decode(batch)
            self.is_computed = True
        finally:
            tables.close()

    def __repr__(self) -> str:
        return f"ReceivedRows({self.dataframe!r}, form={self.form!r})"
