"""The folder of a query's checkpoint: what is looked up before Spark uses it, and what a failure there means.

Spark itself keeps two queries apart: within a session it knows which run, and of two drivers only one can write the
file of a batch's offsets. So nothing is locked here.
"""

import json
import re
from typing import TYPE_CHECKING

from reactivestreams.spark.errors import CheckpointError, FolderInUseError
from reactivestreams.spark.failures import failure_text
from reactivestreams.spark.storage.file_system import FileSystem, file_system, require_listing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["checkpoint_error", "prepare_checkpoint", "query_id", "query_id_in", "written_query_id"]

UNFINISHED_OFFSETS = re.compile(r"\.{1,2}\d+\.[0-9a-f-]{36}\.tmp(\.crc)?")
"""Name of Spark's temporary file for the offsets of a batch, and of its checksum."""

LOGS = ("offsets", "commits")
FENCED = ("CONCURRENT_STREAM_LOG_UPDATE", "Multiple streaming queries are concurrently using")
"""Spark's errors for a driver that finds a batch in the log which it did not write: before it writes, and meanwhile."""


def prepare_checkpoint(checkpoint: str, session: "SparkSession") -> None:
    """Check that no query of the session uses a checkpoint, and remove files that prevent Spark from starting.

    Spark starts a new query only if the folder of offsets is empty. A kill during the first write leaves a temporary
    file there, although nothing was planned. Later such files do no harm.

    Raises:
        FolderInUseError: Another query uses the checkpoint.
        CheckpointError: The file with the id of the query is damaged.
        OSError: The file system failed, or lists late.
    """
    require_listing(checkpoint, session)
    files = file_system(checkpoint, session)
    mine = query_id(checkpoint, files)
    if mine is not None and any(str(query.id) == mine for query in session.streams.active):
        raise FolderInUseError(
            f"the checkpoint {checkpoint} is already in use by a query of the same session; stop that query, or use "
            "another folder"
        )
    offsets = files.names(f"{checkpoint}/offsets")
    if not any(map(str.isdigit, offsets)):
        for name in filter(UNFINISHED_OFFSETS.fullmatch, offsets):
            files.delete(f"{checkpoint}/offsets/{name}")


def query_id(checkpoint: str, files: FileSystem) -> str | None:
    """Return Spark's id of a checkpoint's query; None before its first start."""
    return query_id_in(f"{checkpoint}/metadata", files)


def written_query_id(checkpoint: str, session: "SparkSession") -> str:
    """Return Spark's id of a running query, where its batches are written.

    Raises:
        CheckpointError: This process cannot read the checkpoint.
        OSError: The file system failed.
    """
    mine = query_id(checkpoint, file_system(checkpoint, session))
    if mine is None:
        raise CheckpointError(
            f"the checkpoint {checkpoint} has no file metadata on the machine that writes batches; put it on a file "
            "system that is mounted there, too"
        )
    return mine


def query_id_in(file: str, files: FileSystem) -> str | None:
    """Return the query id in a file with the format of Spark's file metadata; None if it is missing or empty.

    Raises:
        CheckpointError: The file is damaged.
    """
    content = files.read(file)
    if not content:
        return None
    try:
        return str(json.loads(content)["id"])
    except (ValueError, TypeError, KeyError) as error:
        raise CheckpointError(
            f"{file} has no id of a query ({type(error).__name__}: {error}); restore it with its folder, or use new "
            "folders for the files and the checkpoint"
        ) from error


def checkpoint_error(
    checkpoint: str, session: "SparkSession", error: BaseException
) -> CheckpointError | FolderInUseError | None:
    """Return the error for a query that failed because of its checkpoint, or None."""
    said = failure_text(error)
    if any(mark in said for mark in FENCED):
        return FolderInUseError(
            f"another driver runs a query with the checkpoint {checkpoint}, and has planned the same batch, so this "
            "query was stopped, and nothing is lost; stop one of the drivers, and start the query again"
        )
    try:
        return damaged_checkpoint(checkpoint, file_system(checkpoint, session))
    except Exception:
        # The storage, the session or the JVM is gone, which the other error says.
        return None


def damaged_checkpoint(checkpoint: str, files: FileSystem) -> CheckpointError | None:
    """Return the error for a checkpoint with a damaged file, or None.

    Spark reports the message of its decoder, such as "Input length = 1", but not the name of the file.
    """
    for log in LOGS:
        for name in sorted(files.names(f"{checkpoint}/{log}")):
            file = f"{checkpoint}/{log}/{name}"
            problem = damage_of(files.read(file) or b"") if name.isdigit() else None
            if problem:
                return CheckpointError(
                    f"the checkpoint's file {file} is damaged: {problem}; restore the checkpoint from a copy, or start "
                    "with a new one"
                )
    return None


def damage_of(content: bytes) -> str | None:
    """Return the damage of a file with the offsets or the commit of a batch, or None."""
    try:
        version, *entries = content.decode("utf-8").splitlines() or [""]
    except UnicodeDecodeError as error:
        return f"byte {error.start} is no UTF-8 text"
    if not re.fullmatch(r"v\d+", version):
        return f"it begins with {version[:20]!r} instead of a version such as 'v1'"
    for number, entry in enumerate(entries):
        try:
            if entry != "-":  # a source without data so far
                json.loads(entry)
        except ValueError as error:
            return f"entry {number} is no JSON ({error})"
    return None
