"""The store in a PostgreSQL database: survives the death of the process, and of the machine that it ran on."""

import json
import threading
import time
import zlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

from reactivestreams.engine.errors import StoreError, StoreFencedError, StoreLockedError
from reactivestreams.engine.store import Checkpoint, CheckpointWrite, Definition, Row, Store, TableWrite
from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["PostgresStore"]

FORMAT = "2"

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


class PostgresStore(Store):
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
        self.schema: str = schema
        self._conninfo = conninfo
        self._lock = threading.RLock()
        self._connection: Any = None
        self._is_open = False
        self._fence = 0

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
                with self._transaction(checks_fence=False) as connection:
                    self._prepare(connection)
                    self._fence = int(self._setting(connection, "fence") or 0) + 1
                    connection.execute(
                        "INSERT INTO engine VALUES ('fence', %s) "
                        "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                        (str(self._fence),),
                    )
            except BaseException as error:
                self.close()
                if type(error).__module__.partition(".")[0] == "psycopg":
                    raise StoreError(f"{self!r} cannot be used as a store: {error}; look at the database") from error
                raise
            return self._fence

    def close(self) -> None:
        """Disconnect, which unlocks the schema."""
        with self._lock:
            self._is_open = False
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _connected(self) -> Any:
        """Return the connection, or a new one where it was lost."""
        if not self._is_open:
            raise StoreError(f"{self!r} is not open; an engine opens it when it starts")
        if self._connection is not None and not self._connection.closed:
            return self._connection
        try:
            import psycopg
        except ImportError:
            raise StoreError("PostgresStore needs psycopg; install reactive-streams-core[postgres]") from None
        connection: Any = psycopg.connect(self._conninfo, autocommit=True)
        try:
            quoted = self.schema.replace('"', '""')
            connection.execute("SET client_min_messages = warning")
            connection.execute("SET synchronous_commit = on")
            (is_locked,) = connection.execute(
                "SELECT pg_try_advisory_lock(%s, %s)", (0x52534547, zlib.crc32(self.schema.encode()) - 2**31)
            ).fetchone()
            if not is_locked:
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

    def _prepare(self, connection: Any) -> None:
        (tables,) = connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = %s", (self.schema,)
        ).fetchone()
        if not tables:
            connection.execute(TABLES)
            connection.execute(KEYED_TABLES)
            connection.execute("INSERT INTO engine VALUES ('format', %s)", (FORMAT,))
            return
        (is_ours,) = connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = %s "
            "AND tablename IN ('engine', 'artifact', 'checkpoint')",
            (self.schema,),
        ).fetchone()
        stored = self._setting(connection, "format") if is_ours == 3 else None
        if stored == "1":
            connection.execute(KEYED_TABLES)
            connection.execute("UPDATE engine SET value = %s WHERE key = 'format'", (FORMAT,))
        elif stored != FORMAT:
            raise StoreError(
                f"{self!r} is not the store of an engine of this release (it has {tables} tables, format {stored}); "
                f"take another schema, or the release that wrote it"
            )

    # --- transactions -------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, *, checks_fence: bool = True) -> Generator[Any, None, None]:
        with self._lock:
            connection = self._connected()
            connection.execute("BEGIN")
            try:
                if checks_fence:
                    self._require_fence(connection)
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(Exception):  # what is wrong is raised already
                    connection.execute("ROLLBACK")
                raise

    def _require_fence(self, connection: Any) -> None:
        # FOR SHARE: whoever takes the store over waits until this transaction has ended.
        row = connection.execute("SELECT value FROM engine WHERE key = 'fence' FOR SHARE").fetchone()
        fence = 0 if row is None else int(row[0])
        if fence != self._fence:
            raise StoreFencedError(
                f"{self!r} was opened by another engine (its fence is {fence}, this engine has {self._fence}), which "
                f"writes to it now; let this one end"
            )

    @staticmethod
    def _setting(connection: Any, key: str) -> str | None:
        row = connection.execute("SELECT value FROM engine WHERE key = %s", (key,)).fetchone()
        return None if row is None else str(row[0])

    def _rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._lock:
            rows: list[tuple[Any, ...]] = self._connected().execute(query, parameters).fetchall()
            return rows

    # --- definitions --------------------------------------------------------------------------------------------------

    def definitions(self) -> list[Definition]:
        """Return what is defined, in the order of `created`."""
        return [
            Definition(artifact_id, kind, factory, version, arguments, digest, created)
            for artifact_id, kind, factory, version, arguments, digest, created in self._rows(
                "SELECT id, kind, factory, factory_version, arguments, digest, created FROM artifact ORDER BY created"
            )
        ]

    def put_definition(self, definition: Definition) -> None:
        """Add or replace a definition."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM artifact WHERE id = %s", (definition.id,))
            connection.execute(
                "INSERT INTO artifact VALUES (%s, %s, %s, %s, %s, %s, %s)",
                (
                    definition.id,
                    definition.kind,
                    definition.factory,
                    definition.factory_version,
                    definition.arguments,
                    definition.digest,
                    definition.created,
                ),
            )

    def delete_definition(self, artifact_id: str) -> None:
        """Delete a definition and everything that is stored for it."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM artifact WHERE id = %s", (artifact_id,))
            connection.execute("DELETE FROM state WHERE artifact = %s", (artifact_id,))
            for table in ("cell", "past_cell"):
                connection.execute(
                    f"DELETE FROM {table} WHERE keyed IN (SELECT id FROM keyed WHERE artifact = %s)", (artifact_id,)
                )
            connection.execute("DELETE FROM keyed WHERE artifact = %s", (artifact_id,))
            connection.execute("DELETE FROM prepared WHERE egress = %s", (artifact_id,))
            connection.execute("DELETE FROM input_log WHERE artifact = %s", (artifact_id,))
            connection.execute("DELETE FROM input_end WHERE artifact = %s", (artifact_id,))

    # --- checkpoints --------------------------------------------------------------------------------------------------

    def last_checkpoint(self) -> Checkpoint | None:
        """Return the last stored checkpoint, or None."""
        return next(iter(self._checkpoints("LIMIT 1")), None)

    def checkpoints(self) -> list[Checkpoint]:
        """Return the stored checkpoints, the last one first."""
        return self._checkpoints("")

    def _checkpoints(self, limit: str) -> list[Checkpoint]:
        rows = self._rows(
            f"SELECT n, kind, began, committed, bytes, pause_us, artifacts FROM checkpoint ORDER BY n DESC {limit}"
        )
        return [
            Checkpoint(number, kind, began, committed, size, pause, tuple(json.loads(artifacts)))
            for number, kind, began, committed, size, pause, artifacts in rows
        ]

    def state_of(self, artifact_id: str, at: int | None = None) -> bytes | None:
        """Return the newest stored state of an artifact, or that of a checkpoint, or None."""
        rows = self._rows(
            "SELECT snapshot FROM state WHERE artifact = %s AND n <= %s ORDER BY n DESC LIMIT 1",
            artifact_id,
            2**63 - 1 if at is None else at,
        )
        return rows[0][0] if rows else None

    def read_table(self, artifact_id: str, name: str, after: int, most: int, at: int | None = None) -> list[Row]:
        """Return rows of a table of an artifact, each with its number."""
        found = self._rows("SELECT id FROM keyed WHERE artifact = %s AND name = %s", artifact_id, name)
        if not found:
            return []
        (keyed,) = found[0]
        if at is None:
            return self._rows(
                "SELECT row, value FROM cell WHERE keyed = %s AND row > %s ORDER BY row LIMIT %s", keyed, after, most
            )
        return self._rows(
            "SELECT row, value FROM cell WHERE keyed = %s AND row > %s AND n <= %s UNION ALL "
            "SELECT row, value FROM past_cell WHERE keyed = %s AND row > %s AND n <= %s AND until > %s "
            "ORDER BY row LIMIT %s",
            *(keyed, after, at),
            *(keyed, after, at, at),
            most,
        )

    def table_sizes(self, artifact_id: str) -> Mapping[str, tuple[int, int]]:
        """Return for each table of an artifact how many rows it has now, and their bytes."""
        return {
            name: (rows, size)
            for name, rows, size in self._rows(
                "SELECT name, count(*), sum(length(value))::BIGINT FROM keyed JOIN cell ON cell.keyed = keyed.id "
                "WHERE artifact = %s GROUP BY name ORDER BY name",
                artifact_id,
            )
        }

    def state_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Return for each artifact with state the checkpoint that has the newest, and its bytes."""
        return {
            artifact_id: (number, size)
            for artifact_id, number, size in self._rows(
                "SELECT DISTINCT ON (artifact) artifact, n, length(snapshot) FROM state ORDER BY artifact, n DESC"
            )
        }

    def commit(self, write: CheckpointWrite) -> Checkpoint:
        """Store a checkpoint, with what functions write in the same transaction; all of it or nothing."""
        stored = write.stored(time.time_ns())
        with self._transaction() as connection, connection.cursor() as cursor:
            for function in write.writes:
                function(connection)
            cursor.executemany(
                "INSERT INTO state VALUES (%s, %s, %s)",
                [(artifact_id, write.number, state) for artifact_id, state in write.states.items()],
            )
            for artifact_id in write.states:
                self._write_tables(cursor, write.number, artifact_id, write.tables.get(artifact_id, {}))
            cursor.executemany(
                "INSERT INTO prepared VALUES (%s, %s, %s)",
                [(egress_id, write.number, token) for egress_id, token in write.prepared.items()],
            )
            cursor.execute(
                "INSERT INTO checkpoint VALUES (%s, %s, %s, %s, %s, %s, %s)",
                (
                    stored.number,
                    stored.kind,
                    stored.began,
                    stored.committed,
                    stored.size_bytes,
                    stored.pause_microseconds,
                    json.dumps(stored.artifacts),
                ),
            )
        return stored

    @staticmethod
    def _write_tables(cursor: Any, number: int, artifact_id: str, tables: Mapping[str, TableWrite]) -> None:
        ids = dict(cursor.execute("SELECT name, id FROM keyed WHERE artifact = %s", (artifact_id,)).fetchall())
        for name in tables:
            if name not in ids:
                cursor.execute("INSERT INTO keyed(artifact, name) VALUES (%s, %s) RETURNING id", (artifact_id, name))
                (ids[name],) = cursor.fetchone()
        keep = "INSERT INTO past_cell SELECT %s, keyed, row, n, value FROM cell WHERE keyed = %s"
        for name, keyed in ids.items():
            change = tables.get(name, TableWrite({}, is_whole=True))
            if change.is_whole:
                cursor.execute(keep, (number, keyed))
                cursor.execute("DELETE FROM cell WHERE keyed = %s", (keyed,))
            else:
                gone = [*change.rows, *change.deleted]
                cursor.execute(f"{keep} AND row = ANY(%s)", (number, keyed, gone))
                cursor.execute("DELETE FROM cell WHERE keyed = %s AND row = ANY(%s)", (keyed, gone))
            with cursor.copy("COPY cell FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(("int8", "int8", "int8", "bytea"))
                for row, value in change.rows.items():
                    copy.write_row((keyed, row, number, value))

    def prune(self, kept: int) -> None:
        """Delete what only older checkpoints need."""
        with self._transaction() as connection:
            connection.execute(
                "DELETE FROM checkpoint WHERE n NOT IN (SELECT n FROM checkpoint ORDER BY n DESC LIMIT %s)", (kept,)
            )
            connection.execute(
                "DELETE FROM state WHERE n < (SELECT max(n) FROM state AS newer WHERE newer.artifact = state.artifact "
                "AND newer.n <= (SELECT min(n) FROM checkpoint))"
            )
            connection.execute("DELETE FROM past_cell WHERE until <= (SELECT min(n) FROM checkpoint)")

    # --- prepared tokens and input ------------------------------------------------------------------------------------

    def prepared_of(self, egress_id: str) -> list[tuple[int, bytes]]:
        """Return the prepared tokens of an egress that are not settled."""
        rows = self._rows("SELECT n, token FROM prepared WHERE egress = %s ORDER BY n", egress_id)
        return [(number, token) for number, token in rows]

    def settle(self, egress_id: str, number: int) -> None:
        """Forget prepared tokens up to a checkpoint."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM prepared WHERE egress = %s AND n <= %s", (egress_id, number))

    def append_input(self, artifact_id: str, elements: Sequence[bytes]) -> int:
        """Append elements to the input of an artifact; return the position of the last one."""
        with self._transaction() as connection, connection.cursor() as cursor:
            row = cursor.execute("SELECT position FROM input_end WHERE artifact = %s", (artifact_id,)).fetchone()
            first: int = (row[0] if row else 0) + 1
            cursor.executemany(
                "INSERT INTO input_log VALUES (%s, %s, %s)",
                [(artifact_id, position, element) for position, element in enumerate(elements, first)],
            )
            last = first + len(elements) - 1
            cursor.execute(
                "INSERT INTO input_end VALUES (%s, %s) "
                "ON CONFLICT (artifact) DO UPDATE SET position = excluded.position",
                (artifact_id, last),
            )
        return last

    def read_input(self, artifact_id: str, after: int, most: int) -> list[tuple[int, bytes]]:
        """Return logged elements after a position."""
        rows = self._rows(
            "SELECT position, element FROM input_log WHERE artifact = %s AND position > %s ORDER BY position LIMIT %s",
            artifact_id,
            after,
            most,
        )
        return [(position, element) for position, element in rows]

    def trim_input(self, artifact_id: str, up_to: int) -> None:
        """Delete logged elements up to a position."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM input_log WHERE artifact = %s AND position <= %s", (artifact_id, up_to))

    # --- checks -------------------------------------------------------------------------------------------------------

    def verify(self) -> list[str]:
        """Return rows that refer to nothing; damage of its files is found by PostgreSQL's own checksums."""
        found: list[str] = []
        for table, column in (
            ("state", "artifact"),
            ("keyed", "artifact"),
            ("prepared", "egress"),
            ("input_log", "artifact"),
        ):
            found += [
                f"{table} has rows of {row[0]!r}, which is not defined"
                for row in self._rows(
                    f"SELECT DISTINCT {column} FROM {table} WHERE {column} NOT IN (SELECT id FROM artifact)"
                )
            ]
        return found

    def __repr__(self) -> str:
        return f"PostgresStore(schema={self.schema!r})"
