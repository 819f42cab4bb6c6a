"""The egress into a table of the file that is the engine's store."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from reactivestreams.arguments import checked_count
from reactivestreams.engine.egress import DEFAULT_MAX_ROWS, StoreEgress
from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["SqliteTable", "checked_columns", "checked_name", "quoted", "values_of"]

OWN_TABLES = frozenset(
    {"engine", "artifact", "checkpoint", "state", "input_log", "input_end", "prepared", "keyed", "cell", "past_cell"}
)
"""The tables of a `SqliteStore`, which no results go into."""


class SqliteTable(StoreEgress):
    """Append rows to a table of the store's file, in the transaction of their checkpoint: exactly once.

    The table is made when the first row comes, with the columns in their order. A row is a tuple or list of as many
    values, a dict with the names of the columns, or, for one column, a value.

    Args:
        table: Its name.
        columns: The names of its columns, at least one.
        key: The columns that tell rows apart: a row replaces the one with the same values there. Empty: rows are
            appended.
        max_rows: How many rows are held at most until they are stored, from 2.

    Raises:
        ArgumentTypeError: A name is not a text.
        ArgumentError: A name is empty, is there twice or is that of a table of the store; a key is no column.

    Example:
        >>> connection = sqlite3.connect(":memory:")
        >>> totals = SqliteTable("totals", ["airport", "flights"], key=["airport"])
        >>> totals.write_in(connection, 1, [("LHR", 1), {"airport": "ORD", "flights": 5}, ("LHR", 2)])
        >>> connection.execute("SELECT * FROM totals ORDER BY airport").fetchall()
        [('LHR', 2), ('ORD', 5)]
        >>> connection.close()
    """

    transaction_kind: ClassVar[str] = "sqlite"

    def __init__(
        self, table: str, columns: Sequence[str], *, key: Sequence[str] = (), max_rows: int = DEFAULT_MAX_ROWS
    ) -> None:
        self.columns: tuple[str, ...]
        self.columns, self._key = checked_columns(columns, key, operator="SqliteTable")
        self.table: str = checked_name(table, operator="SqliteTable", parameter="table")
        if self.table.lower() in OWN_TABLES or self.table.lower().startswith("sqlite_"):
            raise ArgumentError(
                f"SqliteTable(table) cannot be {table!r}, which is a table of the store itself; take another name"
            )
        self.max_rows: int = checked_count(max_rows, operator="SqliteTable", name="max_rows", at_least=2, at_most=2**24)
        places = ", ".join("?" * len(self.columns))
        self._insert = f"INSERT {'OR REPLACE ' if self._key else ''}INTO {quoted(table)} VALUES ({places})"

    def write_in(self, transaction: Any, batch_id: int, rows: Sequence[Any]) -> None:
        """Insert the rows of a batch."""
        connection = cast("sqlite3.Connection", transaction)
        columns = ", ".join(map(quoted, self.columns))
        primary = f", PRIMARY KEY ({', '.join(map(quoted, self._key))})" if self._key else ""
        connection.execute(f"CREATE TABLE IF NOT EXISTS {quoted(self.table)} ({columns}{primary})")
        connection.executemany(self._insert, [values_of(row, self.columns) for row in rows])

    def __repr__(self) -> str:
        return f"SqliteTable({self.table!r}, {list(self.columns)})"


def checked_name(name: object, *, operator: str, parameter: str) -> str:
    """Check the name of a table or column and return it."""
    if not isinstance(name, str):
        raise ArgumentTypeError(
            f"{operator}({parameter}) needs a text, got {name!r} ({type(name).__name__}); pass e.g. 'totals'"
        )
    if not name or "\0" in name:
        raise ArgumentError(f"{operator}({parameter}) needs a name, got {name!r}; pass e.g. 'totals'")
    return name


def checked_columns(
    columns: Sequence[str], key: Sequence[str], *, operator: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Check the columns of a table, and those of its key, and return both."""
    names = tuple(checked_name(name, operator=operator, parameter="columns") for name in columns)
    if not names or len(set(names)) != len(names):
        raise ArgumentError(
            f"{operator}(columns) needs one name or more, each once, got {list(columns)}; name the columns"
        )
    if not set(key) <= set(names):
        raise ArgumentError(
            f"{operator}(key) needs names of columns, got {list(key)}, and the columns are {list(columns)}; "
            f"name some of these"
        )
    return names, tuple(key)


def values_of(row: Any, columns: Sequence[str]) -> Sequence[Any]:
    """Return the values of a row in the order of columns: of a mapping, of a sequence, or the one value itself."""
    if isinstance(row, Mapping):
        values = cast("Mapping[str, Any]", row)
        return [values[name] for name in columns]
    if isinstance(row, tuple | list):
        return cast("Sequence[Any]", row)
    return (row,)


def quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'
