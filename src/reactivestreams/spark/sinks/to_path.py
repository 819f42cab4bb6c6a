"""A folder of Parquet files as the sink of a streaming query: each batch is a folder there."""

import json
import os
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError
from reactivestreams.spark.errors import CheckpointError, SparkJobError
from reactivestreams.spark.guarantees import SINK_GUARANTEES
from reactivestreams.spark.query_arguments import checked_arguments, checked_folder
from reactivestreams.spark.sinks.running_query import RunningQuery, require_streaming, start_query
from reactivestreams.spark.storage.checkpoint_folder import query_id, query_id_in, written_query_id
from reactivestreams.spark.storage.file_system import FileSystem, file_system, require_listing
from reactivestreams.spark.storage.shared_storage import runs_on_one_machine
from reactivestreams.spark.storage.spark_path import is_local

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "BATCH_COLUMN",
    "CHANGES",
    "BatchFolder",
    "require_apart",
    "require_free_column",
    "to_path",
]

BATCH_COLUMN = "batch_id"
"""Additional column of the folder: the id of a row's batch."""

CHANGES = ("append", "update")
"""The output modes of `to_path` and `to_table`; in the mode complete each batch repeats the rows of all before."""

QUERY_FILE = "_query.json"
"""File in the sink's folder that contains the id of its query."""


def to_path(
    df: "DataFrame",
    path: str | os.PathLike[str],
    *,
    checkpoint: str | os.PathLike[str],
    trigger: str | None = None,
    name: str | None = None,
    output_mode: str = "append",
) -> RunningQuery:
    """Start a streaming query that writes Parquet files, each micro-batch once, also if Spark repeats it.

    Spark writes a batch to a hidden folder in `path` and moves it to `batch_id=<id>`, in place of what a killed query
    has left there. `session.read.parquet(path)` returns each row once, with the additional column `batch_id`. What a
    reader sees while a batch is written depends on the file system. On a disk and on HDFS the move is one rename: all
    of the batch or nothing. On S3 its files appear one by one; it is complete when `query.progress.batchId` has
    reached the id. A batch that Spark repeats is missing during its move. An empty batch has no folder.

    Args:
        df: A streaming DataFrame without a column `batch_id`.
        path: Folder for the files: a URI of any of Spark's file systems, such as `"hdfs://names/flights"`, or a path of
            this machine. On a cluster such a path must be mounted on all machines, and declared with
            `spark.reactivestreams.sharedFolders`; through Spark Connect client and server must share it.
        checkpoint: Folder of the checkpoint, given like `path`: it belongs to this query only, and must outlive the
            driver.
        trigger: None to start each micro-batch at once, `"available_now"` to process the data that exists at the start
            and end, or an interval such as `"5 seconds"`.
        name: Name of the query in Spark's displays.
        output_mode: `"append"` or `"update"`; in the mode update a batch contains the rows that changed.

    Returns:
        The handle of the running query.

    Raises:
        ArgumentError: A value is not allowed, `df` is not a streaming DataFrame or has a column `batch_id`, its
            executors do not see a folder, Spark does not reach one, or the checkpoint is among the files.
        ArgumentTypeError: An argument has the wrong type.
        CheckpointError: The folder contains batches of another query.
        FolderInUseError: Another query of the same session uses the checkpoint.
        OSError: The file system failed, or does not list a file as soon as it is written.

    Demand: Controlled by Spark; the executors write a batch.
    Errors: `RunningQuery.error` and `await_end` report them: as `PipelineError` if a pipeline, a stream or the sink
        failed, as `FolderInUseError` if another driver uses the checkpoint.
    State: Spark's checkpoint, and in the folder a file with the id of the query.
    Threads: Spark's threads; through Spark Connect a process next to the server.

    Example:
        See the guide on sinks.
    """
    require_streaming(df, "to_path")
    require_free_column(df, "to_path")
    folder = checked_folder("path", path, df.sparkSession)
    arguments = checked_arguments(
        df, checkpoint=checkpoint, trigger=trigger, name=name, output_mode=output_mode, output_modes=CHANGES
    )
    require_apart(folder, arguments.checkpoint)
    batches = BatchFolder(folder, arguments.checkpoint, df.sparkSession)
    batches.require_own(df.sparkSession)
    require_listing(folder, df.sparkSession)
    return start_query(
        df,
        batches,
        arguments,
        sink="to_path",
        guarantee=SINK_GUARANTEES["to_path"],
    )


def require_apart(folder: str, checkpoint: str) -> None:
    """Check that readers of a folder do not read the checkpoint as data.

    Raises:
        ArgumentError: The checkpoint is the folder, or is in it with a name that readers do not ignore.
    """
    if checkpoint == folder:
        raise ArgumentError(f"files and checkpoint have the same folder, {folder}; give each one its own")
    if checkpoint.startswith(f"{folder}/") and checkpoint[len(folder) + 1] not in "_.":
        raise ArgumentError(
            f"the checkpoint {checkpoint} is among the files in {folder}, whose readers would read it as data; pass "
            "a folder next to it, or one in it whose name begins with '_'"
        )


