"""The DataFrames of a pipeline without keys: one `mapInArrow`, for each way of treating rows that fail; their count."""

import itertools
import os
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.on_error.row_failures import DEAD_LETTER_COLUMN, outcome_type
from reactivestreams.spark.on_error.tolerant_results import (
    DeadLetterResult,
    SkippedRows,
    SkippingResult,
    dead_letter_result,
)
from reactivestreams.spark.on_error.tolerant_step import OutcomeTask, SkippingTask
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.steps.executor_tasks import ResultTask, RowsIn

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["collecting_dataframe", "failing_dataframe", "new_counter", "observed_result", "skipping_dataframe"]

counters: "itertools.count[int]" = itertools.count(1)
"""Numbers the results of this process that skip rows, which names their metrics."""


def failing_dataframe(plan: PipelinePlan, df: "DataFrame", result: "StructType", *, applied_at: str) -> "DataFrame":
    """Return the result of a pipeline whose first failing row fails the action."""
    task = ResultTask(plan.steps[0].pipeline, RowsIn(plan.form, df.schema), schema=result, applied_at=applied_at)
    return df.mapInArrow(task, result)


def skipping_dataframe(plan: PipelinePlan, df: "DataFrame", result: "StructType", *, applied_at: str) -> SkippingResult:
    """Return the result of a pipeline that leaves out rows that fail, and their count."""
    if not is_connect(df):
        counter, skipped = new_counter(df)
        task = SkippingTask(
            plan.steps[0].pipeline,
            RowsIn(plan.form, df.schema),
            schema=result,
            applied_at=applied_at,
            counter=counter,
        )
        return SkippingResult(df.mapInArrow(task, result), skipped)
    return observed_result(outcomes(plan, df, result, applied_at))


def new_counter(df: "DataFrame") -> "tuple[Accumulator[int], SkippedRows]":
    """Return an accumulator of classic Spark for the rows that fail, and what shows its value."""
    counter = df.sparkSession.sparkContext.accumulator(0)
    return counter, SkippedRows(metric_name(), counter=counter)


def metric_name() -> str:
    """Return a name for the metric of a result that skips rows."""
    return f"reactivestreams_skipped_{os.getpid()}_{next(counters)}"


def observed_result(combined: "DataFrame") -> SkippingResult:
    """Return the results among results and dead letters of Spark Connect, and the count of these.

    Args:
        combined: Both, in the columns of `outcome_type`.
    """
    from pyspark.sql import Observation
    from pyspark.sql import functions as F  # noqa: N812  # the name it has everywhere

    name = metric_name()
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
