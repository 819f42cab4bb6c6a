"""A DataFrame of a distant Spark Connect server as a re-iterable: the server sends its batches as they are read."""

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.jvm_calls import received_tables
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.rows.row_forms import decoder
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.partition_window import translated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["ReceivedRows"]


class ReceivedRows:
    """Iterable over the rows or batches of a DataFrame; nothing is computed before the first `next` of an iteration.

    Its executors reach no socket of this process, so the batches come on the client's own connection. The server
    computes all partitions at once, holds them, and sends no more than the connection's buffers take.

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
