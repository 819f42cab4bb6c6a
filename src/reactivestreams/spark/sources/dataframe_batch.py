"""A micro-batch of a classic session, on offer to the reader of its query."""

from typing import TYPE_CHECKING, Any

from reactivestreams.spark.sources.batch_handover import OfferedBatch
from reactivestreams.spark.sources.dataframe_rows import DataFrameRows

if TYPE_CHECKING:
    from pyspark.sql.classic.dataframe import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["DataFrameBatch"]


class DataFrameBatch(OfferedBatch):
    """A micro-batch whose DataFrame is here. Made in Spark's stream thread, whose local properties its jobs need.

    Args:
        batch_id: Spark's number of the batch.
        dataframe: Its rows.
    """

    def __init__(self, batch_id: int, dataframe: "DataFrame") -> None:
        super().__init__(batch_id)
        self.frame = dataframe
        self.properties: Any = dataframe.sparkSession.sparkContext._jsc.sc().getLocalProperties().clone()

    @property
    def dataframe(self) -> "DataFrame":
        """The rows as Spark's batch DataFrame."""
        return self.frame

    @property
    def schema(self) -> "StructType":
        """Schema of the rows."""
        return self.frame.schema

    def rows(self, form: str, window: int) -> DataFrameRows:
        """Return the rows as a re-iterable that computes partition by partition."""
        return DataFrameRows(self.frame, form=form, window=window, properties=self.properties)

    def compute(self) -> None:
        """Compute the batch and throw the rows away."""
        self.frame.write.format("noop").mode("overwrite").save()
