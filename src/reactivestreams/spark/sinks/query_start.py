"""Checks of a sink's arguments, and the start of its query."""

import os
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.errors import UntravelableFunctionError
from reactivestreams.spark.guarantees import PartGuarantee
from reactivestreams.spark.pipelines.travel import why_stuck
from reactivestreams.spark.query_trigger import checked_trigger
from reactivestreams.spark.replay.folder_lock import FolderLock
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.sinks.batch_function import BatchFunction
from reactivestreams.spark.sinks.running_query import RunningQuery, release_ended

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["checked_folder", "checked_name", "require_streaming", "start_query"]


def require_streaming(df: object, sink: str) -> None:
    """Check that an argument is a streaming DataFrame.

    Raises:
        ArgumentTypeError: It is no DataFrame.
        ArgumentError: It is a batch DataFrame.
    """
    require_spark()
    from pyspark.sql import DataFrame

    if not isinstance(df, DataFrame):
        raise ArgumentTypeError(
            f"{sink}(df) needs a streaming DataFrame, got {df!r:.200}; make one with to_streaming_dataframe or "
            "session.readStream"
        )
    if not df.isStreaming:
        raise ArgumentError(
            f"{sink}(df) needs a streaming DataFrame, got a batch one, whose rows have no batch ids; write it with "
            "df.write"
        )


def checked_folder(name: str, value: object) -> Path:
    """Check the path of a folder on this machine or on a file system mounted here, and return it whole.

    Raises:
        ArgumentTypeError: It is no path.
        ArgumentError: It is empty, the URI of another file system, or a file.
    """
    if not isinstance(value, str | os.PathLike):
        raise ArgumentTypeError(f"{name} must be a path, got {value!r}; pass a text or a pathlib.Path")
    text = os.fspath(value)
    if not isinstance(text, str) or not text:
        raise ArgumentError(f"{name} must be the path of a folder, got {value!r}; pass a text such as '/data/out'")
    scheme, mark, rest = text.partition(":/")
    if mark and len(scheme) > 1:
        if scheme != "file":
            raise ArgumentError(
                f"{name} must be a folder of a file system that is mounted here, got {text!r}: a batch appears by a "
                "rename, which object stores have not; pass a path, or use for_each_batch"
            )
        text = urllib.parse.unquote("/" + rest.lstrip("/"))
    path = Path(text).resolve()
    if path.exists() and not path.is_dir():
        raise ArgumentError(f"{name} names {path}, which is a file; pass the path of a folder")
    return path


def checked_name(value: object) -> str | None:
    """Check the name of a query."""
    if value is None or (isinstance(value, str) and value):
        return value
    raise ArgumentTypeError(f"name must be None or a text, got {value!r}; pass a text such as 'delays'")


def start_query(
    df: "DataFrame",
    write: "Callable[[DataFrame, int], object]",
    *,
    sink: str,
    checkpoint: Path,
    trigger: object,
    name: str | None,
    output_mode: str,
    guarantee: PartGuarantee,
) -> RunningQuery:
    """Start a query whose batches a function writes, as the only one on its checkpoint.

    Raises:
        ArgumentError: The trigger or the output mode is none.
        FolderInUseError: Another query uses the checkpoint.
        UntravelableFunctionError: The function cannot be sent to the server of Spark Connect.
    """
    timing = checked_trigger(trigger, df)
    if output_mode not in ("append", "update", "complete"):
        raise ArgumentError(
            f"output_mode must be 'append', 'update' or 'complete', got {output_mode!r}; pass one of them"
        )
    function = BatchFunction(sink, write)
    release_ended()
    lock = checkpoint_lock(df, function, checkpoint)
    try:
        writer = df.writeStream.foreachBatch(function).trigger(**timing).outputMode(output_mode)
        writer = writer.option("checkpointLocation", checkpoint.as_uri())
        query = (writer if name is None else writer.queryName(name)).start()
    except BaseException:
        if lock is not None:
            lock.release()
        raise
    return RunningQuery(
        query, session=df.sparkSession, function=function, checkpoint=checkpoint, lock=lock, guarantee=guarantee
    )


def checkpoint_lock(df: "DataFrame", function: BatchFunction, checkpoint: Path) -> FolderLock | None:
    """Take the lock on a checkpoint: for the JVM, or for this process through Spark Connect, whose JVM cannot be asked.

    The server goes on where this process is killed. The next query on the checkpoint takes over: Spark stops the one
    that it runs there already.

    Raises:
        FolderInUseError: Another query uses the checkpoint.
        UntravelableFunctionError: The function cannot be sent to the server.
    """
    if not is_connect(df):
        return FolderLock.of_jvm(checkpoint, df.sparkSession, what="checkpoint")
    reason = why_stuck(function)
    if reason is not None:
        raise UntravelableFunctionError(
            f"{function.sink} through Spark Connect runs in a process of the server, and what it was given cannot be "
            f"copied there: {reason}; open files, take locks and reach sessions inside the function"
        )
    checkpoint.mkdir(parents=True, exist_ok=True)
    return FolderLock.of_process(checkpoint, what="checkpoint")
