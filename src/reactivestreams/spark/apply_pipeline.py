"""A described pipeline applied to a DataFrame: its functions run on the executors."""

import dataclasses
import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.spark.guarantees import Guarantee
from reactivestreams.spark.on_error.row_failures import FAIL, checked_policy
from reactivestreams.spark.on_error.tolerant_results import DeadLetterResult, SkippingResult
from reactivestreams.spark.plan.apply_arguments import (
    MAX_BUCKETS,
    chosen_form,
    default_buckets,
    plan_warnings,
    require_different_columns,
    require_fitting_expressions,
    require_policy,
    require_runnable,
)
from reactivestreams.spark.plan.guarantee_parts import checked_guarantee, guarantee_parts, require_guarantee
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan, make_plan
from reactivestreams.spark.plan.result_schema import checked_schema, known_schema
from reactivestreams.spark.plan.serialization import require_travelable
from reactivestreams.spark.planned_dataframe import planned_dataframe
from reactivestreams.spark.rows.dataframe_arguments import (
    checked_columns,
    checked_count,
    is_connect,
    require_dataframe,
)
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["apply", "explain"]


@overload
def apply(
    pipeline: Pipeline[Any, Any],
    df: "DataFrame",
    *,
    schema: "str | StructType | None" = None,
    as_: str | None = None,
    order_by: str | Iterable[str] | None = None,
    buckets: int | None = None,
    on_error: Literal["fail"] = "fail",
    guarantee: str | Guarantee | None = None,
    sink: str | None = None,
) -> "DataFrame": ...
@overload
def apply(
    pipeline: Pipeline[Any, Any],
    df: "DataFrame",
    *,
    schema: "str | StructType | None" = None,
    as_: str | None = None,
    order_by: str | Iterable[str] | None = None,
    buckets: int | None = None,
    on_error: Literal["skip"],
    guarantee: str | Guarantee | None = None,
    sink: str | None = None,
) -> SkippingResult: ...
@overload
def apply(
    pipeline: Pipeline[Any, Any],
    df: "DataFrame",
    *,
    schema: "str | StructType | None" = None,
    as_: str | None = None,
    order_by: str | Iterable[str] | None = None,
    buckets: int | None = None,
    on_error: Literal["dead_letter"],
    guarantee: str | Guarantee | None = None,
    sink: str | None = None,
) -> DeadLetterResult: ...
def apply(
    pipeline: Pipeline[Any, Any],
    df: "DataFrame",
    *,
    schema: "str | StructType | None" = None,
    as_: str | None = None,
    order_by: str | Iterable[str] | None = None,
    buckets: int | None = None,
    on_error: str = FAIL,
    guarantee: str | Guarantee | None = None,
    sink: str | None = None,
) -> "DataFrame | SkippingResult | DeadLetterResult":
    """Apply a pipeline to a DataFrame; its functions run on the executors when an action asks for the result.

    The rows enter in the same form as `from_dataframe` gives them, and leave as tuples, lists, dicts, rows or Arrow
    batches that fit `schema`. Before a keyed operator all elements of a key move to one task, there put in order; its
    key function, and that of an event time, run before the move and again after it. Every function is copied to each
    task: what it remembers is neither shared nor brought back. A streaming DataFrame gives a streaming result.

    Args:
        pipeline: What `pipeline()` and its operators describe.
        df: A DataFrame, batch or streaming, of classic Spark or of Spark Connect, whose server must be able to import
            this package in its Python workers.
        schema: Columns of the result, as a DDL text such as `"carrier string, delay double"` or a `StructType`. Where
            all operators are expressions over batches it is known and can be left out.
        as_: Form of the rows: `"rows"`, `"tuples"`, `"dicts"` or, without keys, `"batches"`; by default batches where
            the first operator takes them, else rows.
        order_by: Columns of `df` by which the elements of a key are ordered, ascending, nulls first. Equal ones keep
            the order as read.
        buckets: For keyed pipelines, how many tasks the keys are spread over, 1 to `MAX_BUCKETS`. By default, for a
            batch DataFrame, 4 for each core, 8 or more, 8 through Spark Connect; for a streaming one
            `STREAMING_BUCKETS`, 32: its checkpoint can be loaded with the same number alone, on whatever machine.
        on_error: What becomes of a row that an operator fails on, or whose result does not fit `schema`: `"fail"`
            fails the action; `"skip"` leaves it out and counts it; `"dead_letter"` collects it in a DataFrame. With
            keys such a row leaves no trace in the state of its key. The last two take one keyed operator, and no other
            one with a state that is not that of a key.
        guarantee: What must hold when processes die, such as `"exactly-once"`; where a part cannot give it, `apply`
            refuses. None asks for nothing.
        sink: Name of the sink that the result goes to, for `guarantee`: `"to_path"`, `"to_table"`, `"for_each_batch"`
            or `"for_each_batch_idempotent"`; None where it is no part of the question.

    Returns:
        The result. Its rows stand as their step gave them: without keys as in the partition of `df`, with keys one key
        after the other. With `on_error="skip"` a `SkippingResult`, with `"dead_letter"` a `DeadLetterResult`.

    Raises:
        ArgumentError: An argument has a value that cannot be, an expression does not fit the columns, or a part cannot
            give the `guarantee`; the message says which would do.
        ArgumentTypeError: An argument has the wrong type.
        UntravelableFunctionError: A parameter of an operator cannot be sent to another process.
        PipelineError: Not here but when the result is computed, inside `pipeline_errors()` or by `from_dataframe`;
            elsewhere Spark's `PythonException` holds its text.

    Demand: Spark reads a partition as fast as the pipeline takes it; a task holds one batch of rows in, and one of
        10,000 rows out.
    State: An operator with state and without a key starts anew in each partition, also in each micro-batch.
    Threads: May be called in any thread; the functions run in the Python workers of the executors, one thread each.

    Warns:
        UnorderedWarning: The pipeline is keyed and has no `order_by`.
        PartitionStateWarning: An operator has state and no key, so it starts anew in each partition.

    Example:
        The guide on pipelines on Spark has some that are run.
    """
    plan = explain(
        pipeline,
        df,
        as_=as_,
        order_by=order_by,
        buckets=buckets,
        on_error=on_error,
        guarantee=guarantee,
        sink=sink,
    )
    result = known_schema(pipeline, plan.form, df.schema) if schema is None else checked_schema(schema)
    for message, category in plan_warnings(plan):
        warnings.warn(message, category, stacklevel=2)
    if not is_connect(df):
        from reactivestreams.spark.sessions.worker_path import share_path_with_workers

        share_path_with_workers(df.sparkSession)
    caller = sys._getframe(1)
    line = f"{caller.f_code.co_filename}:{caller.f_lineno} in {caller.f_code.co_qualname}"
    return planned_dataframe(plan, df, result, applied_at=line)


