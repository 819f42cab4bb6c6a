"""The store in a PostgreSQL database: survives the death of the process, and of the machine that it ran on."""

import time
import zlib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

from reactivestreams.engine.errors import StoreError, StoreFencedError, StoreLockedError
from reactivestreams.engine.sql_store import SqlStore
from reactivestreams.engine.store import TableWrite
from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["PostgresStore"]

FORMAT = "2"
LOCK_WAIT_SECONDS = 2.0
"""How long an engine that starts waits for the lock: the server needs a moment to see that the last one has died."""

LOCK_LOOK_SECONDS = 0.05

TABLES = """
CREATE TABLE engine(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE artifact(id TEXT PRIMARY KEY, kind TEXT NOT NULL, factory TEXT NOT NULL, factory_version BIGINT NOT NULL,
                      arguments BYTEA NOT NULL, digest TEXT NOT NULL, created BIGINT NOT NULL);
CREATE TABLE checkpoint(n BIGINT PRIMARY KEY, kind TEXT NOT NULL, began BIGINT NOT NULL, committed BIGINT NOT NULL,
                        bytes BIGINT NOT NULL, pause_us BIGINT NOT NULL, artifacts TEXT NOT NULL);
CREATE TABLE state(artifact TEXT, n BIGINT, snapshot BYTEA NOT NULL, PRIMARY KEY(artifact, n));
CREATE TABLE input_log(artifact TEXT, position BIGINT, element BYTEA NOT NULL, PRIMARY KEY(artifact, position));
CREATE TABLE input_end(artifact TEXT PRIMARY KEY, position BIGINT NOT NULL);
CREATE TABLE prepared(egress TEXT, n BIGINT, token BYTEA NOT NULL, PRIMARY KEY(egress, n));
"""

KEYED_TABLES = """
CREATE TABLE keyed(id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, artifact TEXT NOT NULL, name TEXT NOT NULL,
                   UNIQUE(artifact, name));
CREATE TABLE cell(keyed BIGINT, row BIGINT, n BIGINT NOT NULL, value BYTEA NOT NULL, PRIMARY KEY(keyed, row));
CREATE TABLE past_cell(until BIGINT, keyed BIGINT, row BIGINT, n BIGINT NOT NULL, value BYTEA NOT NULL,
                       PRIMARY KEY(until, keyed, row));
"""
"""Tables of operators, since format 2: `cell` as they are; `past_cell` as they were from checkpoint `n` to `until`."""


def connected(conninfo: str, needed_by: str) -> Any:
    """Return a new connection, on which each statement is a transaction unless one was begun."""
    try:
        import psycopg
    except ImportError:
        raise StoreError(f"{needed_by} needs psycopg; install reactive-streams-core[postgres]") from None
    return psycopg.connect(conninfo, autocommit=True)


