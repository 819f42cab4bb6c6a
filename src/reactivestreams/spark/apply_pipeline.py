"""A described pipeline applied to a DataFrame: its functions run on the executors."""

import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from reactivestreams.spark.guarantees import Guarantee
from reactivestreams.spark.keyed.keyed_batch import keyed_batch_dataframe
from reactivestreams.spark.keyed.keyed_streaming import keyed_streaming_dataframe
from reactivestreams.spark.on_error.error_policy import FAIL, SKIP, ErrorPolicy
from reactivestreams.spark.on_error.tolerant_results import DeadLetterResult, SkippingResult
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan, make_plan
from reactivestreams.spark.stateless.stateless_dataframe import stateless_dataframe
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
    result = plan.result_schema(schema)
    for message, category in plan.warnings():
        warnings.warn(message, category, stacklevel=2)
    if not plan.is_connect:
        from reactivestreams.spark.sessions.worker_path import share_path_with_workers

        share_path_with_workers(df.sparkSession)
    counter = df.sparkSession.sparkContext.accumulator(0) if plan.on_error == SKIP and not plan.is_connect else None
    caller = sys._getframe(1)
    line = f"{caller.f_code.co_filename}:{caller.f_lineno} in {caller.f_code.co_qualname}"
    policy = ErrorPolicy(plan.on_error, plan.rows, result, line, counter)
    if not plan.is_keyed:
        made = stateless_dataframe(plan, df, policy)
    elif plan.is_streaming:
        made = keyed_streaming_dataframe(plan, df, policy)
    else:
        made = keyed_batch_dataframe(plan, df, policy)
    return policy.returned(made)


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
    return make_plan(
        pipeline,
        df,
        as_=as_,
        order_by=order_by,
        buckets=buckets,
        on_error=on_error,
        guarantee=guarantee,
        sink=sink,
    )
