"""A folder of Parquet files as the sink of a streaming query: each batch appears there whole, and once."""

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
    "require_one_disk",
    "to_path",
]

BATCH_COLUMN = "batch_id"
"""Column that readers of the folder see beside the query's own: the id of the batch that a row came with."""

CHANGES = ("append", "update")
"""The output modes that `to_path` and `to_table` take: in the others each batch has the rows of those before, too."""

QUERY_FILE = "_query.json"
"""File inside the sink's folder with the id of the query whose batches are there."""

UNFINISHED = "_unfinished"
"""Folder inside the sink's where batches are written; Spark's readers pass over names that begin so."""


def to_path(
    df: "DataFrame",
    path: str | os.PathLike[str],
    *,
    checkpoint: str | os.PathLike[str],
    trigger: str | None = None,
    name: str | None = None,
    output_mode: str = "append",
) -> RunningQuery:
    """Start a streaming query that writes Parquet files, each micro-batch once however often it is repeated.

    A batch is written to a hidden folder and appears by one rename as `batch_id=<id>`. `session.read.parquet(path)`
    gives each row once, at any time, with the column `batch_id` beside the query's own.

    Args:
        df: A streaming DataFrame without a column `batch_id`.
        path: Folder for the files, on a file system that is mounted here; through Spark Connect on the server, too. The
            master has to be one of this machine, `local[...]` or `local-cluster[...]`.
        checkpoint: Folder of the checkpoint: it belongs to this one query, and outlives the driver.
        trigger: None to begin the next micro-batch at once, `"available_now"` to end when everything that was there at
            the start is done, or an interval such as `"5 seconds"`.
        name: Name of the query in Spark's displays.
        output_mode: `"append"` or `"update"`; in the second a row is what changed in its batch.

    Returns:
        The handle of the running query.

    Raises:
        ArgumentError: A value is none of those above, `df` is no streaming DataFrame or has a column `batch_id`, its
            executors run on other machines, or the checkpoint lies among the files.
        ArgumentTypeError: An argument has the wrong type.
        CheckpointError: The folder holds batches of another query than the checkpoint's.
        FolderInUseError: Another query uses the checkpoint.

    Demand: Spark's; a batch is written by the executors.
    Errors: `RunningQuery.error` and `await_end` give them, as `PipelineError` where a part of ours failed.
    State: Spark's checkpoint, and the folder itself: a batch that is there is not written again, and a file there has
        the id of the query.
    Threads: Spark's own; through Spark Connect a process beside the server.

    Example:
        The guide on sinks has one that is run.
    """
    require_streaming(df, "to_path")
    require_one_disk(df, "to_path")
    require_free_column(df, "to_path")
    folder = checked_folder("path", path)
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


def require_one_disk(df: "DataFrame", sink: str) -> None:
    """Check that the executors write to the disk of the driver, which renames what they have written.

    Raises:
        ArgumentError: Spark runs on a cluster, each of whose nodes has a disk of its own.
    """
    master = df.sparkSession.conf.get("spark.master", None)
    if master is None or not master.startswith("local"):
        raise ArgumentError(
            f"{sink} writes to a folder of this machine, and the executors of the master {master!r} would each write "
            "to their own, where nobody finds the rows; take df.writeStream.format('parquet') with a path on the "
            "storage of the cluster"
        )


def require_apart(folder: Path, checkpoint: Path) -> None:
    """Check that readers of a folder do not take a checkpoint for a part of it.

    Raises:
        ArgumentError: The checkpoint is the folder, or lies in it under a name that readers do not pass over.
    """
    if checkpoint == folder:
        raise ArgumentError(f"files and checkpoint have the same folder, {folder}; give each one its own")
    if checkpoint.is_relative_to(folder) and not checkpoint.relative_to(folder).parts[0].startswith(("_", ".")):
        raise ArgumentError(
            f"the checkpoint {checkpoint} lies among the files in {folder}, whose readers would take it for data; pass "
            "a folder beside it, or one in it whose name begins with '_'"
        )


