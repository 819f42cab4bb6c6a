"""A folder of Parquet files as the sink of a streaming query: each batch appears there whole and once."""

import errno
import json
import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError
from reactivestreams.spark.errors import CheckpointError, SparkJobError
from reactivestreams.spark.guarantees import SINK_GUARANTEES
from reactivestreams.spark.query_arguments import checked_arguments, checked_folder
from reactivestreams.spark.sinks.query_start import require_streaming, start_query
from reactivestreams.spark.sinks.running_query import RunningQuery
from reactivestreams.spark.storage.atomic_write import atomic_write, sync_folder
from reactivestreams.spark.storage.checkpoint_folder import query_id, query_id_in
from reactivestreams.spark.storage.spark_path import spark_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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

UNFINISHED = "_unfinished"
"""Folder in the sink's folder for unfinished batches; Spark's readers ignore names that begin with an underscore."""


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

    A batch is written to a hidden folder and appears by one rename as `batch_id=<id>`. `session.read.parquet(path)`
    returns each row once, at any time, with the additional column `batch_id`.

    Args:
        df: A streaming DataFrame without a column `batch_id`.
        path: Folder for the files, on a file system that is mounted here and, through Spark Connect, on the server. On
            a cluster it must be mounted on all machines, and declared with `spark.reactivestreams.sharedFolders`.
        checkpoint: Folder of the checkpoint: it belongs to this query only, and must outlive the driver.
        trigger: None to start each micro-batch at once, `"available_now"` to process the data that exists at the start
            and end, or an interval such as `"5 seconds"`.
        name: Name of the query in Spark's displays.
        output_mode: `"append"` or `"update"`; in the mode update a batch contains the rows that changed.

    Returns:
        The handle of the running query.

    Raises:
        ArgumentError: A value is not allowed, `df` is not a streaming DataFrame or has a column `batch_id`, its
            executors do not see a folder, or the checkpoint is among the files.
        ArgumentTypeError: An argument has the wrong type.
        CheckpointError: The folder contains batches of another query.
        FolderInUseError: Another query uses the checkpoint.

    Demand: Controlled by Spark; the executors write a batch.
    Errors: `RunningQuery.error` and `await_end` report them, as `PipelineError` if a pipeline, a stream or the sink
        failed.
    State: Spark's checkpoint and the folder: a batch that is in the folder is not written again, and a file there
        contains the id of the query.
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
    batches = BatchFolder(folder, arguments.checkpoint)
    batches.require_own()
    return start_query(
        df,
        batches,
        arguments,
        sink="to_path",
        guarantee=SINK_GUARANTEES["to_path"],
    )


def require_apart(folder: Path, checkpoint: Path) -> None:
    """Check that readers of a folder do not read the checkpoint as data.

    Raises:
        ArgumentError: The checkpoint is the folder, or is in it with a name that readers do not ignore.
    """
    if checkpoint == folder:
        raise ArgumentError(f"files and checkpoint have the same folder, {folder}; give each one its own")
    if checkpoint.is_relative_to(folder) and not checkpoint.relative_to(folder).parts[0].startswith(("_", ".")):
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

    Each query numbers its batches from 0. So the folder belongs to one query, whose id is in a file there: for another
    query a batch of the same number would already exist.

    Args:
        folder: The folder.
        checkpoint: The query's checkpoint.
    """

    def __init__(self, folder: Path, checkpoint: Path) -> None:
        self.folder = folder
        self.checkpoint = checkpoint

    def require_own(self) -> None:
        """Check that existing batches belong to the checkpoint's query.

        Raises:
            CheckpointError: They belong to another query.
        """
        theirs, mine = query_id_in(self.folder / QUERY_FILE), query_id(self.checkpoint)
        has_batches = theirs is not None or any(self.folder.glob(f"{BATCH_COLUMN}=*"))
        # Batches without an id were written by an earlier release; a checkpoint without an id has not had a batch.
        if has_batches and (mine is None or theirs not in (None, mine)):
            raise CheckpointError(
                f"the folder {self.folder} contains batches of another query than that of the checkpoint "
                f"{self.checkpoint}: each query counts its batches from 0, so batches of this query would be mistaken "
                "for existing ones, and lost; pass the checkpoint that belongs to the folder, or another "
                "folder"
            )

    def take(self) -> None:
        """Write the query's id into the folder, before its first batch.

        Raises:
            CheckpointError: The folder belongs to another query, or this process cannot read the checkpoint.
        """
        mine = query_id(self.checkpoint)
        if mine is None:
            raise CheckpointError(
                f"the checkpoint {self.checkpoint} has no file metadata on the machine that writes batches; put it on "
                "a file system that is mounted there, too"
            )
        self.require_own()
        if not (self.folder / QUERY_FILE).exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            atomic_write(self.folder / QUERY_FILE, json.dumps({"id": mine}).encode(), is_durable=True)

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> bool:
        """Write a batch, unless a killed query has already written it.

        Returns:
            Whether the batch was computed.
        """
        self.take()
        place = self.folder / f"{BATCH_COLUMN}={batch_id}"
        if place.is_dir():
            return False
        # A killed query may have left files, and one of its executors may still write. So each attempt has its own
        # folder.
        for left in (self.folder / UNFINISHED).glob(f"{batch_id}-*"):
            shutil.rmtree(left, ignore_errors=True)
        unfinished = self.folder / UNFINISHED / f"{batch_id}-{secrets.token_hex(8)}"
        written = write_counted(dataframe, unfinished)
        require_rows(unfinished, written, batch_id)
        for path in [*unfinished.iterdir()]:
            sync_file(path)
        sync_folder(unfinished)
        try:
            os.rename(unfinished, place)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            # Meanwhile a run of this query that Spark had stopped has written the batch.
            shutil.rmtree(unfinished, ignore_errors=True)
        sync_folder(self.folder)
        return True


def write_counted(dataframe: "DataFrame", folder: Path) -> int:
    """Write a batch to a new folder, and return how many rows the executors wrote."""
    from pyspark.sql import Observation, functions

    written = Observation()
    counted = dataframe.observe(written, functions.count(functions.lit(1)).alias("rows"))
    counted.write.parquet(spark_path(folder))
    return int(written.get["rows"])


def require_rows(folder: Path, written: int, batch_id: int) -> None:
    """Check that the files on this machine contain all rows of a batch.

    Raises:
        SparkJobError: Rows are missing.
    """
    from pyarrow import parquet

    held = sum(parquet.read_metadata(path).num_rows for path in folder.glob("*.parquet"))
    if held != written:
        raise SparkJobError(
            f"the executors wrote {written} rows of batch {batch_id}, but the files in {folder} contain {held}, so the "
            "batch is not complete: some executors write to another disk; use a folder that "
            "they share"
        )


def sync_file(path: Path) -> None:
    """Make the content of a file durable."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
