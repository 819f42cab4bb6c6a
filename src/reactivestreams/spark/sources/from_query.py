"""A streaming query as a stream whose demand holds Spark back."""

import os
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.query_arguments import checked_arguments
from reactivestreams.spark.rows.dataframe_arguments import checked_count, require_streaming_dataframe
from reactivestreams.spark.rows.row_forms import ROW_FORMS, checked_form
from reactivestreams.spark.sources.from_dataframe import DEFAULT_WINDOW, MAX_WINDOW
from reactivestreams.spark.sources.query_elements import QueryElements
from reactivestreams.spark.sources.query_stage import QueryStage
from reactivestreams.spark.sources.query_start import QueryPlan
from reactivestreams.stream import Stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["QUERY_FORMS", "from_query"]

QUERY_FORMS = (*ROW_FORMS, "micro_batches")
"""What `as_` of `from_query` may be."""

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
    """Make a stream of what a streaming query produces; Spark runs the next micro-batch when this one was consumed.

    The batch function of the query waits until the subscriber has asked for what is behind the last element of the
    batch; only then Spark commits the batch. After an interruption the batch that was not committed is delivered again,
    whole and under the same number: each element arrives at least once. It arrives exactly once in the effect where the
    consumer's effect is idempotent by `MicroBatch.batch_id`. A record beside the checkpoint tells which batch had been
    begun or consumed: `MicroBatch.is_redelivered` says so, and with `on_redelivery="skip"` a batch that had been
    consumed wholly is left out, whatever the form; one that had been consumed in part is delivered again all the same.

    Through Spark Connect the batch function runs in a process beside the server and waits there for this process, and
    executors push the rows to this process, each batch when there is room for it. Both use the loopback address, and
    the checkpoint is a folder of this process and of the server: all have to run on one machine, else the query fails
    and says so. Where this process ends, the batch function fails, and the server does not commit the batch.

    Args:
        streaming_df: A streaming DataFrame.
        checkpoint: Folder on a file system of this machine for Spark's checkpoint and the record; each query needs one
            of its own. It is made where it is missing.
        as_: `"rows"`, `"tuples"`, `"dicts"`, `"batches"` as for `from_dataframe`, or `"micro_batches"`: a `MicroBatch`
            for each micro-batch, also for one without rows.
        trigger: None to begin the next micro-batch at once, `"available_now"` to end when everything that was there at
            the start is read, or Spark's text of an interval, such as `"5 seconds"`.
        output_mode: Spark's `"append"`, `"update"` or `"complete"`.
        on_redelivery: `"deliver"`, or `"skip"` to leave out a batch that is known to have been consumed wholly.
        window: How many partitions of a micro-batch may be computed beyond the one that is being read, 1 to 64. Through
            Spark Connect: how many batches may lie here beyond the one that is wanted next.
        name: Name of the query, unique among the running ones.

    Returns:
        The stream. Each subscription runs the query from where the checkpoint stands; one at a time.

    Raises:
        ArgumentError: An argument has a value that cannot be, or `streaming_df` is a batch DataFrame.
        ArgumentTypeError: An argument has the wrong type.

    Demand: The query starts with the first request. Of the micro-batch that is being read at most `window` + 1
        partitions are computed beyond the elements requested; the next one does not begin. Through Spark Connect at
        most `window` + 1 batches lie here, and each task that runs holds one more. Of a query with state, a micro-batch
        that was not read to its end is computed behind the demand for the next element: its rows count in the state.
    Errors: `FolderInUseError` or `CheckpointError` at the start; `PipelineError` where a pipeline that
        `apply` put into the query failed; `SparkJobError` with Spark's own exception as its cause where the query
        failed otherwise, and without one where somebody else stopped it. Through Spark Connect an interval that is none
        is such a failure, too.
    State: Spark's checkpoint is the state. Saving a stream with this source raises StateError until it has ended: the
        checkpoint moves on by itself, so that a loaded stream would count elements twice or leave some out.
    Threads: Signals run in the thread that requests, which waits for Spark. A cancellation from another thread takes
        effect within `IDLE_SECONDS` where no batch is there, else when the next partition has arrived, or through Spark
        Connect the next batch. When it has returned, the query has ended. The start waits up to `LOCK_TIMEOUT_SECONDS`
        for the Spark of a killed driver; through Spark Connect the checkpoint is locked by this process. There, the
        sockets have a few threads, which end with the subscription.
    Rules: 1.1, 1.3, 3.3, 3.13, as every source that iterates; 3.4 is bent, since a request may have to wait for Spark.

    Example:
        The guide on Spark's sources has one that is run.
    """
    require_streaming_dataframe(streaming_df)
    arguments = checked_arguments(
        streaming_df, checkpoint=checkpoint, trigger=trigger, name=name, output_mode=output_mode
    )
    plan = QueryPlan(
        dataframe=streaming_df,
        checkpoint=arguments.checkpoint,
        form=checked_query_form(as_, streaming_df),
        trigger=arguments.trigger,
        output_mode=arguments.output_mode,
        name=arguments.name,
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
