"""A keyed pipeline over a batch DataFrame: elements move to the bucket of their key, and are sorted there."""

from typing import TYPE_CHECKING

from reactivestreams.spark.keyed.keyed_step import in_time_order
from reactivestreams.spark.keyed.shuffle_task import BUCKET_COLUMN, ShuffleTask, order_columns, shuffled_schema
from reactivestreams.spark.keyed.tolerant_shuffle import GuardedBucketTask, GuardedShuffleTask
from reactivestreams.spark.on_error.row_failures import outcome_type
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan
from reactivestreams.spark.steps.executor_tasks import ResultTask, RowsIn, ShuffledIn
from reactivestreams.stream import Operator

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["guarded_shuffled_dataframe", "shuffled_dataframe"]


def shuffled_dataframe(plan: PipelinePlan, df: "DataFrame", result: "StructType", *, applied_at: str) -> "DataFrame":
    """Return the DataFrame of the plan's result."""
    source: RowsIn | ShuffledIn = RowsIn(plan.form, df.schema)
    carried = list(plan.order_by)
    elements = df
    keyed: list[Operator] = []
    for step in plan.steps:
        pipeline = in_time_order(step.pipeline) if keyed else step.pipeline
        if step.shuffle is None:
            last = ResultTask(pipeline, source, schema=result, applied_at=applied_at)
            return elements.mapInArrow(last, result)
        keyed.append(step.shuffle)
        moved = shuffled_schema(df.schema, plan.order_by, keyed)
        task = ShuffleTask(pipeline, source, keyed=step.shuffle, buckets=plan.buckets, carried=carried, schema=moved)
        carried = order_columns(moved)
        elements = in_buckets(elements.mapInArrow(task, moved), plan.buckets, carried)
        source = ShuffledIn()
    raise AssertionError("the last step of a plan has no shuffle")


def in_buckets(elements: "DataFrame", buckets: int, carried: list[str]) -> "DataFrame":
    """Return elements on their way where they belong: a partition is a bucket, and its elements are in order."""
    return elements.repartitionById(buckets, BUCKET_COLUMN).sortWithinPartitions(BUCKET_COLUMN, *carried)


def guarded_shuffled_dataframe(
    plan: PipelinePlan,
    df: "DataFrame",
    result: "StructType",
    *,
    applied_at: str,
    counter: "Accumulator[int] | None" = None,
) -> "DataFrame":
    """Return results and dead letters of a plan with one keyed operator, in one DataFrame.

    Where a counter is given, it counts the rows that fail, and the results come alone.
    """
    before, after = plan.steps
    keyed = before.shuffle
    assert keyed is not None
    moved = shuffled_schema(df.schema, plan.order_by, [keyed])
    task = GuardedShuffleTask(
        before.pipeline,
        RowsIn(plan.form, df.schema),
        keyed=keyed,
        buckets=plan.buckets,
        carried=list(plan.order_by),
        schema=moved,
    )
    elements = in_buckets(df.mapInArrow(task, moved), plan.buckets, order_columns(moved))
    last = GuardedBucketTask(
        in_time_order(after.pipeline), schema=result, rows=df.schema, applied_at=applied_at, counter=counter
    )
    return elements.mapInArrow(last, outcome_type(result, df.schema) if counter is None else result)
