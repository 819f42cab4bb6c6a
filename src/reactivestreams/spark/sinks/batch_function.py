"""The function that Spark calls with each micro-batch."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import PipelineError, SparkJobError
from reactivestreams.spark.failures import pipeline_error_in, with_details
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.stateful_query import compute

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["QUERY_CUT_OFF", "RUN_AGAIN", "SINK_FAILED", "BatchFunction"]

RUN_AGAIN = "start it again in a running session to continue from the checkpoint"
QUERY_CUT_OFF = f"the query was stopped with its Spark session; {RUN_AGAIN}"
"""The message for a query that ended with its session."""

SINK_FAILED = "the sink failed, and its handle has the error"
"""The message for Spark; it is short, because a long one can overflow the stack of the stream thread."""


class BatchFunction:
    """Calls the sink with each batch, and stores its exception for the handle of the query.

    Spark calls it in one thread at a time. Through Spark Connect a copy of it runs in a process next to the server, so
    the exception comes back as text.

    Args:
        sink: Name of the sink.
        write: Takes the batch's DataFrame and id, and returns whether it has computed all of the batch.
        is_stateful: Whether the query has state. Then rows that the sink did not compute are computed after it.
    """

    def __init__(self, sink: str, write: "Callable[[DataFrame, int], bool]", *, is_stateful: bool) -> None:
        self.sink = sink
        self.write = write
        self.is_stateful = is_stateful
        self.failure: Exception | None = None

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> None:
        """Write a batch."""
        try:
            is_computed = self.write(dataframe, batch_id)
            if self.is_stateful and not is_computed:
                compute(dataframe)
        except Exception as error:
            self.failure = error if isinstance(error, PipelineError) else pipeline_error_in(error)
            if self.failure is None and is_stopped(dataframe.sparkSession):
                self.failure = SparkJobError(QUERY_CUT_OFF)
                self.failure.__cause__ = error
            elif self.failure is None:
                cause = one_line(error)
                self.failure = PipelineError(
                    f"{self.sink} failed on batch {batch_id}: {cause}",
                    operator=self.sink,
                    row=f"batch {batch_id}",
                    cause=cause,
                )
                self.failure.__cause__ = error
            if is_connect(dataframe):
                raise with_details(self.failure) if isinstance(self.failure, PipelineError) else self.failure from None
            raise RuntimeError(SINK_FAILED) from None
