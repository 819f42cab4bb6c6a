"""Apply a pipeline to a DataFrame: its functions run on the executors."""

import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from reactivestreams.guarantees import Guarantee
from reactivestreams.spark.keyed.keyed_batch import keyed_batch_dataframe
from reactivestreams.spark.keyed.keyed_streaming import keyed_streaming_dataframe
from reactivestreams.spark.on_error.error_policy import FAIL, SKIP, DeadLetterResult, ErrorPolicy, SkippingResult
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
    schema: "str | StructType | type | None" = None,
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
    schema: "str | StructType | type | None" = None,
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
    schema: "str | StructType | type | None" = None,
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
    schema: "str | StructType | type | None" = None,
    as_: str | None = None,
    order_by: str | Iterable[str] | None = None,
    buckets: int | None = None,
    on_error: str = FAIL,
    guarantee: str | Guarantee | None = None,
    sink: str | None = None,
) -> "DataFrame | SkippingResult | DeadLetterResult":
    """Apply a pipeline to a DataFrame; its functions run on the executors when an action asks for the result.

    The rows enter in the same form as `from_dataframe` gives them, and leave as tuples, lists, dicts, rows, objects of
    the class of `schema` or Arrow batches that fit it. Before a keyed operator a shuffle moves all elements of a key to
    one task, which sorts them. The key function and the function of the event time run before the shuffle and again
    after it. Each task has its own copy of every function: variables that a function changes are neither shared nor
    sent back. A streaming DataFrame gives a streaming result.

    Args:
        pipeline: A pipeline that starts with `pipeline()`.
        df: A batch or streaming DataFrame of classic Spark or Spark Connect. The Python workers of a Connect server
            must be able to import this package.
        schema: Columns of the result, as a DDL text such as `"carrier string, delay double"`, a `StructType`, or a
            dataclass, named tuple, typed dict or model of pydantic, whose type hints are the columns. It can be left
            out if all operators are expressions over batches, or pass elements on unchanged as `filter` does, or if the
            last one that does not is a `map` or `key_by().scan` with a function that is hinted to return such a class.
        as_: Form of the rows: `"rows"`, `"tuples"`, `"dicts"` or, without keys, `"batches"`. The default is `"batches"`
            if the first operator takes batches, else `"rows"`.
        order_by: Columns of `df` by which the elements of a key are sorted, ascending, nulls first. Equal rows stay in
            the order in which they were read.
        buckets: For keyed pipelines, the number of tasks that share the keys, 1 to `MAX_BUCKETS`. The default for a
            batch DataFrame is 4 per core, at least 8, and 8 through Spark Connect. The default for a streaming
            DataFrame is `STREAMING_BUCKETS`, 32, on every machine, because a checkpoint can only be loaded with the
            same number.
        on_error: What happens to a row if an operator fails on it or if its result does not fit `schema`. `"fail"`
            fails the action, `"skip"` leaves the row out and counts it, `"dead_letter"` collects it in a DataFrame. The
            row does not change the state of its key. `"skip"` and `"dead_letter"` allow one keyed operator, and no
            operator with state outside of it.
        guarantee: What must hold when processes die, such as `"exactly-once"`. `apply` raises if a part of the pipeline
            cannot give it. None requires nothing.
        sink: Name of the sink that the result goes to, for `guarantee`: `"to_path"`, `"to_table"`, `"to_iceberg"`,
            `"for_each_batch"` or `"for_each_batch_idempotent"`; None leaves the sink out of the check.

    Returns:
        The result. Without keys its rows have the order of the partition of `df`, with keys they come one key after the
        other. With `on_error="skip"` it is a `SkippingResult`, with `"dead_letter"` a `DeadLetterResult`.

    Raises:
        ArgumentError: An argument has an invalid value, an expression does not fit the columns, or a part cannot give
            the `guarantee`; the message says what to change.
        ArgumentTypeError: An argument has the wrong type.
        NotSerializableError: A parameter of an operator cannot be sent to another process.
        PipelineError: Raised when the result is computed inside `pipeline_errors()` or by `from_dataframe`. Elsewhere
            Spark raises a `PythonException` that contains the text.

    Demand: Spark reads a partition as fast as the pipeline takes its rows. A task holds one input batch and one output
        batch of 10,000 rows.
    State: An operator with state but without a key starts again in each partition, and in each micro-batch.
    Threads: May be called in any thread; the functions run in the Python workers of the executors, one thread each.

    Warns:
        UnorderedWarning: The pipeline is keyed and there is no `order_by`.
        PartitionStateWarning: An operator has state but no key, so it starts again in each partition.

    Example:
        See the guide on pipelines on Spark.
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
    """Return how `apply` runs with the same arguments: where each operator runs, the buckets, the order, the guarantee.

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
        The plan. `print(plan)` shows it as text.

    Raises:
        ArgumentError: As `apply`.
        ArgumentTypeError: As `apply`.
        NotSerializableError: As `apply`.
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
