"""The store in a SQLite file: survives the death of the process and, as far as the disk keeps its word, of power."""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from reactivestreams.engine.errors import StoreError, StoreFencedError, StoreLockedError
from reactivestreams.engine.file_lock import FileLock
from reactivestreams.engine.store import Checkpoint, CheckpointWrite, Definition, Row, Store, TableWrite
from reactivestreams.errors import ArgumentTypeError

__all__ = ["SqliteStore"]

APPLICATION_ID = 0x52534547  # "RSEG", in the header of the file
FORMAT = "2"
BUSY_TIMEOUT_SECONDS = 10.0
"""How long a transaction waits for a program that reads or copies the file."""

SCHEMA = """
CREATE TABLE engine(key TEXT PRIMARY KEY, value BLOB) STRICT;
CREATE TABLE artifact(id TEXT PRIMARY KEY, kind TEXT NOT NULL, factory TEXT NOT NULL, factory_version INT NOT NULL,
                      arguments BLOB NOT NULL, digest BLOB NOT NULL, created INT NOT NULL, ended INT) STRICT;
CREATE TABLE checkpoint(n INTEGER PRIMARY KEY, kind TEXT NOT NULL, began INT NOT NULL, committed INT NOT NULL,
                        bytes INT NOT NULL, pause_us INT NOT NULL, artifacts TEXT NOT NULL) STRICT;
CREATE TABLE state(artifact TEXT, n INT, snapshot BLOB NOT NULL, PRIMARY KEY(artifact, n)) STRICT, WITHOUT ROWID;
CREATE TABLE input_log(artifact TEXT, position INT, element BLOB NOT NULL, PRIMARY KEY(artifact, position))
    STRICT, WITHOUT ROWID;
CREATE TABLE input_end(artifact TEXT PRIMARY KEY, position INT NOT NULL) STRICT;
CREATE TABLE prepared(egress TEXT, n INT, token BLOB NOT NULL, PRIMARY KEY(egress, n)) STRICT, WITHOUT ROWID;
"""

KEYED_SCHEMA = """
CREATE TABLE keyed(id INTEGER PRIMARY KEY, artifact TEXT NOT NULL, name TEXT NOT NULL, UNIQUE(artifact, name)) STRICT;
CREATE TABLE cell(keyed INT, row INT, n INT NOT NULL, value BLOB NOT NULL, PRIMARY KEY(keyed, row))
    STRICT, WITHOUT ROWID;
CREATE TABLE past_cell(until INT, keyed INT, row INT, n INT NOT NULL, value BLOB NOT NULL,
                       PRIMARY KEY(until, keyed, row)) STRICT, WITHOUT ROWID;
"""
"""Tables of operators, since format 2: `cell` as they are; `past_cell` as they were from checkpoint `n` to `until`."""


