"""A micro-batch of a classic session, on offer to the reader of its query."""

from typing import TYPE_CHECKING, Any

from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.batch_handover import OfferedBatch
from reactivestreams.spark.sources.dataframe_rows import DataFrameRows
from reactivestreams.spark.stateful_query import compute

if TYPE_CHECKING:
    from pyspark.sql.classic.dataframe import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["DataFrameBatch"]


class DataFrameBatch(OfferedBatch):
    """A micro-batch whose DataFrame is here. Made in Spark's stream thread, whose local properties its jobs need.

    Args:
        batch_id: Spark's number of the batch.
        dataframe: Its rows.
        is_stateful: Whether the query keeps state, so that all of the batch is computed in the end.
    """

    def __init__(self, batch_id: int, dataframe: "DataFrame", *, is_stateful: bool) -> None:
        super().__init__(batch_id)
        self.frame = dataframe
        self.is_stateful = is_stateful
        self.is_persisted: bool = False
        self.properties: Any = dataframe.sparkSession.sparkContext._jsc.sc().getLocalProperties().clone()

    @property
    def dataframe(self) -> "DataFrame":
        """The rows as Spark's batch DataFrame."""
        if self.is_stateful and not self.is_persisted:
            # Which partitions its reader computes is not known. They are kept, so that `compute` does the others alone.
            self.frame.persist()
            self.is_persisted = True
        return self.frame

    @property
    def schema(self) -> "StructType":
        """Schema of the rows."""
        return self.frame.schema

    def new_rows(self, form: str, window: int) -> DataFrameRows:
        """Return the rows as a re-iterable that computes partition by partition."""
        return DataFrameRows(self.frame, form=form, window=window, properties=self.properties)

    def compute(self) -> None:
        """Compute the batch and throw the rows away."""
        compute(self.frame)

    def close(self) -> None:
        """Free what was kept of the rows."""
        if self.is_persisted and not is_stopped(self.frame.sparkSession):
            self.frame.unpersist()
