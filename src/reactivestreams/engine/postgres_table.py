"""The egress into a table of the PostgreSQL database that has the engine's store."""

from collections.abc import Sequence
from typing import Any, ClassVar

from reactivestreams.arguments import checked_count
from reactivestreams.engine.egress import DEFAULT_MAX_ROWS, StoreEgress
from reactivestreams.engine.sqlite_table import checked_columns, checked_name, quoted, values_of

__all__ = ["PostgresTable"]


class PostgresTable(StoreEgress):
    """Insert rows into a table of the store's database, in the transaction of their checkpoint: exactly once.

    The table is there before the first row comes, since the engine does not know the types of its columns. A row is a
    tuple or list of values, a dict with the names of the columns, or, for one column, a value.

    Args:
        table: Its name.
        columns: The columns that are inserted, at least one.
        schema: The schema of the table, which is not that of the store.
        key: The columns of a unique constraint: a row replaces the one with the same values there. Empty: rows are
            appended.
        max_rows: How many rows are held at most until they are stored, from 2.

    Raises:
        ArgumentTypeError: A name is not a text.
        ArgumentError: A name is empty or there twice; a key is no column, or a number is out of its bounds.

    Example:
        >>> PostgresTable("totals", ["airport", "flights"], key=["airport"])
        PostgresTable('totals', ['airport', 'flights'])
    """

    transaction_kind: ClassVar[str] = "postgres"

    def __init__(
        self,
        table: str,
        columns: Sequence[str],
        *,
        schema: str = "public",
        key: Sequence[str] = (),
        max_rows: int = DEFAULT_MAX_ROWS,
    ) -> None:
        self.table: str = checked_name(table, operator="PostgresTable", parameter="table")
        self.schema: str = checked_name(schema, operator="PostgresTable", parameter="schema")
        self.columns: tuple[str, ...]
        self.columns, own_key = checked_columns(columns, key, operator="PostgresTable")
        self.max_rows: int = checked_count(
            max_rows, operator="PostgresTable", name="max_rows", at_least=2, at_most=2**24
        )
        names = ", ".join(map(_escaped, self.columns))
        places = ", ".join(["%s"] * len(self.columns))
        self._insert = f"INSERT INTO {_escaped(schema)}.{_escaped(table)} ({names}) VALUES ({places})"
        if own_key:
            others = [name for name in self.columns if name not in own_key]
            changes = ", ".join(f"{_escaped(name)} = excluded.{_escaped(name)}" for name in others)
            target = ", ".join(map(_escaped, own_key))
            self._insert += f" ON CONFLICT ({target}) DO {f'UPDATE SET {changes}' if others else 'NOTHING'}"

    def write_in(self, transaction: Any, batch_id: int, rows: Sequence[Any]) -> None:
        """Insert the rows of a batch."""
        with transaction.cursor() as cursor:
            cursor.executemany(self._insert, [values_of(row, self.columns) for row in rows])

    def __repr__(self) -> str:
        return f"PostgresTable({self.table!r}, {list(self.columns)})"


def _escaped(name: str) -> str:
    """Return a name as SQL has it, in a query with places for values."""
    return quoted(name).replace("%", "%%")
