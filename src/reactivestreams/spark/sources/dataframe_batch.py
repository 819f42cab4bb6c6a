"""A micro-batch of a classic session, offered to the reader of its query."""

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
    """A micro-batch with its DataFrame. It is made in Spark's stream thread, whose local properties its jobs need.

    Args:
        batch_id: Spark's number of the batch.
        dataframe: Its rows.
        is_stateful: Whether the query has state, so that unread rows are computed at the end.
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
            # It is unknown which partitions the reader computes. They are persisted, so `compute` computes only the
            # others.
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
        """Compute the batch and discard the rows."""
        compute(self.frame)

    def close(self) -> None:
        """Free the persisted rows."""
        if self.is_persisted and not is_stopped(self.frame.sparkSession):
            self.frame.unpersist()
