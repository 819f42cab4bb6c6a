"""The write-ahead log: elements of a live publisher are on the disk before Spark plans to read them.

The log is one SQLite database, which gives what a log on one machine needs: a run of elements is there completely or
not at all, also after a power failure, and one process has the file. Each run is a row: its range of elements, their
form, and an Arrow stream with a checksum.

Roles: the bridge of one query appends, reads and trims, from any of its threads; the user reads `end_offset`.
Invariants, true whenever the lock is free:
    I1  the runs follow each other without a gap; each is complete and synced before its range is listed.
    I2  the last run is never trimmed, so that the log knows its end after a restart.
Progress: a thread that waits for the lock waits until one run is written or read.
"""

import os
import sqlite3
import threading
import zlib
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from reactivestreams.arguments import checked_count
from reactivestreams.engine.file_lock import FileLock
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from reactivestreams.spark.errors import FolderInUseError, ReplayError, WriteAheadLogError
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.rows.arrow_stream import stream_buffer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DEFAULT_MAX_SEGMENTS", "ELEMENT_FORMS", "ElementRun", "WriteAheadLog"]

DEFAULT_MAX_SEGMENTS = 1_000
"""Maximum number of runs of a log: one per offset range that is planned and not committed. A query has two or three."""

ELEMENT_FORMS = ("rows", "batches")
"""The forms of a stream's elements for Spark: rows or Arrow batches."""

DATABASE = "elements.db"
FORMAT_VERSION = 2
FORMER_FILES = "*.elements"
"""The files of format version 1."""

LONGEST_RUN_BYTES = 1_000_000_000
"""SQLite's limit of a value."""

NEW_LOG = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS runs (start INTEGER PRIMARY KEY, stop INTEGER, form TEXT, crc INTEGER, content BLOB);
COMMIT;
"""
RUN = "SELECT start, stop, form, crc, content FROM runs "


@dataclass(frozen=True, slots=True)
class ElementRun:
    """The elements with the numbers from `start` up to, not including, `end`, as Arrow batches.

    Args:
        start: Number of the first element.
        end: Number after the last one.
        batches: The elements: one batch per element if the form is `"batches"`, else one row per element.
        form: One of `ELEMENT_FORMS`.
    """

    start: int
    end: int
    batches: "list[pa.RecordBatch]"
    form: str

    def part(self, start: int, end: int) -> "list[pa.RecordBatch]":
        """Return the batches of the run's elements in a range, in order."""
        first, last = max(start, self.start), min(end, self.end)
        if first >= last:
            return []
        if self.form == "batches":
            return self.batches[first - self.start : last - self.start]
        found = []
        position = self.start
        for batch in self.batches:
            low, high = max(first, position), min(last, position + batch.num_rows)
            if low < high:
                found.append(batch.slice(low - position, high - low))
            position += batch.num_rows
        return found


