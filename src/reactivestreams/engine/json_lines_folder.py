"""The egress to a folder of files, one for each batch."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.engine.egress import DEFAULT_MAX_ROWS, IdempotentEgress
from reactivestreams.errors import ArgumentTypeError

__all__ = ["JsonLinesFolder"]

UNFINISHED = ".unfinished"


class JsonLinesFolder(IdempotentEgress):
    """Write each batch as a file `batch-<number>.jsonl`, a row a line; whole, or not at all.

    A file is written under another name, brought to the disk, and renamed, so readers never see half of one. A batch
    whose file is there is not written again: exactly once as long as nobody takes the newest file away.

    Args:
        folder: Where the files lie; it is made where there is none.
        encode: Returns the line of a row, without line feeds; by default that of `json.dumps`.
        max_rows: How many rows are held at most until they are stored, from 2.

    Raises:
        ArgumentTypeError: The folder is no path, or the function cannot be called.
        ArgumentError: The number is out of its bounds.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> rows = JsonLinesFolder(folder.name)
        >>> rows.open()
        >>> rows.write(7, [{"airport": "LHR"}, {"airport": "ORD"}])
        >>> [path.name for path in Path(folder.name).iterdir()]
        ['batch-000000000007.jsonl']
        >>> folder.cleanup()
    """

    def __init__(
        self,
        folder: "str | os.PathLike[str]",
        *,
        encode: Callable[[Any], str] = json.dumps,
        max_rows: int = DEFAULT_MAX_ROWS,
    ) -> None:
        if not isinstance(folder, str | os.PathLike):
            raise ArgumentTypeError(
                f"JsonLinesFolder(folder) needs a path, got {folder!r} ({type(folder).__name__}); pass e.g. 'results'"
            )
        self.folder: Path = Path(folder)
        self.max_rows: int = checked_count(
            max_rows, operator="JsonLinesFolder", name="max_rows", at_least=2, at_most=2**24
        )
        self._encode = checked_callable(encode, operator="JsonLinesFolder", name="encode")

    def open(self) -> None:
        """Make the folder, and delete what a process that died was writing."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.glob(f"batch-*{UNFINISHED}"):
            path.unlink(missing_ok=True)

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        """Write the file of a batch, unless it is there."""
        path = self.folder / f"batch-{batch_id:012}.jsonl"
        if path.exists():
            return
        unfinished = Path(f"{path}{UNFINISHED}")
        with unfinished.open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(self._encode(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
        _sync_folder(self.folder)

    def __repr__(self) -> str:
        return f"JsonLinesFolder({str(self.folder)!r})"


def _sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    with suppress(OSError):  # Windows opens no folders
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
