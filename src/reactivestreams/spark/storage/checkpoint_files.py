"""The files in which Spark notes what a query has planned and done: which of them is damaged."""

import json
from pathlib import Path

from reactivestreams.spark.errors import CheckpointError

__all__ = ["damaged_checkpoint"]

LOGS = ("offsets", "commits")
MAX_LOG_BYTES = 64 * 2**20
"""Largest file that is looked into: Spark's own have some hundred bytes, and a line for each source."""


def damaged_checkpoint(checkpoint: str | Path) -> CheckpointError | None:
    """Return the error for a checkpoint with a damaged file; None where there is none on this machine.

    Spark says of such a file what its decoder says, such as "Input length = 1", and not which file it is.
    """
    folder = Path(checkpoint)
    candidates = [folder / "metadata", *(file for log in LOGS for file in sorted((folder / log).glob("[0-9]*")))]
    for file in candidates:
        try:
            problem = damage_of(file)
        except OSError:
            continue
        if problem:
            return CheckpointError(
                f"the checkpoint's file {file} is damaged: {problem}; restore the checkpoint from a copy, or begin "
                "with a new one"
            )
    return None


def damage_of(file: Path) -> str | None:
    """Return what is wrong with a file of a checkpoint; None where nothing is."""
    with file.open("rb") as opened:
        content = opened.read(MAX_LOG_BYTES)
    try:
        lines = content.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        return f"byte {error.start} is no UTF-8 text"
    if file.name == "metadata":
        entries = lines or [""]
    else:
        version, *entries = lines or [""]
        if not (version[:1] == "v" and version[1:].isdecimal()):
            return f"it begins with {version[:20]!r} instead of a version such as 'v1'"
    for number, entry in enumerate(entries):
        if entry == "-" and file.name != "metadata":
            continue  # of a source that has given nothing yet
        try:
            json.loads(entry)
        except ValueError as error:
            return f"entry {number} is no JSON ({error})"
    return None