class PostgresStore(SqlStore):
    """Keep definitions, checkpoints and logged input in a schema of a PostgreSQL database.

    While an engine uses it, its session holds an advisory lock, which the server gives up when the connection ends; so
    a second engine is refused, on any machine. An engine that has lost its connection connects again, and is refused
    when another one has taken the store over meanwhile. Each schema holds the store of one engine.

    Needs the extra `postgres`.

    Args:
        conninfo: Where the database is, as libpq reads it, such as `"host=db.example.org dbname=shop"`.
        schema: The schema; it is made where there is none.

    Raises:
        ArgumentTypeError: An argument is not a text.
        ArgumentError: The name of the schema is empty or too long.

    Threads: any; calls take turns.

    Example:
        >>> PostgresStore("dbname=shop", schema="totals")
        PostgresStore(schema='totals')
    """

    transaction_kind: ClassVar[str] = "postgres"
    parameter_mark: ClassVar[str] = "%s"

    def __init__(self, conninfo: str, *, schema: str = "reactivestreams") -> None:
        for name, value in (("conninfo", conninfo), ("schema", schema)):
            if not isinstance(value, str):
                raise ArgumentTypeError(
                    f"PostgresStore({name}) needs a text, got {value!r} ({type(value).__name__}); pass e.g. "
                    f"'dbname=shop'"
                )
        if not 0 < len(schema.encode()) < 64 or "\0" in schema:
            raise ArgumentError(
                f"PostgresStore(schema) needs a name of 1 to 63 bytes, got {schema!r}; pass e.g. 'reactivestreams'"
            )
        super().__init__()
        self.schema: str = schema
        self._conninfo = conninfo
        self._connection: Any = None
        self._is_open = False
        self._only_reads = False

    # --- opening ----------------------------------------------------------------------------------------------------

    def open(self) -> int:
        """Lock the schema, make its tables if it is new, and return the fence."""
        with self._lock:
            if self._is_open:
                raise StoreLockedError(
                    f"an engine of this process uses {self!r}; stop it first, or take another schema"
                )
            self._is_open = True
            try:
                with self._transaction(checks_fence=False) as cursor:
                    self._prepare(cursor)
                    self._take_fence(cursor)
            except BaseException as error:
                self.close()
                if type(error).__module__.partition(".")[0] == "psycopg":
                    raise StoreError(f"{self!r} cannot be used as a store: {error}; look at the database") from error
                raise
            return self._fence

    def open_to_read(self) -> None:
        """Connect without locking the schema, also while an engine uses it; nothing can be written.

        Raises:
            StoreError: The database does not answer, or the schema is not the store of an engine of this release.
            StoreLockedError: This object is open.
        """
        with self._lock:
            if self._is_open:
                raise StoreLockedError(f"{self!r} is open; close it first, or make another one")
            self._is_open = self._only_reads = True
            try:
                with self._cursor() as cursor:
                    (tables,) = cursor.execute(
                        "SELECT count(*) FROM pg_tables WHERE schemaname = %s AND tablename = 'engine'", (self.schema,)
                    ).fetchone()
                    stored = self._setting(cursor, "format") if tables else None
            except BaseException as error:
                self.close()
                if type(error).__module__.partition(".")[0] == "psycopg":
                    raise StoreError(f"{self!r} cannot be read as a store: {error}; look at the database") from error
                raise
            if stored != FORMAT:
                self.close()
                raise StoreError(
                    f"{self!r} is not the store of an engine of this release (format {stored}); give another schema"
                )

    def close(self) -> None:
        """Disconnect, which unlocks the schema."""
        with self._lock:
            self._is_open = self._only_reads = False
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(Exception):  # the next engine need not wait for the end of the session
                    connection.execute("SELECT pg_advisory_unlock_all()")
                connection.close()

    def _connected(self) -> Any:
        """Return the connection, or a new one where it was lost."""
        if not self._is_open:
            raise StoreError(f"{self!r} is not open; an engine opens it when it starts")
        if self._connection is not None and not self._connection.closed:
            return self._connection
        connection = connected(self._conninfo, "PostgresStore")
        try:
            quoted = self.schema.replace('"', '""')
            connection.execute("SET client_min_messages = warning")
            if self._only_reads:
                connection.execute("SET default_transaction_read_only = on")
            else:
                connection.execute("SET synchronous_commit = on")
                if not self._lock_schema(connection):
                    raise StoreLockedError(
                        f"another engine uses {self!r}: its session holds the advisory lock; stop that engine, or take "
                        f"another schema"
                    )
                connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{quoted}"')
            connection.execute(f'SET search_path TO "{quoted}"')
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _lock_schema(self, connection: Any) -> bool:
        end = time.monotonic() + LOCK_WAIT_SECONDS
        lock = (0x52534547, zlib.crc32(self.schema.encode()) - 2**31)
        while True:
            (is_locked,) = connection.execute("SELECT pg_try_advisory_lock(%s, %s)", lock).fetchone()
            if is_locked or time.monotonic() > end:
                return bool(is_locked)
            time.sleep(LOCK_LOOK_SECONDS)

    def _prepare(self, cursor: Any) -> None:
        (tables,) = cursor.execute("SELECT count(*) FROM pg_tables WHERE schemaname = %s", (self.schema,)).fetchone()
        if not tables:
            cursor.execute(TABLES)
            cursor.execute(KEYED_TABLES)
            self._set(cursor, "format", FORMAT)
            return
        (is_ours,) = cursor.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = %s "
            "AND tablename IN ('engine', 'artifact', 'checkpoint')",
            (self.schema,),
        ).fetchone()
        stored = self._setting(cursor, "format") if is_ours == 3 else None
        if stored == "1":
            cursor.execute(KEYED_TABLES)
            self._set(cursor, "format", FORMAT)
        elif stored != FORMAT:
            raise StoreError(
                f"{self!r} is not the store of an engine of this release (it has {tables} tables, format {stored}); "
                f"take another schema, or the release that wrote it"
            )

    # --- transactions -------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, *, checks_fence: bool = True) -> Generator[Any, None, None]:
        with self._lock, self._cursor() as cursor:
            cursor.execute("BEGIN")
            try:
                if checks_fence:
                    # FOR SHARE: whoever takes the store over waits until this transaction has ended.
                    fence = int(self._setting(cursor, "fence", "FOR SHARE") or 0)
                    if fence != self._fence:
                        raise StoreFencedError(
                            f"{self!r} was opened by another engine (its fence is {fence}, this engine has "
                            f"{self._fence}), which writes to it now; let this one end"
                        )
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                with suppress(Exception):  # what is wrong is raised already
                    cursor.execute("ROLLBACK")
                raise

    def _cursor(self) -> Any:
        return self._connected().cursor()

    def _stored_text(self, text: str) -> str:
        return text

    def _replace_rows(self, cursor: Any, keyed: int, number: int, change: TableWrite) -> None:
        keep = "INSERT INTO past_cell SELECT ?, keyed, row, n, value FROM cell WHERE keyed = ?"
        if change.is_whole:
            self._run(cursor, keep, number, keyed)
            self._run(cursor, "DELETE FROM cell WHERE keyed = ?", keyed)
        else:
            gone = [*change.rows, *change.deleted]
            self._run(cursor, f"{keep} AND row = ANY(?)", number, keyed, gone)
            self._run(cursor, "DELETE FROM cell WHERE keyed = ? AND row = ANY(?)", keyed, gone)
        with cursor.copy("COPY cell FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(("int8", "int8", "int8", "bytea"))
            for row, value in change.rows.items():
                copy.write_row((keyed, row, number, value))

    def __repr__(self) -> str:
        return f"PostgresStore(schema={self.schema!r})"
