"""What a pipeline promises when processes die: computed of its source, its operators and its sink, with reasons."""

from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError
from reactivestreams.operators import Do
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.guarantees import (
    Guarantee,
    PartGuarantee,
    plan_leaves,
    sink_guarantee,
    source_guarantee,
    weakest,
)
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan, short_name
from reactivestreams.spark.rows.dataframe_arguments import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["checked_guarantee", "guarantee_parts", "require_guarantee"]

UNREPEATABLE_SOURCES = frozenset({"socket"})
"""Streaming sources of Spark that cannot read a batch again."""


def guarantee_parts(plan: PipelinePlan, df: "DataFrame", sink: str | None) -> tuple[PartGuarantee, ...]:
    """Return what the source, the operators and the sink promise, in this order.

    Args:
        plan: The plan.
        df: What the pipeline is applied to.
        sink: Name of the sink; None where it is not known.
    """
    parts = [source_part(df), *operator_parts(plan, is_streaming=df.isStreaming)]
    if sink is not None:
        parts.append(sink_guarantee(sink))
    return tuple(parts)


def source_part(df: "DataFrame") -> PartGuarantee:
    """Return what the source of a DataFrame promises."""
    own = source_guarantee(df)
    if own is not None:
        return own
    if not df.isStreaming:
        return PartGuarantee("source", Guarantee.EXACTLY_ONCE, "a task that is repeated reads its partition again")
    if is_connect(df):
        return PartGuarantee(
            "source",
            Guarantee.EXACTLY_ONCE,
            "a source that Spark can replay from its checkpoint, which Spark Connect does not let one check",
        )
    bad = next((name for name in streaming_sources(df) if name in UNREPEATABLE_SOURCES), None)
    if bad is not None:
        return PartGuarantee(
            "source",
            Guarantee.NONE,
            f"Spark's source {bad} cannot read a batch again",
            "read from files, Kafka, or to_streaming_dataframe with log=",
        )
    return PartGuarantee("source", Guarantee.EXACTLY_ONCE, "Spark replays it from the offsets in the checkpoint")


def streaming_sources(df: Any) -> list[str]:
    """Return the names of the streaming sources in the plan of a classic DataFrame."""
    return [
        str(relation.sourceName())
        for relation in plan_leaves(df)
        if relation.getClass().getSimpleName() in ("StreamingRelationV2", "StreamingRelation")
        and hasattr(relation, "sourceName")
    ]


def operator_parts(plan: PipelinePlan, *, is_streaming: bool) -> list[PartGuarantee]:
    """Return what the operators promise: one part for each that weakens it, or one for all."""
    parts = []
    for operator in (operator for step in plan.steps for operator in step.pipeline.operators):
        named = f"operator {short_name(operator)}, built at {operator.assembly}"
        if operator.definition is Do:
            parts.append(
                PartGuarantee(
                    named,
                    Guarantee.AT_LEAST_ONCE,
                    "what its functions do outside is done again by a task that is repeated",
                    "write by a sink that replaces a repeated batch instead, and leave do() out",
                )
            )
        elif is_streaming and operator.definition.stateful and not operator.definition.keyed:
            parts.append(
                PartGuarantee(
                    named,
                    Guarantee.AT_LEAST_ONCE,
                    "its state starts anew in each partition of each micro-batch and is in no checkpoint",
                    "put it behind key_by(...), which keeps its state in Spark's state store",
                )
            )
    if parts:
        return parts
    reason = "a row counts once in the result, although a task that is repeated calls the functions again"
    return [PartGuarantee("operators", Guarantee.EXACTLY_ONCE, reason)]


def checked_guarantee(value: object) -> Guarantee | None:
    """Check the argument `guarantee` and return it.

    Raises:
        ArgumentTypeError: It is neither a `Guarantee` nor the text of one.
        ArgumentError: There is no such guarantee.
    """
    if value is None or isinstance(value, Guarantee):
        return value
    return Guarantee(checked_choice("guarantee", value, [each.value for each in Guarantee]))


def require_guarantee(parts: tuple[PartGuarantee, ...], wanted: Guarantee | None) -> None:
    """Check that all parts together promise what was asked for.

    Raises:
        ArgumentError: One does not; the message names it, the reason and the remedy.
    """
    found = weakest(parts)
    if wanted is None or found is None or not found.guarantee < wanted:
        return
    remedy = f"; {found.remedy}" if found.remedy else ""
    raise ArgumentError(
        f"{wanted.value} was asked for, but {found.part} gives {found.guarantee.value}: {found.reason}{remedy}"
    )
