"""What the egresses to folders have in common: a file for each batch, whole or not there."""

import os
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from reactivestreams.arguments import checked_count
from reactivestreams.engine.egress import IdempotentEgress
from reactivestreams.engine.errors import EgressAheadError
from reactivestreams.errors import ArgumentTypeError

__all__ = ["BatchFolder"]

UNFINISHED = ".unfinished"


class BatchFolder(IdempotentEgress):
    """The base of the egresses to folders: a subclass writes the rows of a batch into files."""

    suffix: ClassVar[str]

    def __init__(self, folder: "str | os.PathLike[str]", max_rows: int) -> None:
        kind = type(self).__name__
        if not isinstance(folder, str | os.PathLike):
            raise ArgumentTypeError(
                f"{kind}(folder) needs a path, got {folder!r} ({type(folder).__name__}); pass e.g. 'results'"
            )
        self.folder: Path = Path(folder)
        self.max_rows: int = checked_count(max_rows, operator=kind, name="max_rows", at_least=2, at_most=2**24)

    @abstractmethod
    def _write_file(self, path: Path, rows: Sequence[Any]) -> None:
        """Write the rows of a file, and bring them to the disk."""

    def open(self) -> None:
        """Make the folder, and delete what a process that died was writing."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.glob(f"batch-*{UNFINISHED}"):
            path.unlink(missing_ok=True)

    def resume(self, last_checkpoint: int) -> None:
        """Raise if there is a batch that is yet to come."""
        newest = max(self.folder.glob(f"batch-*{self.suffix}"), default=None, key=lambda path: path.name)
        if newest is not None and newest.name > f"{_stem(last_checkpoint)}{self.suffix}":
            raise EgressAheadError(
                f"{self!r} has {newest.name}, and the last checkpoint of the store is {last_checkpoint}, so that the "
                f"batches to come would be taken for those that are there; the store was begun anew or comes from a "
                f"backup: take another folder, or move the later files away"
            )

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        """Write the file of a batch, unless it is there."""
        path = self.folder / f"{_stem(batch_id)}{self.suffix}"
        if path.exists():
            return
        unfinished = Path(f"{path}{UNFINISHED}")
        self._write_file(unfinished, rows)
        unfinished.replace(path)
        _sync_folder(self.folder)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.folder)!r})"


def _stem(number: int) -> str:
    return f"batch-{number:012}"


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
