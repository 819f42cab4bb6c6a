"""A function of the user's as the sink of a streaming query."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.spark.guarantees import SINK_GUARANTEES
from reactivestreams.spark.query_arguments import checked_arguments
from reactivestreams.spark.sinks.query_start import require_streaming, start_query
from reactivestreams.spark.sinks.running_query import RunningQuery

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from reactivestreams.stream import Stream

__all__ = ["for_each_batch"]


def for_each_batch(
    df: "DataFrame",
    function: "Callable[[int, Stream[pa.RecordBatch]], object]",
    *,
    checkpoint: str | os.PathLike[str],
    idempotent: bool = False,
    trigger: str | None = None,
    name: str | None = None,
    output_mode: str = "append",
) -> RunningQuery:
    """Start a streaming query that calls a function with each micro-batch.

    After a crash Spark repeats the batch that was not finished, under the same id. A function that replaces what it
    wrote under that id makes the result exactly-once; say so with `idempotent`.

    Args:
        df: A streaming DataFrame.
        function: Called with the id of the batch, which counts from 0, and a Stream of its Arrow batches. Each
            subscription of the stream computes the batch anew.
        checkpoint: Folder of the checkpoint: it belongs to this one query, and outlives the driver.
        idempotent: Whether the function replaces the result of a batch id that it has seen.
        trigger: None to begin the next micro-batch at once, `"available_now"` to end when everything that was there at
            the start is done, or an interval such as `"5 seconds"`.
        name: Name of the query in Spark's displays.
        output_mode: Spark's output mode: `"append"`, `"update"` or `"complete"`.

    Returns:
        The handle of the running query.

    Raises:
        ArgumentError: A value is none of those above, or `df` is no streaming DataFrame.
        ArgumentTypeError: An argument has the wrong type.
        FolderInUseError: Another query uses the checkpoint.
        UntravelableFunctionError: The function cannot be sent to the server of Spark Connect.

    Demand: A batch is computed as the function reads it: at most four partitions of it are held here. Of a query with
        state, a batch that was not read to its end is computed when the function has returned: its rows count in the
        state all the same.
    Errors: What the function raises ends the query; `RunningQuery.error` and `await_end` give it as `PipelineError`.
    State: Spark's checkpoint.
    Threads: The function runs in Spark's stream thread, one batch at a time. Through Spark Connect it runs in a process
        beside the server, as a copy: what it remembers does not come back, and what it reads of a batch comes over the
        loopback address, so the executors have to run on the server's machine.

    Example:
        The guide on sinks has one that is run.
    """
    require_streaming(df, "for_each_batch")
    checked_callable(function, operator="for_each_batch", name="function")
    if not isinstance(idempotent, bool):
        raise ArgumentTypeError(f"idempotent must be a bool, got {idempotent!r}; pass True or False")
    arguments = checked_arguments(df, checkpoint=checkpoint, trigger=trigger, name=name, output_mode=output_mode)
    return start_query(
        df,
        BatchReader(function),
        arguments,
        sink="for_each_batch",
        guarantee=SINK_GUARANTEES["for_each_batch_idempotent" if idempotent else "for_each_batch"],
    )


class BatchReader:
    """Calls the user's function with a batch as a stream.

    Args:
        function: The user's function.
    """

    def __init__(self, function: Callable[[int, Any], object]) -> None:
        self.function = function

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> bool:
        """Call the function with the batch, and tell whether it has read all of it."""
        from reactivestreams.spark.sources.from_dataframe import DEFAULT_WINDOW, dataframe_rows
        from reactivestreams.stream import Stream

        rows = dataframe_rows(dataframe, form="batches", window=DEFAULT_WINDOW)
        self.function(batch_id, Stream.from_iterable(rows))
        return rows.is_computed
