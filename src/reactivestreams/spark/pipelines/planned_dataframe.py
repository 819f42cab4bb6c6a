"""The DataFrame of a plan: which part of the package makes it."""

from typing import TYPE_CHECKING

from reactivestreams.spark.pipelines.outcomes import DeadLetterResult, SkippingResult, dead_letter_result
from reactivestreams.spark.pipelines.plan import PipelinePlan
from reactivestreams.spark.pipelines.row_failures import FAIL, SKIP
from reactivestreams.spark.pipelines.stateless_dataframe import (
    collecting_dataframe,
    failing_dataframe,
    skipping_dataframe,
    skipping_result,
)

if TYPE_CHECKING:
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
    keyed = keyed_dataframe(plan, df, result, applied_at)
    if plan.on_error == FAIL:
        return keyed
    return skipping_result(keyed, result) if plan.on_error == SKIP else dead_letter_result(keyed)


def keyed_dataframe(plan: PipelinePlan, df: "DataFrame", result: "StructType", applied_at: str) -> "DataFrame":
    """Return the result of a keyed plan; where rows may fail, results and dead letters in one DataFrame."""
    if df.isStreaming:
        from reactivestreams.spark.keyed_state.streaming_dataframe import keyed_streaming_dataframe

        return keyed_streaming_dataframe(plan, df, result, applied_at=applied_at)
    from reactivestreams.spark.keyed_state.shuffled_dataframe import guarded_shuffled_dataframe, shuffled_dataframe

    make = shuffled_dataframe if plan.on_error == FAIL else guarded_shuffled_dataframe
    return make(plan, df, result, applied_at=applied_at)
