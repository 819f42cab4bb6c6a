"""The store in a SQLite file: survives the death of the process and, as far as the disk keeps its word, of power."""

import os
import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain, islice
from pathlib import Path
from typing import ClassVar, TypeVar

from reactivestreams.engine.errors import StoreError, StoreFencedError, StoreLockedError
from reactivestreams.engine.file_lock import FileLock
from reactivestreams.engine.sql_store import SqlStore
from reactivestreams.engine.store import TableWrite
from reactivestreams.errors import ArgumentTypeError

__all__ = ["SqliteStore"]

T = TypeVar("T")

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


ROWS_AT_ONCE = 1_000
"""How many rows one statement writes: a statement gives the GIL away at each of its steps, and gets it back only after
milliseconds where a query computes. The connection keeps up to 128 statements, of which each takes 0.1 MB or so."""


def _batches(rows: Iterable[T]) -> Iterator[list[T]]:
    left = iter(rows)
    while batch := list(islice(left, ROWS_AT_ONCE)):
        yield batch


def _marks(count: int) -> str:
    return ", ".join("?" * count)


class SqliteStore(SqlStore):
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
        super().__init__()
        self.path: Path = Path(path)
        self._file_lock = FileLock(Path(f"{self.path}.lock"))
        self._connection: sqlite3.Connection | None = None

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
                with self._transaction(checks_fence=False) as cursor:
                    self._prepare(cursor)
                    self._take_fence(cursor)
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
                cursor = self._connection.cursor()
                (application_id,) = cursor.execute("PRAGMA application_id").fetchone()
                stored = self._setting(cursor, "format") if application_id == APPLICATION_ID else None
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

    def _prepare(self, cursor: sqlite3.Cursor) -> None:
        (application_id,) = cursor.execute("PRAGMA application_id").fetchone()
        if application_id == APPLICATION_ID:
            stored = self._setting(cursor, "format")
            if stored == "1":
                self._make_tables(cursor, KEYED_SCHEMA)
                self._set(cursor, "format", FORMAT)
            elif stored != FORMAT:
                raise StoreError(
                    f"{self.path} has format {stored}, and this release reads format {FORMAT}; use the release that "
                    f"wrote it"
                )
            return
        (tables,) = cursor.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if application_id or tables:
            raise StoreError(
                f"{self.path} is a database of something else (application id {application_id:#x}, {tables} tables); "
                f"take another file"
            )
        cursor.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._make_tables(cursor, SCHEMA + KEYED_SCHEMA)
        self._set(cursor, "format", FORMAT)

    @staticmethod
    def _make_tables(cursor: sqlite3.Cursor, statements: str) -> None:
        for statement in statements.split(";"):
            if statement.strip():
                cursor.execute(statement)

    # --- transactions -------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, *, checks_fence: bool = True) -> Generator[sqlite3.Cursor, None, None]:
        with self._lock:
            cursor = self._cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                if checks_fence:
                    fence = int(self._setting(cursor, "fence") or 0)
                    if fence != self._fence:
                        raise StoreFencedError(
                            f"{self.path} was opened by another engine (its fence is {fence}, this engine has "
                            f"{self._fence}), which writes to it now; let this one end"
                        )
                yield cursor
                cursor.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # what is wrong is raised already
                    if cursor.connection.in_transaction:
                        cursor.execute("ROLLBACK")
                raise

    def _cursor(self) -> sqlite3.Cursor:
        if self._connection is None:
            raise StoreError(f"{self!r} is not open; an engine opens it when it starts")
        return self._connection.cursor()

    def _stored_text(self, text: str) -> bytes:
        return text.encode()

    def _replace_rows(self, cursor: sqlite3.Cursor, keyed: int, number: int, change: TableWrite) -> None:
        keep = "INSERT INTO past_cell SELECT ?, keyed, row, n, value FROM cell WHERE keyed = ?"
        if change.is_whole:
            self._run(cursor, keep, number, keyed)
            self._run(cursor, "DELETE FROM cell WHERE keyed = ?", keyed)
        else:
            for rows in _batches({*change.rows, *change.deleted}):
                self._run(cursor, f"{keep} AND row IN ({_marks(len(rows))})", number, keyed, *rows)
            for rows in _batches(change.deleted):
                self._run(cursor, f"DELETE FROM cell WHERE keyed = ? AND row IN ({_marks(len(rows))})", keyed, *rows)
        cells = ((keyed, row, number, value) for row, value in change.rows.items())
        self._insert_all(cursor, "INSERT OR REPLACE INTO cell", cells)

    def _insert_all(self, cursor: sqlite3.Cursor, insert: str, rows: Iterable[tuple[object, ...]]) -> None:
        for batch in _batches(rows):
            places = ", ".join([f"({_marks(len(batch[0]))})"] * len(batch))
            cursor.execute(f"{insert} VALUES {places}", [*chain.from_iterable(batch)])

    # --- checks -------------------------------------------------------------------------------------------------------

    def verify(self) -> list[str]:
        """Return what SQLite's `integrity_check` finds, and rows that refer to nothing."""
        try:
            found = [str(row[0]) for row in self._rows("PRAGMA integrity_check") if row[0] != "ok"]
            return found + super().verify()
        except sqlite3.DatabaseError as error:
            return [f"the file is damaged: {error}"]

    def __repr__(self) -> str:
        return f"SqliteStore({str(self.path)!r})"
