"""The folder of a query's checkpoint, before the query starts."""

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
"""Name of Spark's temporary file for the offsets of a batch, and of its checksum."""

MAX_ID_BYTES = 10_000


def locked_checkpoint(checkpoint: Path, session: "SparkSession") -> FolderLock:
    """Make the folder if it is missing, lock it, and remove files that prevent Spark from starting.

    Spark starts a new query only if the folder of offsets is empty. A kill during the first write leaves a temporary
    file there, although nothing was planned. Later such files do no harm.

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
    """Return whether Spark has planned a batch with this checkpoint."""
    return any(file.name.isdigit() for file in (checkpoint / "offsets").glob("[0-9]*"))


def query_id(checkpoint: Path) -> str | None:
    """Return Spark's id of a checkpoint's query; None before its first start."""
    return query_id_in(checkpoint / "metadata")


def query_id_in(file: Path) -> str | None:
    """Return the query id in a file with the format of Spark's file metadata, or None.

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
            f"{file} has no id of a query ({type(error).__name__}: {error}); restore it with its folder, or use new "
            "folders for the files and the checkpoint"
        ) from error
    return str(found)
