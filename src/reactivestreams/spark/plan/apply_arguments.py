"""Checks of what a pipeline is applied to and how; a bad argument fails before anything runs."""

from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators.keyed.expiry import Expiry
from reactivestreams.spark.errors import PartitionStateWarning, UnorderedWarning
from reactivestreams.spark.on_error.row_failures import FAIL
from reactivestreams.spark.on_error.tolerant_pipeline import first_unguarded
from reactivestreams.spark.plan.batch_schema import BATCH_OPERATORS, empty_result
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan, short_name
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.rows.row_forms import checked_form
from reactivestreams.spark.steps.numbered_pipeline import first_unnumbered
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = [
    "MAX_BUCKETS",
    "chosen_form",
    "default_buckets",
    "plan_warnings",
    "require_different_columns",
    "require_fitting_expressions",
    "require_policy",
    "require_runnable",
]

MAX_BUCKETS = 4096
"""Most buckets of a keyed pipeline. Each is a task; from about 500 on their number costs more than it brings."""

LEAST_DEFAULT_BUCKETS = 8
BUCKETS_PER_CORE = 4

STREAMING_BUCKETS = 32
"""Buckets of a keyed streaming query by default: on every machine the same, since they are part of its checkpoint."""


def default_buckets(df: "DataFrame") -> int:
    """Return how many buckets keep the cores busy and unequal buckets harmless."""
    if df.isStreaming:
        return STREAMING_BUCKETS
    if is_connect(df):
        # How many cores there are is not known here.
        return LEAST_DEFAULT_BUCKETS
    cores: int = df.sparkSession.sparkContext.defaultParallelism
    return min(max(LEAST_DEFAULT_BUCKETS, BUCKETS_PER_CORE * cores), MAX_BUCKETS)


def chosen_form(as_: Any, pipeline: Pipeline[Any, Any], schema: "StructType") -> str:
    """Return the form in which rows enter: what `as_` says, or what the first operator takes.

    Raises:
        ArgumentTypeError: `as_` is no text.
        ArgumentError: `as_` is no form, or one that the first operator does not take.
    """
    first = next(iter(pipeline.operators), None)
    takes_batches = first is not None and first.definition in BATCH_OPERATORS
    if as_ is None:
        return "batches" if takes_batches else "rows"
    form = checked_form(as_, schema)
    if first is not None and takes_batches and form != "batches":
        raise ArgumentError(
            f"as_={form!r} cannot go with operator {short_name(first)}, built at {first.assembly}, which takes Arrow "
            "batches; leave as_ out, or pass 'batches'"
        )
    return form


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


def require_fitting_expressions(plan: PipelinePlan, schema: "StructType") -> None:
    """Refuse expressions at the head of a pipeline over batches that do not fit the columns."""
    if plan.form == "batches":
        empty_result(plan.steps[0].pipeline, schema)


def require_runnable(plan: PipelinePlan, df: "DataFrame") -> None:
    """Refuse keyed pipelines that cannot be moved by key, or whose state a streaming query cannot keep."""
    if plan.is_keyed and plan.form == "batches":
        keyed = plan.steps[0].shuffle
        assert keyed is not None
        raise ArgumentError(
            f"as_='batches' cannot go with the keyed operator {short_name(keyed)}, built at {keyed.assembly}: the rows "
            "of a batch have different keys; take as_='tuples', 'dicts' or 'rows', or apply the operators over batches "
            "first and the keyed ones to their result"
        )
    if plan.is_keyed and df.isStreaming:
        from reactivestreams.spark.keyed.keyed_streaming import require_streamable

        require_streamable(plan, df)
    for step in plan.steps:
        unknown = None if step.shuffle is None else first_unnumbered(step.pipeline)
        if unknown is not None:
            raise ArgumentError(
                f"operator {short_name(unknown)}, built at {unknown.assembly}, cannot stand before key_by on Spark: "
                "nobody knows which row causes what it sends, so that the order would be lost; put it behind the last "
                "key_by"
            )


def require_policy(plan: PipelinePlan, *, is_streaming: bool) -> None:
    """Refuse operators that cannot leave a failing row out, where rows may fail.

    Raises:
        ArgumentError: There is one; the message names it, its line and the remedy.
    """
    if plan.on_error == FAIL:
        return
    before, *keyed_steps = plan.steps
    second = keyed_steps[0].shuffle if keyed_steps else None
    if second is not None:
        raise ArgumentError(
            f"on_error={plan.on_error!r} cannot go with the keyed operator {short_name(second)}, built at "
            f"{second.assembly}, which is the second one: a row that fails there would have to be taken back out of "
            "the state of the first; apply the operators up to it with on_error first, and it to their results"
        )
    unguarded = first_unguarded(before.pipeline)
    if unguarded is not None:
        raise ArgumentError(
            f"on_error={plan.on_error!r} cannot go with operator {short_name(unguarded)}, built at "
            f"{unguarded.assembly}, which has a state or is nobody's to look into; apply the operators before it with "
            "on_error first, and it to their results"
        )
    keyed = before.shuffle
    expiry = None if keyed is None else next((each for each in keyed.parameters if isinstance(each, Expiry)), None)
    if keyed is not None and expiry is not None and expiry.event_time is None and not is_streaming:
        raise ArgumentError(
            f"on_error={plan.on_error!r} cannot go with expire_after() by the clock, as in {short_name(keyed)}, built "
            f"at {keyed.assembly}, on a batch DataFrame: what ends meanwhile could not be repeated; pass event_time=, "
            "or leave expire_after out"
        )
    for operator in (operator for step in keyed_steps for operator in step.pipeline.operators):
        if operator.definition.stateful and not operator.definition.keyed:
            raise ArgumentError(
                f"on_error={plan.on_error!r} cannot go with operator {short_name(operator)}, built at "
                f"{operator.assembly}, whose state is that of no key; put it inside of key_by(...).through(...)"
            )
