"""What a streaming query with state demands of the function that takes its batches.

A task commits the state of its partition when it has read the partition to its end, and Spark commits the batch when
the function returns. What nobody has read has no state then, and the query never goes on: neither behind this batch,
whose state is missing, nor from the one before. So what was not read is computed before the function returns.
"""

from typing import TYPE_CHECKING

from reactivestreams.spark.jvm_calls import static_method
from reactivestreams.spark.rows.dataframe_arguments import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["compute", "is_stateful"]

STATE_MARK = "state info ["
"""What the physical plan shows of each operator that keeps state, Spark's own and those of a keyed pipeline."""


def is_stateful(streaming_df: "DataFrame") -> bool:
    """Tell whether a streaming query keeps state from one micro-batch to the next."""
    return STATE_MARK in physical_plan(streaming_df)


def physical_plan(dataframe: "DataFrame") -> str:
    """Return the physical plan as Spark shows it."""
    if is_connect(dataframe):
        return str(dataframe._explain_string())
    explain = static_method(
        dataframe.sparkSession.sparkContext, "org.apache.spark.sql.api.python.PythonSQLUtils", "explainString"
    )
    return str(explain(dataframe._jdf.queryExecution(), "simple"))


def compute(dataframe: "DataFrame") -> None:
    """Compute all rows and throw them away."""
    dataframe.write.format("noop").mode("overwrite").save()
