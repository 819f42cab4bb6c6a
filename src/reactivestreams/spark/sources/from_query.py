"""A streaming query as a stream whose demand controls Spark."""

import os
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.query_arguments import checked_arguments
from reactivestreams.spark.rows.dataframe_arguments import checked_count, is_connect, require_streaming_dataframe
from reactivestreams.spark.rows.row_forms import ROW_FORMS, checked_form
from reactivestreams.spark.sources.from_dataframe import DEFAULT_WINDOW, MAX_WINDOW
from reactivestreams.spark.sources.query_elements import QueryElements
from reactivestreams.spark.sources.query_stage import QueryStage
from reactivestreams.spark.sources.query_start import QueryPlan
from reactivestreams.spark.storage.spark_path import is_local
from reactivestreams.stream import Stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["QUERY_FORMS", "from_query"]

QUERY_FORMS = (*ROW_FORMS, "micro_batches")
"""The values of `as_` for `from_query`."""

REDELIVERIES = ("deliver", "skip")


def from_query(
    streaming_df: "DataFrame",
    *,
    checkpoint: str | os.PathLike[str],
    as_: str = "rows",
    trigger: str | None = None,
    output_mode: str = "append",
    on_redelivery: str = "deliver",
    window: int = DEFAULT_WINDOW,
    name: str | None = None,
) -> Stream[Any]:
    """Make a stream of a streaming query's results; Spark runs the next micro-batch after this one was consumed.

    The batch function of the query waits until the subscriber has requested the element after the last one of the
    batch; only then Spark commits the batch. After an interruption the uncommitted batch is delivered again, complete
    and with the same number, so each element arrives at least once. The effect is exactly-once if the consumer is
    idempotent by `MicroBatch.batch_id`. A record in the checkpoint contains which batch was consumed, and Spark's
    log which was begun: `MicroBatch.is_redelivered` returns this, and with `on_redelivery="skip"` a batch that was
    consumed completely is left out, in all forms. A batch that was consumed in part is always delivered again.

    Through Spark Connect the batch function runs in a process next to the server, where it makes a global temporary
    view of the micro-batch, and executors push each batch of rows to this process when there is demand. Both use the
    loopback address, and the checkpoint is a folder of this process and of the server, so all must run on one machine;
    otherwise the query fails with a message that says so. If this process ends, the batch function fails, and the
    server does not commit the batch.

    Args:
        streaming_df: A streaming DataFrame.
        checkpoint: Folder for Spark's checkpoint and the record, one per query: a URI of any of Spark's file systems,
            such as `"s3a://bucket/flights"`, or a path of this machine, as for `to_path`; through Spark Connect such a
            path. It is made if it is missing.
        as_: `"rows"`, `"tuples"`, `"dicts"`, `"batches"` as for `from_dataframe`, or `"micro_batches"` for one
            `MicroBatch` per micro-batch, including those without rows.
        trigger: None to start each micro-batch at once, `"available_now"` to read the data that exists at the start and
            end, or an interval such as `"5 seconds"`.
        output_mode: Spark's `"append"`, `"update"` or `"complete"`.
        on_redelivery: `"deliver"`, or `"skip"` to leave out a batch that was consumed completely.
        window: How many partitions of a micro-batch may be computed ahead of the one that is read, 1 to 64. Through
            Spark Connect: how many batches may be buffered besides the one that is read next.
        name: Name of the query, unique among the running queries.

    Returns:
        The stream. Each subscription runs the query from its checkpoint; one subscription at a time.

    Raises:
        ArgumentError: An argument has an invalid value, `streaming_df` is a batch DataFrame, or the executors do not
            see the checkpoint.
        ArgumentTypeError: An argument has the wrong type.

    Demand: The query starts with the first request. At most `window` + 1 partitions of the current micro-batch are
        computed beyond the requested elements; the next micro-batch does not start. Through Spark Connect at most
        `window` + 1 batches are buffered, and each running task holds one more. If the query has state, unread rows of
        a micro-batch are computed when the next element is requested, so that they count in the state.
    Errors: `FolderInUseError` if another query of the same session, or later another driver, uses the checkpoint;
        `CheckpointError` or `OSError` if it cannot be used; `PipelineError` if a pipeline that `apply` put into
        the query failed; `SparkJobError` with Spark's exception as its cause if the query failed otherwise, and without
        a cause if another program stopped it. Through Spark Connect an invalid interval is such a failure, too.
    State: The state is Spark's checkpoint. Saving a stream with this source raises StateError until it has ended: the
        checkpoint advances independently, so a loaded stream would count elements twice or leave some out.
    Threads: Signals run in the thread that requests, which waits for Spark. A cancellation from another thread takes
        effect within `IDLE_SECONDS` if there is no batch, else when the next partition, or through Spark Connect the
        next batch, has arrived. When `cancel` has returned, the query has ended. Through Spark Connect the
        sockets have a few threads, which end with the subscription.
    Rules: 1.1, 1.3, 3.3, 3.13, as for every source that iterates; 3.4 is bent, since a request may wait for Spark.

    Example:
        See the guide on Spark's sources.
    """
    require_streaming_dataframe(streaming_df)
    arguments = checked_arguments(
        streaming_df, checkpoint=checkpoint, trigger=trigger, name=name, output_mode=output_mode
    )
    if is_connect(streaming_df) and not is_local(arguments.checkpoint):
        raise ArgumentError(
            f"checkpoint must be a folder that this process and the server of Spark Connect share, got "
            f"{arguments.checkpoint!r}; pass a path of this machine, or use for_each_batch"
        )
    plan = QueryPlan(
        dataframe=streaming_df,
        arguments=arguments,
        form=checked_query_form(as_, streaming_df),
        window=checked_count("window", window, DEFAULT_WINDOW, 1, MAX_WINDOW),
        skip_delivered=checked_choice("on_redelivery", on_redelivery, REDELIVERIES) == "skip",
    )
    elements = QueryElements(plan)
    return Stream.from_iterable(elements, recovery="none").lift(QueryStage, plan.label)


def checked_query_form(as_: object, streaming_df: "DataFrame") -> str:
    """Check the argument `as_`."""
    if as_ == "micro_batches":
        return "micro_batches"
    if isinstance(as_, str) and as_ not in ROW_FORMS:
        checked_choice("as_", as_, QUERY_FORMS)
    return checked_form(as_, streaming_df.schema)
