"""The egress to a folder of files, one for each batch."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from reactivestreams.arguments import checked_callable
from reactivestreams.engine.batch_folder import BatchFolder
from reactivestreams.engine.egress import DEFAULT_MAX_ROWS

__all__ = ["JsonLinesFolder"]


class JsonLinesFolder(BatchFolder):
    """Write each batch as a file `batch-<number>.jsonl`, a row a line; whole, or not at all.

    A file is written under another name, brought to the disk, and renamed, so readers never see half of one. A batch
    whose file is there is not written again: exactly once as long as nobody takes the newest file away. A folder
    that has a batch with a higher number than the store's last checkpoint raises EgressAheadError when the engine
    starts, since the store was begun anew or comes from a backup.

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

    suffix: ClassVar[str] = ".jsonl"

    def __init__(
        self,
        folder: "str | os.PathLike[str]",
        *,
        encode: Callable[[Any], str] = json.dumps,
        max_rows: int = DEFAULT_MAX_ROWS,
    ) -> None:
        super().__init__(folder, max_rows)
        self._encode = checked_callable(encode, operator="JsonLinesFolder", name="encode")

    def _write_file(self, path: Path, rows: Sequence[Any]) -> None:
        with path.open("w", encoding="utf-8") as file:
            for row in rows:
                file.write(self._encode(row) + "\n")
            file.flush()
            os.fsync(file.fileno())
