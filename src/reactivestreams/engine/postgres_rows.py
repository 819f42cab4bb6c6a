"""The ingress from a table in a PostgreSQL database, by a key that only grows."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, ClassVar

from reactivestreams.engine.ingress import DEFAULT_POLL_INTERVAL
from reactivestreams.engine.postgres_store import connected
from reactivestreams.engine.sqlite_table import checked_name
from reactivestreams.engine.table_rows import TableRows
from reactivestreams.errors import ArgumentTypeError

__all__ = ["PostgresRows"]

LOCK_TIMEOUT_MILLISECONDS = 100
"""How long a read waits for transactions that insert; then it is tried again, after `poll_interval`."""

_NOT_NOW = ("LockNotAvailable", "UndefinedTable", "InvalidSchemaName", "DeadlockDetected")


class PostgresRows(TableRows):
    """Send the rows of a table that others insert into, in the order of a key that only grows.

    The key is a whole number that no row has twice, and each new row has a higher one than all before, as an identity
    column has. Rows that are changed or deleted after they were read are not sent again.

    A transaction may commit a lower key after another one has committed a higher key. So that none is left out, a read
    takes the lock of the table that inserting transactions exclude (`SHARE`), for as long as it needs to read some
    rows: it waits until they have ended, 100 ms at most, in which new ones wait behind it. Then it gives way, and tries
    again after `poll_interval`. A transaction that takes its keys from the sequence before it inserts anything must
    lock the table itself.

    Needs the extra `postgres`, and the right to lock the table: `SELECT` and `UPDATE`.

    Args:
        conninfo: Where the database is, as libpq reads it, such as `"host=db.example.org dbname=shop"`.
        table: The name of the table, which may be made later.
        columns: The columns of a row, which is sent as a tuple.
        key: The name of the key.
        schema: The schema of the table.
        follow: Whether to wait for more rows; False: the ingress ends behind the last one.
        poll_interval: After how long the table is looked at again.

    Raises:
        ArgumentTypeError: A name or `conninfo` is no text, or the interval no timedelta.
        ArgumentError: A name is empty, there is no column, or the interval is not positive.

    State: the key of the last row that was read.

    Example:
        >>> PostgresRows("dbname=shop", "orders", ["item"], key="id")
        PostgresRows('orders')
    """

    parameter_mark: ClassVar[str] = "%s"

    def __init__(
        self,
        conninfo: str,
        table: str,
        columns: Sequence[str],
        *,
        key: str,
        schema: str = "public",
        follow: bool = True,
        poll_interval: timedelta = DEFAULT_POLL_INTERVAL,
    ) -> None:
        if not isinstance(conninfo, str):
            raise ArgumentTypeError(
                f"PostgresRows(conninfo) needs a text, got {conninfo!r} ({type(conninfo).__name__}); pass e.g. "
                f"'dbname=shop'"
            )
        self.schema: str = checked_name(schema, operator="PostgresRows", parameter="schema")
        super().__init__(table, columns, key=key, follow=follow, poll_interval=poll_interval, schema=schema)
        self._statements = (
            f"SET LOCAL lock_timeout = {LOCK_TIMEOUT_MILLISECONDS}",
            f"LOCK TABLE {self._from} IN SHARE MODE",
        )
        self._conninfo = conninfo
        self._connection: Any = None

    def _found(self, after: int, most: int) -> list[tuple[Any, ...]] | None:
        connection = self._connected()
        import psycopg

        try:
            with connection.transaction():
                for statement in self._statements:
                    connection.execute(statement)
                # A snapshot of its own, taken after the lock: it sees all that was inserted before.
                rows: list[tuple[Any, ...]] = connection.execute(self._select, (after, most)).fetchall()
                return rows
        except psycopg.Error as error:
            if type(error).__name__ not in _NOT_NOW:
                raise
            return None

    def _connected(self) -> Any:
        if self._connection is None or self._connection.closed:
            self._connection = connected(self._conninfo, "PostgresRows")
        return self._connection

    def close(self) -> None:
        """Disconnect."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def __repr__(self) -> str:
        return f"PostgresRows({self.table!r})"
