"""A keyed pipeline over a batch DataFrame: elements move to the bucket of their key, and are sorted there."""

from typing import TYPE_CHECKING

from reactivestreams.spark.keyed_state.shuffle_task import BUCKET_COLUMN, ShuffleTask, order_columns, shuffled_schema
from reactivestreams.spark.pipelines.executor_tasks import ResultTask, RowsIn, ShuffledIn
from reactivestreams.spark.pipelines.plan import PipelinePlan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["shuffled_dataframe"]


def shuffled_dataframe(plan: PipelinePlan, df: "DataFrame", result: "StructType", *, applied_at: str) -> "DataFrame":
    """Return the DataFrame of the plan's result."""
    source: RowsIn | ShuffledIn = RowsIn(plan.form, df.schema)
    carried = list(plan.order_by)
    elements = df
    for moves, step in enumerate(plan.steps, 1):
        if step.shuffle is None:
            last = ResultTask(step.pipeline, source, schema=result, applied_at=applied_at)
            return elements.mapInArrow(last, result)
        moved = shuffled_schema(df.schema, plan.order_by, moves)
        task = ShuffleTask(
            step.pipeline, source, keyed=step.shuffle, buckets=plan.buckets, carried=carried, schema=moved
        )
        carried = order_columns(moved)
        elements = elements.mapInArrow(task, moved).repartitionById(plan.buckets, BUCKET_COLUMN)
        elements = elements.sortWithinPartitions(BUCKET_COLUMN, *carried)
        source = ShuffledIn()
    raise AssertionError("the last step of a plan has no shuffle")
