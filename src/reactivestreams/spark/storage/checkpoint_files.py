"""Damaged files in a checkpoint."""

import json
from pathlib import Path

from reactivestreams.spark.errors import CheckpointError

__all__ = ["damaged_checkpoint"]

LOGS = ("offsets", "commits")
MAX_LOG_BYTES = 64 * 2**20
"""Largest file that is checked; Spark's files have some hundred bytes and one line per source."""


def damaged_checkpoint(checkpoint: str | Path) -> CheckpointError | None:
    """Return the error for a checkpoint with a damaged file; None if no file on this machine is damaged.

    Spark reports the message of its decoder, such as "Input length = 1", but not the name of the file.
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
                f"the checkpoint's file {file} is damaged: {problem}; restore the checkpoint from a copy, or start "
                "with a new one"
            )
    return None


def damage_of(file: Path) -> str | None:
    """Return the damage of a file of a checkpoint, or None."""
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
            continue  # a source without data so far
        try:
            json.loads(entry)
        except ValueError as error:
            return f"entry {number} is no JSON ({error})"
    return None