class WriteAheadLog:
    """A folder with the elements that a streaming query has planned and may not have finished.

    Pass it to `to_streaming_dataframe(log=...)`. One process at a time may use a folder.

    Args:
        folder: The folder of the log, on a disk of this machine; it is made if it is missing. It must outlive the
            driver, like the checkpoint.
        max_segments: Maximum number of runs of elements, from 2 to 1,000,000.

    Raises:
        ArgumentTypeError: An argument has the wrong type.
        ArgumentError: The folder is a file, or the count is out of range.
        FolderInUseError: Another process, or another log of this one, uses the folder.
        WriteAheadLogError: The log is damaged, of another version, or cannot be written.

    State: An SQLite database. Its format has a version; its content is Arrow, which does not run code when it is read.
    Threads: Any thread may call any method.

    Example:
        >>> import tempfile
        >>> from reactivestreams.spark import WriteAheadLog
        >>> with tempfile.TemporaryDirectory() as folder, WriteAheadLog(folder) as log:
        ...     log.end_offset
        0
    """

    def __init__(self, folder: str | os.PathLike[str], *, max_segments: int = DEFAULT_MAX_SEGMENTS) -> None:
        if not isinstance(folder, str | os.PathLike):
            raise ArgumentTypeError(f"folder must be a path, got {folder!r}; pass a text or a pathlib.Path")
        if not os.fspath(folder):
            raise ArgumentError("folder must not be empty; pass the path of a folder")
        self.max_segments: int = checked_count(
            max_segments, operator="WriteAheadLog", name="max_segments", at_least=2, at_most=1_000_000
        )
        require_spark()
        self.folder: Path = Path(folder).resolve()
        if self.folder.exists() and not self.folder.is_dir():
            raise ArgumentError(f"folder names {self.folder}, which is a file; pass the path of a folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.guard: threading.RLock = threading.RLock()
        self.ranges: list[tuple[int, int]] = []
        self.lock: FileLock = FileLock(self.folder / "process.lock")
        if not self.lock.acquire():
            raise FolderInUseError(
                f"the write-ahead log {self.folder} is in use by process {self.lock.holder()}; close that log, or use "
                "another folder"
            )
        self.database: sqlite3.Connection = sqlite3.connect(
            self.folder / DATABASE, isolation_level=None, check_same_thread=False
        )
        try:
            self.look_through()
        except sqlite3.Error as error:
            self.close()
            raise self.damaged(str(error)) from error
        except BaseException:
            self.close()
            raise

    @property
    def start_offset(self) -> int:
        """Number of the first element that the log can read again."""
        with self.guard:
            return self.ranges[0][0] if self.ranges else 0

    @property
    def end_offset(self) -> int:
        """Number of the next element: how many elements were appended in total.

        If a publisher resumes here after a restart, no element is lost.
        """
        with self.guard:
            return self.ranges[-1][1] if self.ranges else 0

    def look_through(self) -> None:
        """Open the log, and check that each of its runs can be read."""
        version = self.database.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, FORMAT_VERSION) or any(self.folder.glob(FORMER_FILES)):
            raise WriteAheadLogError(
                f"{self.folder} has format version {version or 1}, but this program reads version {FORMAT_VERSION}; "
                "finish the query with the program that wrote the log"
            )
        # With one process there is no need for shared memory. A commit is synced before it returns.
        self.database.executescript(
            f"PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {NEW_LOG}"
            f"PRAGMA user_version={FORMAT_VERSION}"
        )
        for row in self.database.execute(f"{RUN} ORDER BY start"):
            if self.ranges and self.end_offset != row[0]:
                raise self.damaged(f"it lacks the elements {self.end_offset} to {row[0] - 1}")
            self.decoded(row)
            self.ranges.append((row[0], row[1]))

    def require_fit(self, schema: "pa.Schema", form: str) -> None:
        """Check the schema and the form of the elements in the log.

        Raises:
            WriteAheadLogError: The log has another schema or another form.
        """
        row = self.database.execute(f"{RUN} ORDER BY start DESC LIMIT 1").fetchone()
        if row is None:
            return
        run, logged = self.decoded(row)
        if not logged.equals(schema):
            raise WriteAheadLogError(
                f"{self.folder} contains elements of the schema {one_line(logged)}, but the stream has "
                f"{one_line(schema)}; use the schema that the log was written with, or a new folder and checkpoint"
            )
        if run.form != form:
            raise WriteAheadLogError(
                f"{self.folder} contains elements written with as_={run.form!r}, but the stream has as_={form!r}; "
                "use the same form, or a new folder and checkpoint"
            )

    def append(self, run: ElementRun, schema: "pa.Schema") -> None:
        """Write the next elements; they are on the disk when this returns.

        Raises:
            CapacityError: The log has `max_segments` runs.
            WriteAheadLogError: The write failed, for example because the disk is full. The caller still has the
                elements and may try again.
        """
        content = stream_buffer(run.batches, schema)
        with self.guard:
            if len(self.ranges) >= self.max_segments:
                raise CapacityError(
                    f"the write-ahead log {self.folder} holds {len(self.ranges)} runs, its max_segments: the query "
                    "plans batches but does not commit them; find the reason, or increase max_segments"
                )
            if content.size > LONGEST_RUN_BYTES:
                raise CapacityError(
                    f"the elements {run.start} to {run.end - 1} have {content.size} bytes, but a run in the log has at "
                    f"most {LONGEST_RUN_BYTES}; pass a smaller max_rows to to_streaming_dataframe"
                )
            row = (run.start, run.end, run.form, zlib.crc32(content), memoryview(content))
            try:
                self.database.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?)", row)
            except sqlite3.Error as error:
                raise WriteAheadLogError(
                    f"the elements {run.start} to {run.end - 1} cannot be written to {self.folder}: {error}; free "
                    "space or correct the permissions, and start the query again: they are still held"
                ) from error
            self.ranges.append((run.start, run.end))

    def read(self, start: int, end: int) -> "list[pa.RecordBatch]":
        """Return the elements of a range as batches.

        Raises:
            ReplayError: The log does not contain all of them.
            WriteAheadLogError: A run is damaged.
        """
        with self.guard:
            if start < self.start_offset or end > self.end_offset:
                raise ReplayError(
                    f"the query reads the elements {start} to {end - 1}, but the write-ahead log {self.folder} has "
                    f"{self.start_offset} to {self.end_offset - 1}; use the log and the checkpoint of one query"
                )
            try:
                rows = self.database.execute(f"{RUN} WHERE start < ? AND ? < stop ORDER BY start", (end, start))
                return [batch for row in rows for batch in self.decoded(row)[0].part(start, end)]
            except sqlite3.Error as error:
                raise self.damaged(str(error)) from error

    def resume(self, offset: int) -> None:
        """Resume at an offset of the query: the elements before it were planned, those after it were not.

        Raises:
            ReplayError: The log ends before the offset.
        """
        with self.guard:
            if offset > self.end_offset or (self.ranges and offset < self.start_offset):
                raise ReplayError(
                    f"the query resumes at element {offset}, but the write-ahead log {self.folder} has the elements "
                    f"{self.start_offset} to {self.end_offset - 1}; use the log and the checkpoint of one query"
                )

    def trim(self, before: int) -> None:
        """Remove runs whose elements are all before an offset, except the last run (I2)."""
        with self.guard:
            kept = [(start, end) for start, end in self.ranges[:-1] if end > before] + self.ranges[-1:]
            if len(kept) < len(self.ranges):
                self.database.execute("DELETE FROM runs WHERE start < ?", (kept[0][0],))
                self.ranges = kept

    def decoded(self, row: tuple[Any, ...]) -> "tuple[ElementRun, pa.Schema]":
        """Return the run of a row, and its schema.

        Raises:
            WriteAheadLogError: It is damaged.
        """
        import pyarrow as pa

        start, end, form, checksum, content = row
        if zlib.crc32(content) != checksum:
            raise self.damaged(f"the checksum of the elements {start} to {end - 1} does not match")
        with pa.ipc.open_stream(content) as reader:
            return ElementRun(start, end, list(reader), form), reader.schema

    def damaged(self, reason: str) -> WriteAheadLogError:
        """Return the error for a log that cannot be read."""
        return WriteAheadLogError(
            f"the write-ahead log {self.folder} is damaged: {reason}; restore it from a copy, or restart the query "
            "with an empty log and checkpoint"
        )

    def close(self) -> None:
        """Release the folder for other processes. Further calls do nothing."""
        with self.guard:
            self.database.close()
        self.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"WriteAheadLog({str(self.folder)!r}, elements {self.start_offset} to {self.end_offset})"


def one_line(schema: "pa.Schema") -> str:
    """Return a schema in one line."""
    return ", ".join(f"{field.name} {field.type}" for field in schema)
