"""The DataFrame of a plan: which part of the package makes it."""

from typing import TYPE_CHECKING

from reactivestreams.spark.on_error.row_failures import FAIL, SKIP
from reactivestreams.spark.on_error.tolerant_results import DeadLetterResult, SkippingResult, dead_letter_result
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.stateless.stateless_dataframe import (
    collecting_dataframe,
    failing_dataframe,
    new_counter,
    observed_result,
    skipping_dataframe,
)

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["planned_dataframe"]


def planned_dataframe(
    plan: PipelinePlan, df: "DataFrame", result: "StructType", *, applied_at: str
) -> "DataFrame | SkippingResult | DeadLetterResult":
    """Return the result of a plan; keyed plans are made by `keyed_state`.

    Args:
        plan: The plan of a pipeline, whose arguments were checked.
        df: What it is applied to.
        result: Schema of the result.
        applied_at: Line at which the user applied the pipeline.
    """
    if not plan.is_keyed:
        if plan.on_error == FAIL:
            return failing_dataframe(plan, df, result, applied_at=applied_at)
        if plan.on_error == SKIP:
            return skipping_dataframe(plan, df, result, applied_at=applied_at)
        return collecting_dataframe(plan, df, result, applied_at=applied_at)
    if plan.on_error == SKIP and not is_connect(df):
        counter, skipped = new_counter(df)
        return SkippingResult(keyed_dataframe(plan, df, result, applied_at, counter), skipped)
    keyed = keyed_dataframe(plan, df, result, applied_at)
    if plan.on_error == FAIL:
        return keyed
    return observed_result(keyed) if plan.on_error == SKIP else dead_letter_result(keyed)


def keyed_dataframe(
    plan: PipelinePlan,
    df: "DataFrame",
    result: "StructType",
    applied_at: str,
    counter: "Accumulator[int] | None" = None,
) -> "DataFrame":
    """Return the result of a keyed plan; where rows may fail, results and dead letters, or these counted."""
    if df.isStreaming:
        from reactivestreams.spark.keyed.keyed_streaming import keyed_streaming_dataframe

        return keyed_streaming_dataframe(plan, df, result, applied_at=applied_at, counter=counter)
    from reactivestreams.spark.keyed.keyed_batch import guarded_shuffled_dataframe, shuffled_dataframe

    if plan.on_error == FAIL:
        return shuffled_dataframe(plan, df, result, applied_at=applied_at)
    return guarded_shuffled_dataframe(plan, df, result, applied_at=applied_at, counter=counter)
