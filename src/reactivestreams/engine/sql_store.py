"""What the stores in SQL databases have in common: their statements, over tables of the same names and columns."""

import json
import threading
import time
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from reactivestreams.engine.store import Checkpoint, CheckpointWrite, Definition, Row, Store, TableWrite

__all__ = ["SqlStore"]

_REFERRING = (
    ("state", "artifact"),
    ("keyed", "artifact"),
    ("prepared", "egress"),
    ("input_log", "artifact"),
    ("input_end", "artifact"),
)
"""Tables, and the column with the artifact that a row is of."""


class SqlStore(Store):
    """The base of the stores in SQL databases: a subclass connects, makes the tables, and replaces rows of keyed ones.

    The tables are `engine` (settings by key), `artifact`, `checkpoint`, `state`, `input_log`, `input_end`, `prepared`,
    and, for tables of operators, `keyed` (one row for each), `cell` (their rows as they are) and `past_cell` (as they
    were from checkpoint `n` to `until`).

    Statements are written with `?` where a parameter stands. A subclass with another mark names it; its cursors have
    `execute`, which returns the cursor, `executemany` and `connection`, as those of the DB-API in the standard library.
    """

    parameter_mark: ClassVar[str] = "?"

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._fence = 0

    # --- what differs from database to database -----------------------------------------------------------------------

    @abstractmethod
    def _transaction(self, *, checks_fence: bool = True) -> AbstractContextManager[Any]:
        """Return the context of a transaction that has a cursor, under the lock; it is refused to a fenced engine."""

    @abstractmethod
    def _cursor(self) -> Any:
        """Return a cursor to read with; the lock is held."""

    @abstractmethod
    def _stored_text(self, text: str) -> object:
        """Return a text as the columns `engine.value` and `artifact.digest` hold it."""

    @abstractmethod
    def _replace_rows(self, cursor: Any, keyed: int, number: int, change: TableWrite) -> None:
        """Keep rows that change as past ones, delete them, and insert what takes their place."""

    # --- statements ---------------------------------------------------------------------------------------------------

    def _run(self, cursor: Any, statement: str, *parameters: object) -> Any:
        return cursor.execute(statement.replace("?", self.parameter_mark), parameters)

    def _insert_all(self, cursor: Any, insert: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Insert rows of one length; the statement ends before its values."""
        inserted = list(rows)
        if inserted:
            marks = ", ".join([self.parameter_mark] * len(inserted[0]))
            cursor.executemany(f"{insert} VALUES ({marks})", inserted)

    def _rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._lock:
            rows: list[tuple[Any, ...]] = self._run(self._cursor(), query, *parameters).fetchall()
            return rows

    def _setting(self, cursor: Any, key: str, suffix: str = "") -> str | None:
        row = self._run(cursor, f"SELECT CAST(value AS TEXT) FROM engine WHERE key = ? {suffix}", key).fetchone()
        return None if row is None else row[0]

    def _set(self, cursor: Any, key: str, value: str) -> None:
        self._run(
            cursor,
            "INSERT INTO engine VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            key,
            self._stored_text(value),
        )

    def _take_fence(self, cursor: Any) -> None:
        self._fence = int(self._setting(cursor, "fence") or 0) + 1
        self._set(cursor, "fence", str(self._fence))

    # --- definitions --------------------------------------------------------------------------------------------------

    def definitions(self) -> list[Definition]:
        """Return what is defined, in the order of `created`."""
        return [
            Definition(*row)
            for row in self._rows(
                "SELECT id, kind, factory, factory_version, arguments, CAST(digest AS TEXT), created FROM artifact "
                "ORDER BY created"
            )
        ]

    def put_definition(self, definition: Definition) -> None:
        """Add or replace a definition."""
        with self._transaction() as cursor:
            self._run(cursor, "DELETE FROM artifact WHERE id = ?", definition.id)
            self._run(
                cursor,
                "INSERT INTO artifact(id, kind, factory, factory_version, arguments, digest, created) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                definition.id,
                definition.kind,
                definition.factory,
                definition.factory_version,
                definition.arguments,
                self._stored_text(definition.digest),
                definition.created,
            )

    def delete_definition(self, artifact_id: str) -> None:
        """Delete a definition and everything that is stored for it."""
        with self._transaction() as cursor:
            self._run(cursor, "DELETE FROM artifact WHERE id = ?", artifact_id)
            for table in ("cell", "past_cell"):
                self._run(
                    cursor,
                    f"DELETE FROM {table} WHERE keyed IN (SELECT id FROM keyed WHERE artifact = ?)",
                    artifact_id,
                )
            for table, column in _REFERRING:
                self._run(cursor, f"DELETE FROM {table} WHERE {column} = ?", artifact_id)

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
            "SELECT snapshot FROM state WHERE artifact = ? AND n <= ? ORDER BY n DESC LIMIT 1",
            artifact_id,
            2**63 - 1 if at is None else at,
        )
        return rows[0][0] if rows else None

    def read_table(self, artifact_id: str, name: str, after: int, most: int, at: int | None = None) -> list[Row]:
        """Return rows of a table of an artifact, each with its number."""
        found = self._rows("SELECT id FROM keyed WHERE artifact = ? AND name = ?", artifact_id, name)
        if not found:
            return []
        (keyed,) = found[0]
        if at is None:
            return self._rows(
                "SELECT row, value FROM cell WHERE keyed = ? AND row > ? ORDER BY row LIMIT ?", keyed, after, most
            )
        return self._rows(
            "SELECT row, value FROM cell WHERE keyed = ? AND row > ? AND n <= ? UNION ALL "
            "SELECT row, value FROM past_cell WHERE keyed = ? AND row > ? AND n <= ? AND until > ? "
            "ORDER BY row LIMIT ?",
            *(keyed, after, at),
            *(keyed, after, at, at),
            most,
        )

    def table_sizes(self, artifact_id: str) -> Mapping[str, tuple[int, int]]:
        """Return for each table of an artifact how many rows it has now, and their bytes."""
        return {
            name: (rows, size)
            for name, rows, size in self._rows(
                "SELECT name, count(*), CAST(sum(length(value)) AS BIGINT) FROM keyed "
                "JOIN cell ON cell.keyed = keyed.id WHERE artifact = ? GROUP BY name ORDER BY name",
                artifact_id,
            )
        }

    def state_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Return for each artifact with state the checkpoint that has the newest, and its bytes."""
        return {
            artifact_id: (number, size)
            for artifact_id, number, size in self._rows(
                "SELECT artifact, n, length(snapshot) FROM state AS one "
                "WHERE n = (SELECT max(n) FROM state WHERE artifact = one.artifact) ORDER BY artifact"
            )
        }

    def commit(self, write: CheckpointWrite) -> Checkpoint:
        """Store a checkpoint, with what functions write in the same transaction; all of it or nothing."""
        stored = write.stored(time.time_ns())
        with self._transaction() as cursor:
            for function in write.writes:
                function(cursor.connection)
            self._insert_all(
                cursor,
                "INSERT INTO state",
                ((artifact_id, write.number, state) for artifact_id, state in write.states.items()),
            )
            for artifact_id in write.states:
                self._write_tables(cursor, write.number, artifact_id, write.tables.get(artifact_id, {}))
            self._insert_all(
                cursor,
                "INSERT INTO prepared",
                ((egress_id, write.number, token) for egress_id, token in write.prepared.items()),
            )
            self._run(
                cursor,
                "INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?)",
                stored.number,
                stored.kind,
                stored.began,
                stored.committed,
                stored.size_bytes,
                stored.pause_microseconds,
                json.dumps(stored.artifacts),
            )
        return stored

    def _write_tables(self, cursor: Any, number: int, artifact_id: str, tables: Mapping[str, TableWrite]) -> None:
        known = self._run(cursor, "SELECT name, id FROM keyed WHERE artifact = ?", artifact_id).fetchall()
        ids: dict[str, int] = dict(known)
        for name in tables:
            if name not in ids:
                insert = "INSERT INTO keyed(artifact, name) VALUES (?, ?) RETURNING id"
                (ids[name],) = self._run(cursor, insert, artifact_id, name).fetchone()
        for name, keyed in ids.items():
            self._replace_rows(cursor, keyed, number, tables.get(name, TableWrite({}, is_whole=True)))

    def prune(self, kept: int) -> None:
        """Delete what only older checkpoints need."""
        with self._transaction() as cursor:
            self._run(
                cursor, "DELETE FROM checkpoint WHERE n NOT IN (SELECT n FROM checkpoint ORDER BY n DESC LIMIT ?)", kept
            )
            self._run(
                cursor,
                "DELETE FROM state WHERE n < (SELECT max(n) FROM state AS newer WHERE newer.artifact = state.artifact "
                "AND newer.n <= (SELECT min(n) FROM checkpoint))",
            )
            self._run(cursor, "DELETE FROM past_cell WHERE until <= (SELECT min(n) FROM checkpoint)")

    # --- prepared tokens and input ------------------------------------------------------------------------------------

    def prepared_of(self, egress_id: str) -> list[tuple[int, bytes]]:
        """Return the prepared tokens of an egress that are not settled."""
        rows = self._rows("SELECT n, token FROM prepared WHERE egress = ? ORDER BY n", egress_id)
        return [(number, token) for number, token in rows]

    def settle(self, egress_id: str, number: int) -> None:
        """Forget prepared tokens up to a checkpoint."""
        with self._transaction() as cursor:
            self._run(cursor, "DELETE FROM prepared WHERE egress = ? AND n <= ?", egress_id, number)

    def append_input(self, artifact_id: str, elements: Sequence[bytes]) -> int:
        """Append elements to the input of an artifact; return the position of the last one."""
        with self._transaction() as cursor:
            row = self._run(cursor, "SELECT position FROM input_end WHERE artifact = ?", artifact_id).fetchone()
            first: int = (row[0] if row else 0) + 1
            self._insert_all(
                cursor,
                "INSERT INTO input_log",
                ((artifact_id, position, element) for position, element in enumerate(elements, first)),
            )
            last = first + len(elements) - 1
            self._run(
                cursor,
                "INSERT INTO input_end VALUES (?, ?) ON CONFLICT (artifact) DO UPDATE SET position = excluded.position",
                artifact_id,
                last,
            )
        return last

    def read_input(self, artifact_id: str, after: int, most: int) -> list[tuple[int, bytes]]:
        """Return logged elements after a position."""
        rows = self._rows(
            "SELECT position, element FROM input_log WHERE artifact = ? AND position > ? ORDER BY position LIMIT ?",
            artifact_id,
            after,
            most,
        )
        return [(position, element) for position, element in rows]

    def trim_input(self, artifact_id: str, up_to: int) -> None:
        """Delete logged elements up to a position."""
        with self._transaction() as cursor:
            self._run(cursor, "DELETE FROM input_log WHERE artifact = ? AND position <= ?", artifact_id, up_to)

    # --- checks -------------------------------------------------------------------------------------------------------

    def verify(self) -> list[str]:
        """Return rows that refer to nothing."""
        return [
            f"{table} has rows of {row[0]!r}, which is not defined"
            for table, column in _REFERRING
            for row in self._rows(
                f"SELECT DISTINCT {column} FROM {table} WHERE {column} NOT IN (SELECT id FROM artifact)"
            )
        ]