def explain(
    pipeline: Pipeline[Any, Any],
    df: "DataFrame",
    *,
    as_: str | None = None,
    order_by: str | Iterable[str] | None = None,
    buckets: int | None = None,
    on_error: str = FAIL,
    guarantee: str | Guarantee | None = None,
    sink: str | None = None,
) -> PipelinePlan:
    """Tell how `apply` with the same arguments runs: what where, in how many buckets and order, with what guarantee.

    Args:
        pipeline: As for `apply`.
        df: As for `apply`.
        as_: As for `apply`.
        order_by: As for `apply`.
        buckets: As for `apply`.
        on_error: As for `apply`.
        guarantee: As for `apply`.
        sink: As for `apply`.

    Returns:
        The plan; printing it shows it as text.

    Raises:
        ArgumentError: As `apply`.
        ArgumentTypeError: As `apply`.
        UntravelableFunctionError: As `apply`.
    """
    if not isinstance(pipeline, Pipeline):
        raise ArgumentTypeError(
            f"apply needs a pipeline, got {pipeline!r:.200}; describe one with reactivestreams.pipeline()"
        )
    require_dataframe(df)
    form = chosen_form(as_, pipeline, df.schema)
    require_different_columns(df)
    columns = checked_columns(order_by, df.schema)
    count = checked_count("buckets", buckets, default_buckets(df), 1, MAX_BUCKETS)
    policy, wanted = checked_policy(on_error), checked_guarantee(guarantee)
    plan = make_plan(pipeline, form=form, order_by=columns, buckets=count, on_error=policy)
    require_runnable(plan, df)
    require_policy(plan, is_streaming=df.isStreaming)
    require_travelable(pipeline.operators)
    require_fitting_expressions(plan, df.schema)
    parts = guarantee_parts(plan, df, sink)
    require_guarantee(parts, wanted)
    return dataclasses.replace(plan, guarantees=parts)
