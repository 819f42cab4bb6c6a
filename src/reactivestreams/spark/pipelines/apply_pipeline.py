"""A described pipeline applied to a DataFrame: its functions run on the executors."""

import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.errors import PartitionStateWarning, UnorderedWarning
from reactivestreams.spark.pipelines.numbered_pipeline import first_unnumbered
from reactivestreams.spark.pipelines.plan import PipelinePlan, make_plan, short_name
from reactivestreams.spark.pipelines.travel import require_travelable
from reactivestreams.spark.rows.dataframe_arguments import checked_columns, checked_count, require_batch_dataframe
from reactivestreams.spark.rows.row_forms import checked_form
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["MAX_BUCKETS", "apply", "explain"]

MAX_BUCKETS = 4096
"""Most buckets of a keyed pipeline. Each is a task; from about 500 on their number costs more than it brings."""

LEAST_DEFAULT_BUCKETS = 8
BUCKETS_PER_CORE = 4


def apply(
    pipeline: Pipeline[Any, Any],
    df: "DataFrame",
    *,
    schema: "str | StructType",
    as_: str = "rows",
    order_by: str | Iterable[str] | None = None,
    buckets: int | None = None,
) -> "DataFrame":
    """Apply a pipeline to a DataFrame; its functions run on the executors when an action asks for the result.

    The rows enter in the same form as `from_dataframe` gives them, and leave as tuples, lists, dicts or rows that fit
    `schema`. Before a keyed operator all elements of a key move to one task, there put in order; its key function runs
    once before the move and once after it. Every function is copied to each task: what it remembers is neither shared
    nor brought back.

    Args:
        pipeline: What `pipeline()` and its operators describe.
        df: A batch DataFrame of classic Spark.
        schema: Columns of the result, as a DDL text such as `"carrier string, delay double"` or a `StructType`.
        as_: Form of the rows: `"rows"`, `"tuples"`, `"dicts"` or, without keys, `"batches"`.
        order_by: Columns of `df` by which the elements of a key are ordered, ascending, nulls first. Equal ones keep
            the order as read.
        buckets: For keyed pipelines, how many tasks the keys are spread over, 1 to `MAX_BUCKETS`; by default 4 for each
            core, 8 or more.

    Returns:
        The result. Its rows stand as their step gave them: without keys as in the partition of `df`, with keys one key
        after the other.

    Raises:
        ArgumentError: An argument has a value that cannot be; the message says which would do.
        ArgumentTypeError: An argument has the wrong type.
        UntravelableFunctionError: A parameter of an operator cannot be sent to another process.
        PipelineError: Not here but when the result is computed, inside `pipeline_errors()` or by `from_dataframe`;
            elsewhere Spark's `PythonException` holds its text.

    Warns:
        UnorderedWarning: The pipeline is keyed and has no `order_by`.
        PartitionStateWarning: An operator has state and no key, so it starts anew in each partition.
    """
    plan = explain(pipeline, df, as_=as_, order_by=order_by, buckets=buckets)
    result = checked_schema(schema)
    for message, category in plan_warnings(plan):
        warnings.warn(message, category, stacklevel=2)
    from reactivestreams.spark.sessions.worker_path import share_path_with_workers

    share_path_with_workers(df.sparkSession)
    caller = sys._getframe(1)
    line = f"{caller.f_code.co_filename}:{caller.f_lineno} in {caller.f_code.co_qualname}"
    return planned_dataframe(plan, df, result, applied_at=line)


