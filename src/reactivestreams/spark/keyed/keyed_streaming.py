"""A keyed pipeline on a streaming DataFrame: its state in Spark's state store, by buckets."""

from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators.keyed.stage import operator_name
from reactivestreams.spark.keyed.blob_store import BucketHeading
from reactivestreams.spark.keyed.bucket_processor import RESULT_COLUMN, BucketProcessor
from reactivestreams.spark.keyed.keyed_step import expiry_of
from reactivestreams.spark.keyed.shuffle_batches import PackTask, pack_schema
from reactivestreams.spark.keyed.tolerant_packs import GuardedBucketProcessor, GuardedPackTask
from reactivestreams.spark.keyed.unpacking import CountingUnpackTask, PackReader, unpack_results
from reactivestreams.spark.on_error.row_failures import FAIL, outcome_type
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan, short_name
from reactivestreams.spark.steps.executor_tasks import RowsIn

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["keyed_streaming_dataframe", "require_streamable"]


def require_streamable(plan: PipelinePlan, df: "DataFrame") -> None:
    """Refuse what a keyed pipeline cannot have on a streaming DataFrame.

    Raises:
        ArgumentError: It has several keyed operators, one with state and without a key, or an order by values that
            cannot be compared.
    """
    from pyspark.sql.types import ArrayType, StructType

    keyed = [operator for step in plan.steps for operator in step.pipeline.operators if operator.definition.keyed]
    if len(keyed) > 1:
        raise ArgumentError(
            f"the keyed operator {short_name(keyed[1])}, built at {keyed[1].assembly}, is the second one of the "
            "pipeline, and a streaming query keeps the state of one; apply the rest to the result of the first part: "
            "apply(rest, apply(first, df, ...), ...)"
        )
    for operator in plan.restarting():
        raise ArgumentError(
            f"operator {short_name(operator)}, built at {operator.assembly}, has state and no key, so that it would "
            "start anew in each micro-batch; put it behind key_by(...), or inside of key_by(...).through(...)"
        )
    for name in plan.order_by:
        if isinstance(df.schema[name].dataType, (ArrayType, StructType)):
            raise ArgumentError(
                f"order_by names {name!r}, whose values are {df.schema[name].dataType.simpleString()}; in a streaming "
                "query name a number, a text or a time"
            )


def keyed_streaming_dataframe(
    plan: PipelinePlan,
    df: "DataFrame",
    result: "StructType",
    *,
    applied_at: str,
    counter: "Accumulator[int] | None" = None,
) -> "DataFrame":
    """Return the streaming DataFrame of a keyed pipeline: its results, with dead letters where rows may fail.

    Where a counter is given, it counts the rows that fail, and the results come alone.

    Rows travel in packs: mapInArrow makes them, transformWithStateInPandas hands them to the bucket's operators, and
    mapInArrow opens the packs of results.
    """
    before, after = plan.steps
    keyed: Any = before.shuffle
    source, expiry = RowsIn(plan.form, df.schema), expiry_of(keyed)
    operators = after.pipeline.operators
    heading = BucketHeading(plan.buckets, tuple(map(operator_name, operators)))
    is_guarded = plan.on_error != FAIL
    pack_task = GuardedPackTask if is_guarded else PackTask
    packs = df.mapInArrow(
        pack_task(before.pipeline, source, keyed=keyed, buckets=plan.buckets, order_by=plan.order_by), pack_schema()
    )
    time_mode = "None" if expiry is None else "ProcessingTime"
    if expiry is not None and expiry.event_time is not None:
        time_mode = "EventTime"
        packs = packs.withWatermark("time", f"{-(-expiry.lateness // 1000)} milliseconds")
    rows_as_they_are = not before.pipeline.operators and not is_guarded
    reader = PackReader(source if rows_as_they_are else None, plan.order_by)
    processor: Any
    if is_guarded:
        processor = GuardedBucketProcessor(
            after.pipeline,
            reader,
            schema=result,
            heading=heading,
            expiry=expiry,
            rows=df.schema,
            applied_at=applied_at,
        )
    else:
        processor = BucketProcessor(after.pipeline, reader, schema=result, heading=heading, expiry=expiry)
    packed = packs.groupBy("bucket").transformWithStateInPandas(
        processor, f"{RESULT_COLUMN} binary", "Append", time_mode
    )
    if counter is not None:
        return packed.mapInArrow(CountingUnpackTask(counter), result)
    return packed.mapInArrow(unpack_results, outcome_type(result, df.schema) if is_guarded else result)
