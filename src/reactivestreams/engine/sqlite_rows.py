"""The ingress from a table in a SQLite file, by a key that only grows."""

import os
import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from reactivestreams.engine.ingress import DEFAULT_POLL_INTERVAL, Ingress
from reactivestreams.engine.sqlite_table import quoted
from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["SqliteRows"]

BUSY_TIMEOUT_SECONDS = 1.0
"""How long a read waits for a program that has the file locked; then it is tried again."""


class SqliteRows(Ingress):
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
        if not isinstance(poll_interval, timedelta):
            raise ArgumentTypeError(
                f"SqliteRows(poll_interval) needs a timedelta, got {poll_interval!r} "
                f"({type(poll_interval).__name__}); pass e.g. timedelta(seconds=1)"
            )
        if poll_interval <= timedelta():
            raise ArgumentError(f"SqliteRows(poll_interval) needs a time above 0, got {poll_interval}; pass one")
        if isinstance(columns, str) or not columns:
            raise ArgumentError(f"SqliteRows(columns) needs one name or more, got {columns!r}; name the columns")
        for name in (table, key, *columns):
            if not isinstance(name, str):
                raise ArgumentTypeError(
                    f"SqliteRows needs names that are texts, got {name!r} ({type(name).__name__}); pass e.g. 'orders'"
                )
            if not name or "\0" in name:
                raise ArgumentError(f"SqliteRows needs names that are not empty, got {name!r}; pass e.g. 'orders'")
        self.path: Path = Path(path)
        self.table: str = table
        self.poll_interval: timedelta = poll_interval
        self._follow = follow
        # Without the alias SQLite takes the quoted name of a column that is not there for a text.
        key_column, *others = (f"rows.{quoted(name)}" for name in (key, *columns))
        self._select = (
            f"SELECT {key_column}, {', '.join(others)} FROM {quoted(table)} AS rows "
            f"WHERE {key_column} > ? ORDER BY {key_column} LIMIT ?"
        )
        self._connection: sqlite3.Connection | None = None
        self._position = 0
        self._key: int | None = None

    def open(self, position: int, bookmark: Any) -> None:
        """Continue after the row of a position."""
        self._position = position
        self._key = bookmark

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        """Return the next rows."""
        least = -(2**63) if self._key is None else self._key
        try:
            found = self._connected().execute(self._select, (least, max_elements)).fetchall() if self._exists() else []
        except sqlite3.OperationalError as error:
            if "no such table" not in str(error):
                raise
            found = []
        rows: list[tuple[int, Any]] = []
        for key, *row in found:
            if not isinstance(key, int):
                raise ArgumentTypeError(
                    f"{self!r}: the key of a row is {key!r} ({type(key).__name__}); take a column of whole numbers "
                    f"that only grow"
                )
            rows.append((self._position + len(rows) + 1, tuple(row)))
            self._key = key
        self._position += len(rows)
        return None if not rows and not self._follow else rows

    def _exists(self) -> bool:
        return self._connection is not None or self.path.exists()

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            uri = f"{self.path.absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(
                uri, uri=True, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
            )
        return self._connection

    @property
    def bookmark(self) -> Any:
        """The key of the last row; None before the first one."""
        return self._key

    def close(self) -> None:
        """Close the file."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __repr__(self) -> str:
        return f"SqliteRows({str(self.path)!r}, {self.table!r})"