class SqliteStore(Store):
    """Keep definitions, checkpoints and logged input in a SQLite file, in WAL mode with `synchronous=FULL`.

    A file `<path>.lock` beside it is locked while an engine uses it; the operating system unlocks it when the process
    dies. Other programs may read the file and copy it with SQLite's own backup while the engine runs.

    Args:
        path: The file; it is made where there is none. Its folder must be on a local disk: locks of network file
            systems do not keep a second host away.

    Raises:
        ArgumentTypeError: The path is no path.

    Threads: any; calls take turns.

    Example:
        >>> import tempfile, os
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = SqliteStore(os.path.join(folder.name, "state.db"))
        >>> store.open()
        1
        >>> store.last_checkpoint() is None, store.verify()
        (True, [])
        >>> store.close()
        >>> folder.cleanup()
    """

    transaction_kind: ClassVar[str] = "sqlite"

    def __init__(self, path: "str | os.PathLike[str]") -> None:
        if not isinstance(path, str | os.PathLike):
            raise ArgumentTypeError(
                f"SqliteStore(path) needs a path, got {path!r} ({type(path).__name__}); pass e.g. 'state.db'"
            )
        self.path: Path = Path(path)
        self._lock = threading.RLock()
        self._file_lock = FileLock(Path(f"{self.path}.lock"))
        self._connection: sqlite3.Connection | None = None
        self._fence = 0

    # --- opening ----------------------------------------------------------------------------------------------------

    def open(self) -> int:
        """Lock the file, make its tables if it is new, and return the fence."""
        with self._lock:
            if self._connection is not None:
                raise StoreLockedError(f"an engine of this process uses {self!r}; stop it first, or take another file")
            if not self._file_lock.acquire():
                raise StoreLockedError(
                    f"another engine uses {self.path}: {self._file_lock.path} is locked by process "
                    f"{self._file_lock.holder()}; stop that engine, or take another file"
                )
            try:
                self._connection = self._connect()
                with self._transaction(checks_fence=False) as connection:
                    self._prepare(connection)
                    self._fence = int(self._setting(connection, "fence") or 0) + 1
                    self._set(connection, "fence", str(self._fence))
            except BaseException as error:
                self.close()
                if isinstance(error, sqlite3.DatabaseError):
                    raise StoreError(
                        f"{self.path} cannot be used as a store: {error}; restore a backup, or take another file"
                    ) from error
                raise
            return self._fence

    def open_to_read(self) -> None:
        """Open the file without locking it, also while an engine uses it; nothing can be written.

        Raises:
            StoreError: There is no such file, or it is that of something else, or of another release.
        """
        with self._lock:
            uri = f"{self.path.absolute().as_uri()}?mode=ro"
            try:
                self._connection = sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_SECONDS, check_same_thread=False)
                (application_id,) = self._connection.execute("PRAGMA application_id").fetchone()
                stored = self._setting(self._connection, "format") if application_id == APPLICATION_ID else None
            except sqlite3.DatabaseError as error:
                self.close()
                raise StoreError(
                    f"{self.path} cannot be read as a store: {error}; give the file of an engine"
                ) from error
            if stored != FORMAT:
                self.close()
                raise StoreError(
                    f"{self.path} is not the store of an engine of this release (application id {application_id:#x}, "
                    f"format {stored}); give another file"
                )

    def close(self) -> None:
        """Close and unlock the file."""
        with self._lock:
            connection, self._connection = self._connection, None
            try:
                if connection is not None:
                    connection.close()
            finally:
                self._file_lock.release()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
        if application_id == APPLICATION_ID:
            stored = self._setting(connection, "format")
            if stored == "1":
                self._run(connection, KEYED_SCHEMA)
                self._set(connection, "format", FORMAT)
            elif stored != FORMAT:
                raise StoreError(
                    f"{self.path} has format {stored}, and this release reads format {FORMAT}; use the release that "
                    f"wrote it"
                )
            return
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application_id or tables:
            raise StoreError(
                f"{self.path} is a database of something else (application id {application_id:#x}, {tables} tables); "
                f"take another file"
            )
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._run(connection, SCHEMA + KEYED_SCHEMA)
        self._set(connection, "format", FORMAT)

    @staticmethod
    def _run(connection: sqlite3.Connection, statements: str) -> None:
        for statement in statements.split(";"):
            if statement.strip():
                connection.execute(statement)

    # --- transactions -------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, *, checks_fence: bool = True) -> Generator[sqlite3.Connection, None, None]:
        with self._lock:
            connection = self._opened()
            connection.execute("BEGIN IMMEDIATE")
            try:
                if checks_fence:
                    fence = int(self._setting(connection, "fence") or 0)
                    if fence != self._fence:
                        raise StoreFencedError(
                            f"{self.path} was opened by another engine (its fence is {fence}, this engine has "
                            f"{self._fence}), which writes to it now; let this one end"
                        )
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # what is wrong is raised already
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                raise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreError(f"{self!r} is not open; an engine opens it when it starts")
        return self._connection

    def _rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._opened().execute(query, parameters).fetchall()

    @staticmethod
    def _setting(connection: sqlite3.Connection, key: str) -> str | None:
        row = connection.execute("SELECT value FROM engine WHERE key = ?", (key,)).fetchone()
        return None if row is None else bytes(row[0]).decode()

    @staticmethod
    def _set(connection: sqlite3.Connection, key: str, value: str) -> None:
        connection.execute(
            "INSERT INTO engine VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
            (key, value.encode()),
        )

    # --- definitions --------------------------------------------------------------------------------------------------

    def definitions(self) -> list[Definition]:
        """Return what is defined, in the order of `created`."""
        return [
            Definition(artifact_id, kind, factory, version, arguments, bytes(digest).decode(), created)
            for artifact_id, kind, factory, version, arguments, digest, created in self._rows(
                "SELECT id, kind, factory, factory_version, arguments, digest, created FROM artifact ORDER BY created"
            )
        ]

    def put_definition(self, definition: Definition) -> None:
        """Add or replace a definition."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO artifact(id, kind, factory, factory_version, arguments, digest, created) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    definition.id,
                    definition.kind,
                    definition.factory,
                    definition.factory_version,
                    definition.arguments,
                    definition.digest.encode(),
                    definition.created,
                ),
            )

    def delete_definition(self, artifact_id: str) -> None:
        """Delete a definition and everything that is stored for it."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM artifact WHERE id = ?", (artifact_id,))
            connection.execute("DELETE FROM state WHERE artifact = ?", (artifact_id,))
            for table in ("cell", "past_cell"):
                connection.execute(
                    f"DELETE FROM {table} WHERE keyed IN (SELECT id FROM keyed WHERE artifact = ?)", (artifact_id,)
                )
            connection.execute("DELETE FROM keyed WHERE artifact = ?", (artifact_id,))
            connection.execute("DELETE FROM prepared WHERE egress = ?", (artifact_id,))
            connection.execute("DELETE FROM input_log WHERE artifact = ?", (artifact_id,))
            connection.execute("DELETE FROM input_end WHERE artifact = ?", (artifact_id,))

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
            "SELECT snapshot FROM state WHERE artifact = ? AND n <= ifnull(?, n) ORDER BY n DESC LIMIT 1",
            artifact_id,
            at,
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
            "SELECT row, value FROM cell WHERE keyed = ?1 AND row > ?2 AND n <= ?4 UNION ALL "
            "SELECT row, value FROM past_cell WHERE keyed = ?1 AND row > ?2 AND n <= ?4 AND until > ?4 "
            "ORDER BY row LIMIT ?3",
            keyed,
            after,
            most,
            at,
        )

    def table_sizes(self, artifact_id: str) -> Mapping[str, tuple[int, int]]:
        """Return for each table of an artifact how many rows it has now, and their bytes."""
        return {
            name: (rows, size)
            for name, rows, size in self._rows(
                "SELECT name, count(*), sum(length(value)) FROM keyed JOIN cell ON cell.keyed = keyed.id "
                "WHERE artifact = ? GROUP BY name ORDER BY name",
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
        with self._transaction() as connection:
            for function in write.writes:
                function(connection)
            connection.executemany(
                "INSERT OR REPLACE INTO state VALUES (?, ?, ?)",
                [(artifact_id, write.number, state) for artifact_id, state in write.states.items()],
            )
            for artifact_id in write.states:
                self._write_tables(connection, write.number, artifact_id, write.tables.get(artifact_id, {}))
            connection.executemany(
                "INSERT OR REPLACE INTO prepared VALUES (?, ?, ?)",
                [(egress_id, write.number, token) for egress_id, token in write.prepared.items()],
            )
            connection.execute(
                "INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?)",
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
    def _write_tables(
        connection: sqlite3.Connection, number: int, artifact_id: str, tables: Mapping[str, TableWrite]
    ) -> None:
        ids = dict(connection.execute("SELECT name, id FROM keyed WHERE artifact = ?", (artifact_id,)).fetchall())
        for name in tables:
            if name not in ids:
                ids[name] = connection.execute(
                    "INSERT INTO keyed(artifact, name) VALUES (?, ?)", (artifact_id, name)
                ).lastrowid
        keep = "INSERT INTO past_cell SELECT ?, keyed, row, n, value FROM cell WHERE keyed = ?"
        for name, keyed in ids.items():
            change = tables.get(name, TableWrite({}, is_whole=True))
            if change.is_whole:
                connection.execute(keep, (number, keyed))
                connection.execute("DELETE FROM cell WHERE keyed = ?", (keyed,))
            else:
                connection.executemany(
                    f"{keep} AND row = ?", [(number, keyed, row) for row in {*change.rows, *change.deleted}]
                )
                connection.executemany(
                    "DELETE FROM cell WHERE keyed = ? AND row = ?", [(keyed, row) for row in change.deleted]
                )
            connection.executemany(
                "INSERT OR REPLACE INTO cell VALUES (?, ?, ?, ?)",
                [(keyed, row, number, value) for row, value in change.rows.items()],
            )

    def prune(self, kept: int) -> None:
        """Delete what only older checkpoints need."""
        with self._transaction() as connection:
            connection.execute(
                "DELETE FROM checkpoint WHERE n NOT IN (SELECT n FROM checkpoint ORDER BY n DESC LIMIT ?)", (kept,)
            )
            connection.execute(
                "DELETE FROM state WHERE n < (SELECT max(n) FROM state AS newer WHERE newer.artifact = state.artifact "
                "AND newer.n <= (SELECT min(n) FROM checkpoint))"
            )
            connection.execute("DELETE FROM past_cell WHERE until <= (SELECT min(n) FROM checkpoint)")

    # --- prepared tokens and input ------------------------------------------------------------------------------------

    def prepared_of(self, egress_id: str) -> list[tuple[int, bytes]]:
        """Return the prepared tokens of an egress that are not settled."""
        return [
            (number, token)
            for number, token in self._rows("SELECT n, token FROM prepared WHERE egress = ? ORDER BY n", egress_id)
        ]

    def settle(self, egress_id: str, number: int) -> None:
        """Forget prepared tokens up to a checkpoint."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM prepared WHERE egress = ? AND n <= ?", (egress_id, number))

    def append_input(self, artifact_id: str, elements: Sequence[bytes]) -> int:
        """Append elements to the input of an artifact; return the position of the last one."""
        with self._transaction() as connection:
            row = connection.execute("SELECT position FROM input_end WHERE artifact = ?", (artifact_id,)).fetchone()
            first = (row[0] if row else 0) + 1
            connection.executemany(
                "INSERT INTO input_log VALUES (?, ?, ?)",
                [(artifact_id, position, element) for position, element in enumerate(elements, first)],
            )
            last = first + len(elements) - 1
            connection.execute("INSERT OR REPLACE INTO input_end VALUES (?, ?)", (artifact_id, last))
        return last

    def read_input(self, artifact_id: str, after: int, most: int) -> list[tuple[int, bytes]]:
        """Return logged elements after a position."""
        return [
            (position, element)
            for position, element in self._rows(
                "SELECT position, element FROM input_log WHERE artifact = ? AND position > ? ORDER BY position LIMIT ?",
                artifact_id,
                after,
                most,
            )
        ]

    def trim_input(self, artifact_id: str, up_to: int) -> None:
        """Delete logged elements up to a position."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM input_log WHERE artifact = ? AND position <= ?", (artifact_id, up_to))

    # --- checks -------------------------------------------------------------------------------------------------------

    def verify(self) -> list[str]:
        """Return what SQLite's `integrity_check` finds, and rows that refer to nothing."""
        try:
            found = [str(row[0]) for row in self._rows("PRAGMA integrity_check") if row[0] != "ok"]
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
        except sqlite3.DatabaseError as error:
            return [f"the file is damaged: {error}"]
        return found

    def __repr__(self) -> str:
        return f"SqliteStore({str(self.path)!r})"
