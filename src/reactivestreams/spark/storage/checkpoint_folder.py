"""The folder of a query's checkpoint, as who starts the query finds and takes it."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from reactivestreams.spark.errors import CheckpointError
from reactivestreams.spark.storage.folder_lock import FolderLock

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["has_planned", "locked_checkpoint", "query_id", "query_id_in"]

UNFINISHED_OFFSETS = re.compile(r"\.{1,2}\d+\.[0-9a-f-]{36}\.tmp(\.crc)?")
"""Name of a file in which Spark writes the offsets of a batch before it renames it, and of its checksum."""

MAX_ID_BYTES = 10_000


def locked_checkpoint(checkpoint: Path, session: "SparkSession") -> FolderLock:
    """Make the folder if it is missing, take its lock, and remove what would keep Spark from starting.

    Spark starts a first time only where the folder of the offsets is empty. A kill while the first ones were written
    leaves a file there under another name: nothing was planned, and the file says nothing. Later ones do no harm.

    Raises:
        FolderInUseError: Another query uses the checkpoint.
    """
    lock = FolderLock.of_session(checkpoint, session, what="checkpoint")
    try:
        if not has_planned(checkpoint):
            for file in (checkpoint / "offsets").glob(".*"):
                if UNFINISHED_OFFSETS.fullmatch(file.name):
                    file.unlink()
    except BaseException:
        lock.release()
        raise
    return lock


def has_planned(checkpoint: Path) -> bool:
    """Tell whether Spark has planned a batch there."""
    return any(file.name.isdigit() for file in (checkpoint / "offsets").glob("[0-9]*"))


def query_id(checkpoint: Path) -> str | None:
    """Return Spark's id of the query that a checkpoint belongs to; None where no query has begun."""
    return query_id_in(checkpoint / "metadata")


def query_id_in(file: Path) -> str | None:
    """Return the id of a query that a file holds, in the form of Spark's own file; None where there is none.

    Raises:
        CheckpointError: The file is damaged.
    """
    try:
        with file.open("rb") as opened:
            found = json.loads(opened.read(MAX_ID_BYTES))["id"]
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError) as error:
        raise CheckpointError(
            f"{file} has no id of a query ({type(error).__name__}: {error}); restore it with its folder, or take new "
            "folders for files and checkpoint"
        ) from error
    return str(found)
