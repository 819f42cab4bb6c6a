"""The ingress from a table in a SQLite file, by a key that only grows."""

import os
import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from reactivestreams.engine.ingress import DEFAULT_POLL_INTERVAL
from reactivestreams.engine.table_rows import TableRows
from reactivestreams.errors import ArgumentTypeError

__all__ = ["SqliteRows"]

BUSY_TIMEOUT_SECONDS = 1.0
"""How long a read waits for a program that has the file locked; then it is tried again."""


class SqliteRows(TableRows):
    """Send the rows of a table that others insert into, in the order of a key that only grows.

    The key is a whole number that no row has twice, and each new row has a higher one than all before, as the primary
    key of a table with AUTOINCREMENT. Rows that are changed or deleted after they were read are not sent again. The
    file may be any, but not the store of this engine, and its journal mode should be WAL, so that reading does not
    keep others from writing.

    Args:
        path: The file; it may be made later, as may the table.
        table: The name of the table.
        columns: The columns of a row, which is sent as a tuple.
        key: The name of the key.
        follow: Whether to wait for more rows; False: the ingress ends behind the last one.
        poll_interval: After how long the table is looked at again.

    Raises:
        ArgumentTypeError: The path is no path, a name no text, or the interval no timedelta.
        ArgumentError: A name is empty, there is no column, or the interval is not positive.

    State: the key of the last row that was read.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = Path(folder.name) / "shop.db"
        >>> shop = sqlite3.connect(path)
        >>> _ = shop.execute("CREATE TABLE orders(id INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT)")
        >>> _ = shop.execute("INSERT INTO orders(item) VALUES ('tea'), ('cup')")
        >>> shop.commit()
        >>> orders = SqliteRows(path, "orders", ["id", "item"], key="id")
        >>> orders.open(0, None)
        >>> orders.read(9)
        [(1, (1, 'tea')), (2, (2, 'cup'))]
        >>> orders.close()
        >>> shop.close()
        >>> folder.cleanup()
    """

    def __init__(
        self,
        path: "str | os.PathLike[str]",
        table: str,
        columns: Sequence[str],
        *,
        key: str,
        follow: bool = True,
        poll_interval: timedelta = DEFAULT_POLL_INTERVAL,
    ) -> None:
        if not isinstance(path, str | os.PathLike):
            raise ArgumentTypeError(
                f"SqliteRows(path) needs a path, got {path!r} ({type(path).__name__}); pass e.g. 'shop.db'"
            )
        super().__init__(table, columns, key=key, follow=follow, poll_interval=poll_interval)
        self.path: Path = Path(path)
        self._connection: sqlite3.Connection | None = None

    def _found(self, after: int, most: int) -> list[tuple[Any, ...]]:
        try:
            return self._connected().execute(self._select, (after, most)).fetchall() if self._exists() else []
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            return []

    def _exists(self) -> bool:
        return self._connection is not None or self.path.exists()

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            uri = f"{self.path.absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(
                uri, uri=True, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
            )
        return self._connection

    def close(self) -> None:
        """Close the file."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __repr__(self) -> str:
        return f"SqliteRows({str(self.path)!r}, {self.table!r})"