def explain(
    pipeline: Pipeline[Any, Any],
    df: "DataFrame",
    *,
    as_: str = "rows",
    order_by: str | Iterable[str] | None = None,
    buckets: int | None = None,
) -> PipelinePlan:
    """Tell how `apply` with the same arguments runs: which operators where, in how many buckets, in what order.

    Args:
        pipeline: As for `apply`.
        df: As for `apply`.
        as_: As for `apply`.
        order_by: As for `apply`.
        buckets: As for `apply`.

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
    if not getattr(df, "isStreaming", False):
        require_batch_dataframe(df)
    form = checked_form(as_, df.schema)
    require_different_columns(df)
    columns = checked_columns(order_by, df.schema)
    count = checked_count("buckets", buckets, default_buckets(df), 1, MAX_BUCKETS)
    plan = make_plan(pipeline, form=form, order_by=columns, buckets=count)
    if plan.is_keyed and form == "batches":
        keyed = plan.steps[0].shuffle
        assert keyed is not None
        raise ArgumentError(
            f"as_='batches' cannot go with the keyed operator {short_name(keyed)}, built at {keyed.assembly}: the rows "
            "of a batch have "
            "different keys; take as_='tuples', 'dicts' or 'rows'"
        )
    if plan.is_keyed and df.isStreaming:
        from reactivestreams.spark.keyed_state.streaming_dataframe import require_streamable

        require_streamable(plan, df)
    require_travelable(pipeline.operators)
    for step in plan.steps:
        unknown = None if step.shuffle is None else first_unnumbered(step.pipeline)
        if unknown is not None:
            raise ArgumentError(
                f"operator {short_name(unknown)}, built at {unknown.assembly}, cannot stand before key_by on Spark: "
                "nobody knows which row causes what it sends, so that the order would be lost; put it behind the last "
                "key_by"
            )
    return plan


def default_buckets(df: "DataFrame") -> int:
    """Return how many buckets keep the cores busy and unequal buckets harmless."""
    cores: int = df.sparkSession.sparkContext.defaultParallelism
    return min(max(LEAST_DEFAULT_BUCKETS, BUCKETS_PER_CORE * cores), MAX_BUCKETS)


def plan_warnings(plan: PipelinePlan) -> list[tuple[str, type[Warning]]]:
    """Return what the user should know before the result is computed."""
    found: list[tuple[str, type[Warning]]] = []
    if plan.is_keyed and not plan.order_by:
        message = (
            "a keyed pipeline without order_by is unordered: it gets the rows of a key as Spark reads them, which may "
            "change from run to run; name the columns that order them, such as order_by='id'"
        )
        found.append((message, UnorderedWarning))
    for operator in plan.restarting():
        message = (
            f"operator {short_name(operator)}, built at {operator.assembly}, has state and no key: on Spark it starts "
            "anew in each partition; put it behind key_by(...), or run it here on from_dataframe(df)"
        )
        found.append((message, PartitionStateWarning))
    return found


def require_different_columns(df: "DataFrame") -> None:
    """Refuse columns of the same name, which Spark cannot hand to a function."""
    names = df.columns
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ArgumentError(
            f"the DataFrame has two columns {twice[0]!r}, which Spark cannot tell apart; rename or drop one first"
        )


def checked_schema(schema: object) -> "StructType":
    """Check the argument `schema` and return it as a `StructType`."""
    from pyspark.errors import PySparkException
    from pyspark.sql.types import StructType

    from reactivestreams.spark.rows.arrow_values import arrow_schema

    if not isinstance(schema, (str, StructType)):
        raise ArgumentTypeError(
            f"schema must be a DDL text or a StructType, got {schema!r}; write it such as 'carrier string, delay "
            "double'"
        )
    try:
        parsed = StructType.fromDDL(schema) if isinstance(schema, str) else schema
        if not isinstance(parsed, StructType):
            raise ArgumentError(
                f"schema must name its columns, got {schema!r}; write it such as 'carrier string, delay double'"
            )
        arrow_schema(parsed)
    except PySparkException as error:
        first_line = next(iter(str(error).strip().splitlines()), "")
        raise ArgumentError(
            f"schema {schema!r} cannot be used: {first_line}; write it such as 'carrier string, delay double'"
        ) from error
    names = parsed.fieldNames()
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        problem = f"names {twice[0]!r} twice" if twice else "has no column"
        raise ArgumentError(f"schema {schema!r} {problem}; give each column of the result a name of its own")
    return parsed


def planned_dataframe(plan: PipelinePlan, df: "DataFrame", result: "StructType", *, applied_at: str) -> "DataFrame":
    """Return the DataFrame of the plan's result."""
    if df.isStreaming and plan.is_keyed:
        from reactivestreams.spark.keyed_state.streaming_dataframe import keyed_streaming_dataframe

        return keyed_streaming_dataframe(plan, df, result)
    from reactivestreams.spark.keyed_state.shuffle_task import (
        BUCKET_COLUMN,
        ShuffleTask,
        order_columns,
        shuffled_schema,
    )
    from reactivestreams.spark.pipelines.executor_tasks import ResultTask, RowsIn, ShuffledIn

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
