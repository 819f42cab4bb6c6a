"""What sources and sinks guarantee about rows when processes die. The weakest part decides.

Sources are marked when they are made; sinks are looked up by name.
"""

import weakref
from typing import TYPE_CHECKING

from reactivestreams.guarantees import Guarantee, PartGuarantee, weakest
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.jvm_calls import plan_leaves

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "GUARANTEE_OPTION",
    "SINK_GUARANTEES",
    "SOURCE_GUARANTEES",
    "mark_source",
    "sink_guarantee",
    "source_guarantee",
]

GUARANTEE_OPTION = "guarantee"
"""Option of this package's streaming sources: a key of `SOURCE_GUARANTEES`."""


SOURCE_GUARANTEES: dict[str, PartGuarantee] = {
    "factory": PartGuarantee(
        "to_streaming_dataframe",
        Guarantee.EXACTLY_ONCE,
        "the executors call the replayable factory, which reads a planned batch again",
    ),
    "log": PartGuarantee(
        "to_streaming_dataframe",
        Guarantee.EXACTLY_ONCE,
        "this process reads the stream, and its rows travel to the executors; a planned batch is read again from the "
        "write-ahead log; an element that was delivered but not yet logged is sent again by a publisher that resumes "
        "at the log's end_offset, and lost with any other publisher",
    ),
    "live": PartGuarantee(
        "to_streaming_dataframe",
        Guarantee.NONE,
        "this process reads the stream, and its rows travel to the executors; without a log those of an unfinished "
        "batch cannot be repeated after the driver died",
        "pass log=, or a replayable factory instead of the publisher",
    ),
}
"""What `to_streaming_dataframe` guarantees, and where its stream is read, by the kind of its source."""

SINK_GUARANTEES: dict[str, PartGuarantee] = {
    "to_path": PartGuarantee(
        "to_path", Guarantee.EXACTLY_ONCE, "a batch is a folder named after its id, which a repetition replaces"
    ),
    "to_table": PartGuarantee(
        "to_table", Guarantee.EXACTLY_ONCE, "a batch is one partition of the table, which a repetition replaces"
    ),
    "to_table_delta": PartGuarantee(
        "to_table", Guarantee.EXACTLY_ONCE, "Delta skips a batch that the log of its table has for the same query"
    ),
    "to_iceberg": PartGuarantee(
        "to_iceberg", Guarantee.EXACTLY_ONCE, "a batch that the snapshots of the table have is not added again"
    ),
    "for_each_batch": PartGuarantee(
        "for_each_batch",
        Guarantee.AT_LEAST_ONCE,
        "the function may be called again with the same batch id",
        "let the function replace what it wrote under the same batch id, and pass idempotent=True",
    ),
    "for_each_batch_idempotent": PartGuarantee(
        "for_each_batch", Guarantee.EXACTLY_ONCE, "the function is declared to replace a repeated batch"
    ),
}
"""What the sinks guarantee, by name."""

marked: "weakref.WeakKeyDictionary[DataFrame, PartGuarantee]" = weakref.WeakKeyDictionary()


def mark_source(df: "DataFrame", guarantee: PartGuarantee) -> None:
    """Store what the source of a DataFrame guarantees, as long as the DataFrame lives."""
    marked[df] = guarantee


def source_guarantee(df: "DataFrame") -> PartGuarantee | None:
    """Return the guarantee of the weakest of this package's sources in a DataFrame, or None.

    A DataFrame derived from a result of `to_streaming_dataframe` is recognised by its plan, but not through Spark
    Connect, which does not show the plan.
    """
    own = marked.get(df)
    if own is not None:
        return own
    return weakest(plan_guarantees(df))


def plan_guarantees(df: "DataFrame") -> list[PartGuarantee]:
    """Return what this package's streaming sources in the plan of a classic DataFrame guarantee."""
    found = []
    for leaf in plan_leaves(df):
        if leaf.getClass().getSimpleName() == "StreamingRelationV2" and leaf.sourceName() == "reactivestreams":
            kind = leaf.extraOptions().get(GUARANTEE_OPTION)
            found.append(SOURCE_GUARANTEES.get(str(kind), SOURCE_GUARANTEES["live"]))
    return found


def sink_guarantee(sink: str) -> PartGuarantee:
    """Return what a sink guarantees.

    Args:
        sink: One of `SINK_GUARANTEES`.

    Raises:
        ArgumentTypeError: `sink` is not a text.
        ArgumentError: There is no such sink.
    """
    return SINK_GUARANTEES[checked_choice("sink", sink, tuple(SINK_GUARANTEES))]
