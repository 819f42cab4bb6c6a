"""The DataFrames of a pipeline without keys: one `mapInArrow`, for each way of treating rows that fail; their count."""

import itertools
import os
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.pipelines.executor_tasks import ResultTask, RowsIn
from reactivestreams.spark.pipelines.guarded_tasks import CountingTask, OutcomeTask, SkippingTask
from reactivestreams.spark.pipelines.outcomes import DeadLetterResult, SkippedRows, SkippingResult, dead_letter_result
from reactivestreams.spark.pipelines.plan import PipelinePlan
from reactivestreams.spark.pipelines.row_failures import DEAD_LETTER_COLUMN, nullable, outcome_type
from reactivestreams.spark.rows.dataframe_arguments import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["collecting_dataframe", "failing_dataframe", "skipping_dataframe", "skipping_result"]

counters: "itertools.count[int]" = itertools.count(1)
"""Numbers the results of this process that skip rows, which names their metrics."""


def failing_dataframe(plan: PipelinePlan, df: "DataFrame", result: "StructType", *, applied_at: str) -> "DataFrame":
    """Return the result of a pipeline whose first failing row fails the action."""
    task = ResultTask(plan.steps[0].pipeline, RowsIn(plan.form, df.schema), schema=result, applied_at=applied_at)
    return df.mapInArrow(task, result)


def skipping_dataframe(plan: PipelinePlan, df: "DataFrame", result: "StructType", *, applied_at: str) -> SkippingResult:
    """Return the result of a pipeline that leaves out rows that fail, and their count."""
    if not is_connect(df):
        counter = df.sparkSession.sparkContext.accumulator(0)
        task = SkippingTask(
            plan.steps[0].pipeline,
            RowsIn(plan.form, df.schema),
            schema=result,
            applied_at=applied_at,
            counter=counter,
        )
        return SkippingResult(df.mapInArrow(task, result), SkippedRows(metric_name(), counter=counter))
    return skipping_result(outcomes(plan, df, result, applied_at), result)


def metric_name() -> str:
    """Return a name for the metric of a result that skips rows."""
    return f"reactivestreams_skipped_{os.getpid()}_{next(counters)}"


def skipping_result(combined: "DataFrame", result: "StructType") -> SkippingResult:
    """Return the results among results and dead letters, and the count of these.

    Args:
        combined: Both, in the columns of `outcome_type`.
        result: Schema of the results.
    """
    name = metric_name()
    if not is_connect(combined):
        counter = combined.sparkSession.sparkContext.accumulator(0)
        return SkippingResult(
            combined.mapInArrow(CountingTask(counter), nullable(result)), SkippedRows(name, counter=counter)
        )
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812  # the name it has everywhere

    counted: Any = F.sum(F.col(DEAD_LETTER_COLUMN).isNotNull().cast("bigint")).alias("skipped")
    observation = None if combined.isStreaming else Observation(name)
    observed = combined.observe(name if observation is None else observation, counted)
    return SkippingResult(dead_letter_result(observed).results, SkippedRows(name, observation=observation))


def collecting_dataframe(
    plan: PipelinePlan, df: "DataFrame", result: "StructType", *, applied_at: str
) -> DeadLetterResult:
    """Return the result of a pipeline and the rows that failed."""
    return dead_letter_result(outcomes(plan, df, result, applied_at))


def outcomes(plan: PipelinePlan, df: "DataFrame", result: "StructType", applied_at: str) -> "DataFrame":
    """Return results and dead letters in one DataFrame."""
    task = OutcomeTask(
        plan.steps[0].pipeline,
        RowsIn(plan.form, df.schema),
        schema=result,
        applied_at=applied_at,
        rows=df.schema,
    )
    return df.mapInArrow(task, outcome_type(result, df.schema))
