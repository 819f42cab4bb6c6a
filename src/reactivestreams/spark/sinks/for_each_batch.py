"""A user's function as the sink of a streaming query."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.guarantees import SINK_GUARANTEES
from reactivestreams.spark.jvm_calls import shown_plan
from reactivestreams.spark.query_arguments import checked_arguments, compute, is_stateful
from reactivestreams.spark.sinks.running_query import RunningQuery, require_streaming, start_query

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from reactivestreams.stream import Stream

__all__ = ["for_each_batch"]

BATCH_FORMS = ("batches", "dataframe")


def for_each_batch(
    df: "DataFrame",
    function: "Callable[[int, Stream[pa.RecordBatch]], object] | Callable[[DataFrame, int], object]",
    *,
    checkpoint: str | os.PathLike[str],
    as_: str = "batches",
    idempotent: bool = False,
    trigger: str | None = None,
    name: str | None = None,
    output_mode: str = "append",
) -> RunningQuery:
    """Start a streaming query that calls a function with each micro-batch.

    After a crash Spark repeats the unfinished batch with the same id. If the function replaces what it wrote for that
    id, the result is exactly-once; declare this with `idempotent`.

    Args:
        df: A streaming DataFrame.
        function: Called with each batch, in the form of `as_`, and its id, which counts from 0.
        checkpoint: Folder of the checkpoint: it belongs to this query only, and must outlive the driver. It is a URI of
            any of Spark's file systems, or a path as for `to_path`.
        as_: `"batches"` to call `function(batch_id, stream)` with a Stream of Arrow batches, which are read here; each
            subscription computes the batch again. `"dataframe"` to call `function(dataframe, batch_id)` with Spark's
            DataFrame, as `foreachBatch` does: its executors write it, to a table of Delta or Iceberg or by JDBC.
        idempotent: Whether the function replaces the result of a repeated batch id.
        trigger: None to start each micro-batch at once, `"available_now"` to process the data that exists at the start
            and end, or an interval such as `"5 seconds"`.
        name: Name of the query in Spark's displays.
        output_mode: Spark's output mode: `"append"`, `"update"` or `"complete"`.

    Returns:
        The handle of the running query.

    Raises:
        ArgumentError: A value is not allowed, or `df` is not a streaming DataFrame.
        ArgumentTypeError: An argument has the wrong type.
        FolderInUseError: Another query of the same session uses the checkpoint.
        OSError: The file system of the checkpoint failed, or does not list a file as soon as it is written.
        NotSerializableError: The function cannot be sent to the server of Spark Connect.

    Demand: A batch is computed while the function reads it; at most four of its partitions are buffered here. If the
        query has state, rows that the function did not read are computed after it returns, so that they count in the
        state; a DataFrame is persisted meanwhile.
    Errors: An exception of the function ends the query; `RunningQuery.error` and `await_end` report it as
        `PipelineError`, and another driver on the checkpoint as `FolderInUseError`.
    State: Spark's checkpoint.
    Threads: The function runs in Spark's stream thread, one batch at a time. Through Spark Connect a copy of it runs in
        a process next to the server, and variables that it changes do not come back.

    Example:
        See the guide on sinks.
    """
    require_streaming(df, "for_each_batch")
    checked_callable(function, operator="for_each_batch", name="function")
    if not isinstance(idempotent, bool):
        raise ArgumentTypeError(f"idempotent must be a bool, got {idempotent!r}; pass True or False")
    form = checked_choice("as_", as_, BATCH_FORMS)
    arguments = checked_arguments(df, checkpoint=checkpoint, trigger=trigger, name=name, output_mode=output_mode)
    call: Callable[[Any, Any], object] = function
    return start_query(
        df,
        BatchReader(call) if form == "batches" else FrameReader(call, is_stateful=is_stateful(shown_plan(df))),
        arguments,
        sink="for_each_batch",
        guarantee=SINK_GUARANTEES["for_each_batch_idempotent" if idempotent else "for_each_batch"],
    )


class BatchReader:
    """Calls the user's function with a batch as a stream.

    Args:
        function: The user's function.
    """

    def __init__(self, function: Callable[[Any, Any], object]) -> None:
        self.function = function

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> bool:
        """Call the function with the batch, and return whether it has read all of it."""
        from reactivestreams.spark.sources.dataframe_rows import dataframe_rows
        from reactivestreams.spark.sources.from_dataframe import DEFAULT_WINDOW
        from reactivestreams.stream import Stream

        rows = dataframe_rows(dataframe, form="batches", window=DEFAULT_WINDOW)
        self.function(batch_id, Stream.from_iterable(rows))
        return rows.is_computed


class FrameReader:
    """Calls the user's function with a batch as Spark's DataFrame.

    Args:
        function: The user's function.
        is_stateful: Whether the query has state.
    """

    def __init__(self, function: Callable[[Any, Any], object], *, is_stateful: bool) -> None:
        self.function = function
        self.is_stateful = is_stateful

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> bool:
        """Call the function with the batch; it is unknown which rows it computes, so state needs all that are left."""
        if not self.is_stateful:
            self.function(dataframe, batch_id)
            return True
        dataframe.persist()  # so that only the others are computed
        try:
            self.function(dataframe, batch_id)
            compute(dataframe)
        finally:
            dataframe.unpersist()
        return True