def require_free_column(df: "DataFrame", sink: str) -> None:
    """Check that a DataFrame has no column of the name that the sink adds.

    Raises:
        ArgumentError: It has one.
    """
    if BATCH_COLUMN in (name.lower() for name in df.columns):
        raise ArgumentError(
            f"{sink} adds the column {BATCH_COLUMN!r}, which df has already; rename it with withColumnRenamed"
        )


class BatchFolder:
    """Writes batches into a folder, each under its id.

    Each query numbers its batches from 0. So the folder belongs to one query, whose id is in a file there: to any other
    one a batch of the same number would seem to be written.

    Args:
        folder: The folder.
        checkpoint: The query's checkpoint.
    """

    def __init__(self, folder: Path, checkpoint: Path) -> None:
        self.folder = folder
        self.checkpoint = checkpoint

    def require_own(self) -> None:
        """Check that the batches that are there, if any, are those of the checkpoint's query.

        Raises:
            CheckpointError: They are not.
        """
        theirs, mine = query_id_in(self.folder / QUERY_FILE), query_id(self.checkpoint)
        has_batches = theirs is not None or any(self.folder.glob(f"{BATCH_COLUMN}=*"))
        # Batches without an id are of an earlier release; a checkpoint without one has never had a batch.
        if has_batches and (mine is None or theirs not in (None, mine)):
            raise CheckpointError(
                f"the folder {self.folder} holds batches of another query than that of the checkpoint "
                f"{self.checkpoint}: each query counts its batches from 0, so that those of this one would be taken "
                "for batches that are there, and lost; pass the checkpoint that belongs to the folder, or another "
                "folder"
            )

    def take(self) -> None:
        """Make the folder the query's, before its first batch is there.

        Raises:
            CheckpointError: It is another query's, or the checkpoint cannot be seen from here.
        """
        mine = query_id(self.checkpoint)
        if mine is None:
            raise CheckpointError(
                f"the checkpoint {self.checkpoint} has no file metadata where its batches are written; put it on a "
                "file system that is mounted there, too"
            )
        self.require_own()
        if not (self.folder / QUERY_FILE).exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            atomic_write(self.folder / QUERY_FILE, json.dumps({"id": mine}).encode(), is_durable=True)

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> bool:
        """Write a batch, unless it is there: then a query that was killed has written it whole.

        Returns:
            Whether the batch was computed.
        """
        self.take()
        place = self.folder / f"{BATCH_COLUMN}={batch_id}"
        if place.is_dir():
            return False
        # What a killed query has left. An executor of it may still write, so no two attempts have one folder.
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
            # A run of this query that Spark has stopped went on, and has written the batch whole meanwhile.
            shutil.rmtree(unfinished, ignore_errors=True)
        sync_folder(self.folder)
        return True


def write_counted(dataframe: "DataFrame", folder: Path) -> int:
    """Write a batch to a new folder, and return how many rows the executors have written there."""
    from pyspark.sql import Observation, functions

    written = Observation()
    counted = dataframe.observe(written, functions.count(functions.lit(1)).alias("rows"))
    counted.write.parquet(spark_path(folder))
    return int(written.get["rows"])


def require_rows(folder: Path, written: int, batch_id: int) -> None:
    """Check that the files that are here hold all rows of a batch.

    Raises:
        SparkJobError: They do not.
    """
    from pyarrow import parquet

    held = sum(parquet.read_metadata(path).num_rows for path in folder.glob("*.parquet"))
    if held != written:
        raise SparkJobError(
            f"the executors wrote {written} rows of batch {batch_id}, and the files in {folder} hold {held}, so that "
            "the batch does not count as done: not all of them write to the disk of this machine; take a folder that "
            "they share"
        )


def sync_file(path: Path) -> None:
    """Make the content of a file durable."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