def require_free_column(df: "DataFrame", sink: str) -> None:
    """Check that a DataFrame does not have the column that the sink adds.

    Raises:
        ArgumentError: It has such a column.
    """
    if BATCH_COLUMN in (name.lower() for name in df.columns):
        raise ArgumentError(
            f"{sink} adds the column {BATCH_COLUMN!r}, but df already has it; rename it with withColumnRenamed"
        )


class BatchFolder:
    """Writes batches into a folder, each under its id.

    Each query numbers its batches from 0. So the folder belongs to one query, whose id is in a file there: a batch of
    another query would replace the one of the same number.

    Args:
        folder: URI of the folder.
        checkpoint: URI of the query's checkpoint.
        session: The session of the query.
    """

    def __init__(self, folder: str, checkpoint: str, session: "SparkSession") -> None:
        self.folder = folder
        self.checkpoint = checkpoint
        # The user has declared that all machines share it, which is checked.
        self.is_declared: bool = is_local(folder) and not runs_on_one_machine(session)
        self.is_taken: bool = False

    def require_own(self, session: "SparkSession") -> str | None:
        """Check that existing batches belong to the checkpoint's query, and return the id of the folder's query.

        Raises:
            CheckpointError: They belong to another query.
            OSError: The file system failed.
        """
        files = file_system(self.folder, session)
        theirs = query_id_in(f"{self.folder}/{QUERY_FILE}", files)
        mine = query_id(self.checkpoint, file_system(self.checkpoint, session))
        # Batches without an id were written by an earlier release; a checkpoint without an id has not had a batch.
        foreign = theirs != mine if theirs is not None else mine is None and self.has_batches(files)
        if foreign:
            raise CheckpointError(
                f"the folder {self.folder} contains batches of another query than that of the checkpoint "
                f"{self.checkpoint}: each query counts its batches from 0, so those of this query would replace "
                "them; pass the checkpoint that belongs to the folder, or another folder"
            )
        return theirs

    def has_batches(self, files: FileSystem) -> bool:
        """Return whether the folder contains batches."""
        return any(name.startswith(f"{BATCH_COLUMN}=") for name in files.names(self.folder))

    def take(self, session: "SparkSession") -> None:
        """Write the query's id into the folder, before its first batch.

        Raises:
            CheckpointError: The folder belongs to another query, or this process cannot read the checkpoint.
            OSError: The file system failed.
        """
        mine = written_query_id(self.checkpoint, session)
        if self.require_own(session) is None:
            files, file = file_system(self.folder, session), f"{self.folder}/{QUERY_FILE}"
            if files.read(file) == b"":
                files.delete(file)  # a kill has left it
            files.create(file, json.dumps({"id": mine}).encode())
            # Not on every file system only one of two queries that begin now creates the file: read it again.
            self.require_own(session)

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> bool:
        """Write a batch, and replace what a killed query has written of it.

        Returns:
            True: The batch was computed.
        """
        if not self.is_taken:
            self.take(dataframe.sparkSession)
            self.is_taken = True
        if self.is_declared:
            write_counted(dataframe, self.folder, batch_id)
        else:
            write_batch(dataframe, self.folder, batch_id)
        return True


def write_batch(dataframe: "DataFrame", folder: str, batch_id: int) -> None:
    """Replace a batch in the folder: Spark writes it to a folder of its own there, and then renames that one."""
    from pyspark.sql import functions

    numbered = dataframe.withColumn(BATCH_COLUMN, functions.lit(batch_id).cast("bigint"))
    writer = numbered.write.mode("overwrite").option("partitionOverwriteMode", "dynamic")
    writer.partitionBy(BATCH_COLUMN).parquet(folder)


def write_counted(dataframe: "DataFrame", folder: str, batch_id: int) -> None:
    """Replace a batch in a folder that all machines should share, and check that its files have all rows.

    Raises:
        SparkJobError: Rows are missing.
    """
    from pyspark.sql import Observation, functions

    observation = Observation()
    write_batch(dataframe.observe(observation, functions.count(functions.lit(1)).alias("rows")), folder, batch_id)
    written = int(observation.get["rows"])
    place = f"{folder}/{BATCH_COLUMN}={batch_id}"
    held = dataframe.sparkSession.read.schema(dataframe.schema).parquet(place).count() if written else 0
    if held != written:
        raise SparkJobError(
            f"the executors wrote {written} rows of batch {batch_id}, but the files in {place} contain {held}, so the "
            "batch is not complete: some executors write to another disk; use a folder that they share"
        )
