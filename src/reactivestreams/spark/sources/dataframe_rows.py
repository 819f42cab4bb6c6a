"""A DataFrame as a re-iterable: each iteration reads it again, with one job per partition that is requested."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.rows.row_forms import decoder
from reactivestreams.spark.sources.partition_jobs import partition_jobs
from reactivestreams.spark.sources.partition_rows import PartitionRows, reader_name
from reactivestreams.spark.sources.partition_window import PartitionWindow

if TYPE_CHECKING:
    from pyspark.sql.classic.dataframe import DataFrame

__all__ = ["DataFrameRows", "dataframe_rows"]


def dataframe_rows(df: Any, *, form: str, window: int, properties: Any = None) -> "PartitionRows | DataFrameRows":
    """Return the rows of a DataFrame as a re-iterable, depending on the kind of its session.

    Args:
        df: A batch DataFrame.
        form: One of `ROW_FORMS`.
        window: As for `from_dataframe`.
        properties: As for `DataFrameRows`.
    """
    if is_connect(df):
        return PartitionRows(df, form=form, window=window)
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
