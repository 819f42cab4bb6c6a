"""The egress to a folder of Parquet files, one for each batch."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from reactivestreams.engine.batch_folder import BatchFolder
from reactivestreams.engine.egress import DEFAULT_MAX_ROWS
from reactivestreams.engine.errors import StoreError
from reactivestreams.errors import ArgumentTypeError

__all__ = ["ParquetFolder"]


class ParquetFolder(BatchFolder):
    """Write each batch as a file `batch-<number>.parquet`; whole, or not at all.

    Exactly once, as `JsonLinesFolder` says: a file is brought to the disk under another name and renamed, one that is
    there is not written again, and a folder with later batches than the store's raises EgressAheadError. A row is a
    dict with the names of the columns; one that does not fit the schema is tried again with its batch, so nothing of
    that is lost.

    Needs the extra `arrow`.

    Args:
        folder: Where the files lie; it is made where there is none.
        schema: A `pyarrow.Schema`, which all files have, so that they can be read as one table.
        max_rows: How many rows are held at most until they are stored, from 2.

    Raises:
        StoreError: pyarrow is not installed.
        ArgumentTypeError: The folder is no path, or the schema none.
        ArgumentError: The number is out of its bounds.

    Example:
        >>> import tempfile
        >>> import pyarrow as pa
        >>> import pyarrow.parquet
        >>> folder = tempfile.TemporaryDirectory()
        >>> rows = ParquetFolder(folder.name, schema=pa.schema({"airport": pa.string(), "flights": pa.int64()}))
        >>> rows.open()
        >>> rows.write(7, [{"airport": "LHR", "flights": 3}, {"airport": "ORD", "flights": 5}])
        >>> [path.name for path in Path(folder.name).iterdir()]
        ['batch-000000000007.parquet']
        >>> pa.parquet.read_table(Path(folder.name, "batch-000000000007.parquet")).to_pylist()
        [{'airport': 'LHR', 'flights': 3}, {'airport': 'ORD', 'flights': 5}]
        >>> folder.cleanup()
    """

    suffix: ClassVar[str] = ".parquet"

    def __init__(self, folder: "str | os.PathLike[str]", *, schema: Any, max_rows: int = DEFAULT_MAX_ROWS) -> None:
        super().__init__(folder, max_rows)
        try:
            import pyarrow as pa
        except ImportError:
            raise StoreError("ParquetFolder needs pyarrow; install reactive-streams-core[arrow]") from None
        if not isinstance(schema, pa.Schema):
            raise ArgumentTypeError(
                f"ParquetFolder(schema) needs a pyarrow.Schema, got {schema!r} ({type(schema).__name__}); pass e.g. "
                f"pyarrow.schema({{'airport': pyarrow.string()}})"
            )
        self._schema: Any = schema

    def _write_file(self, path: Path, rows: Sequence[Any]) -> None:
        import pyarrow as pa
        import pyarrow.parquet

        table: Any = pa.Table.from_pylist(list(rows), schema=self._schema)
        library: Any = pyarrow.parquet
        with path.open("wb") as file:
            library.write_table(table, file)
            file.flush()
            os.fsync(file.fileno())
