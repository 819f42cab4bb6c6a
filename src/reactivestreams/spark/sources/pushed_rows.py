"""Batches that executors push, as elements; shared by DataFrames and micro-batches of Spark Connect."""

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.rows.row_forms import decoder
from reactivestreams.spark.sources.batch_server import BatchServer
from reactivestreams.spark.sources.dataframe_rows import readers

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["PushedRows"]


class PushedRows:
    """Base of iterables over rows or batches that one job pushes; nothing is computed before the first `next`.

    A subclass defines in `begin_job` how to run the job.

    Args:
        form: One of `ROW_FORMS`.
        window: How many batches may be buffered besides the one that is read.
        origin: Name of the source, for dropped errors.
    """

    def __init__(self, *, form: str, window: int, origin: str) -> None:
        self.form = form
        self.window = window
        self.origin = origin
        self.is_computed: bool = False
        """Whether an iteration has computed all partitions."""

    def schema(self) -> "StructType":
        """Return the schema of the rows."""
        raise NotImplementedError

    def begin_job(self, server: BatchServer, name: str) -> Callable[[], None]:
        """Start a job that pushes all partitions to a server and finally calls its `job_ended`.

        Args:
            server: The server that receives the batches.
            name: Name of the job, unique in this process.

        Returns:
            A function that ends the job if it still runs, closes the server, and waits for the end of both.
        """
        raise NotImplementedError

    def __iter__(self) -> Generator[Any, None, None]:
        """Yield the elements in order; the generator's `close()` ends the job and joins the threads."""
        name = f"reactivestreams-dataframe-{next(readers)}"
        schema = self.schema()
        arrow = arrow_schema(schema)
        decode = decoder(self.form, schema)
        server = BatchServer(window=self.window, name=f"{name}-sockets", origin=self.origin)
        try:
            end_job = self.begin_job(server, name)
            try:
                for batch in server:
                    # Timestamps arrive in the session's time zone; they are converted to the same instants in UTC.
                    yield from decode(batch.cast(arrow))
                self.is_computed = True
            finally:
                end_job()
        finally:
            server.close()
