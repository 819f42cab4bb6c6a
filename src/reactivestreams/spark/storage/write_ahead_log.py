"""The write-ahead log: elements of a live publisher are on the disk before Spark plans to read them.

Roles: the bridge of one query appends, reads and trims, from any of its threads; the user reads `end_offset`.
Invariants, true whenever the lock is free:
    I1  the segments follow each other without a gap; each file is complete and synced before its range is listed.
    I2  the last segment is never trimmed, so that the log knows its end after a restart.
    I3  a damaged last file is kept until the query resumes at an offset, which shows whether the file was planned.
Progress: a thread that waits for the lock waits until one file is written or read.
"""

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from reactivestreams.arguments import checked_count
from reactivestreams.engine.file_lock import FileLock
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from reactivestreams.spark.errors import FolderInUseError, ReplayError, WriteAheadLogError
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.storage.element_run import ElementRun
from reactivestreams.spark.storage.segment_file import (
    SEGMENT_SUFFIX,
    UNFINISHED_SUFFIX,
    read_segment,
    segment_name,
    write_segment,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DEFAULT_MAX_SEGMENTS", "WriteAheadLog"]

DEFAULT_MAX_SEGMENTS = 1_000
"""Maximum number of files of a log: one per offset range that is planned and not committed. A query has two or
three."""


class WriteAheadLog:
    """A folder with the elements that a streaming query has planned and may not have finished.

    Pass it to `to_streaming_dataframe(log=...)`. One process at a time may use a folder.

    Args:
        folder: The folder of the files; it is made if it is missing. It must outlive the driver, like the checkpoint.
        max_segments: Maximum number of files, from 2 to 1,000,000.

    Raises:
        ArgumentTypeError: An argument has the wrong type.
        ArgumentError: The folder is a file, or the count is out of range.
        FolderInUseError: Another process, or another log of this one, uses the folder.
        WriteAheadLogError: A file is damaged, or one is missing.

    State: The files. Their format has a version; their content is Arrow, which does not run code when it is read.
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
        self.schema: pa.Schema | None = None
        self.form: str | None = None
        self.torn: tuple[int, WriteAheadLogError] | None = None
        self.lock: FileLock = FileLock(self.folder / "process.lock")
        if not self.lock.acquire():
            raise FolderInUseError(
                f"the write-ahead log {self.folder} is in use by process {self.lock.holder()}; close that log, or use "
                "another folder"
            )
        try:
            self.look_through()
        except BaseException:
            self.lock.release()
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
        """Read the folder, check each file, and record a damaged last file (I3)."""
        for path in self.folder.glob(f"*{UNFINISHED_SUFFIX}"):
            # Never renamed, so never planned.
            path.unlink()
        paths = sorted(self.folder.glob(f"*{SEGMENT_SUFFIX}"))
        for position, path in enumerate(paths):
            start, end = named_range(path)
            if self.ranges and self.ranges[-1][1] != start:
                raise WriteAheadLogError(
                    f"{self.folder} lacks the elements {self.ranges[-1][1]} to {start - 1}: a file is missing before "
                    f"{path.name}; restore it from a copy, or restart the query with an empty log and checkpoint"
                )
            try:
                run, schema = read_segment(path)
            except WriteAheadLogError as error:
                if position < len(paths) - 1:
                    raise
                self.torn = (start, error)
                return
            self.ranges.append((start, end))
            self.schema, self.form = schema, run.form

    def require_fit(self, schema: "pa.Schema", form: str) -> None:
        """Check the schema and the form of the elements in the log.

        Raises:
            WriteAheadLogError: The log has another schema or another form.
        """
        if self.schema is not None and not self.schema.equals(schema):
            raise WriteAheadLogError(
                f"{self.folder} contains elements of the schema {one_line(self.schema)}, but the stream has "
                f"{one_line(schema)}; use the schema that the log was written with, or a new folder and checkpoint"
            )
        if self.form is not None and self.form != form:
            raise WriteAheadLogError(
                f"{self.folder} contains elements written with as_={self.form!r}, but the stream has as_={form!r}; "
                "use the same form, or a new folder and checkpoint"
            )

    def append(self, run: ElementRun, schema: "pa.Schema") -> None:
        """Write the next elements; they are on the disk when this returns.

        Raises:
            CapacityError: The log has `max_segments` files.
            WriteAheadLogError: The write failed, for example because the disk is full. The caller still has the
                elements and may try again.
        """
        with self.guard:
            if len(self.ranges) >= self.max_segments:
                raise CapacityError(
                    f"the write-ahead log {self.folder} holds {len(self.ranges)} files, its max_segments: the query "
                    "plans batches but does not commit them; find the reason, or increase max_segments"
                )
            try:
                write_segment(self.folder, run, schema)
            except OSError as error:
                raise WriteAheadLogError(
                    f"the elements {run.start} to {run.end - 1} cannot be written to {self.folder}: "
                    f"{error.strerror or error}; free space or correct the permissions, and start the query again: "
                    "they are still held"
                ) from error
            self.ranges.append((run.start, run.end))
            self.schema, self.form = schema, run.form

    def read(self, start: int, end: int) -> "list[pa.RecordBatch]":
        """Return the elements of a range as batches.

        Raises:
            ReplayError: The log does not contain all of them.
            WriteAheadLogError: A file is damaged.
        """
        with self.guard:
            if self.torn is not None and end > self.torn[0]:
                raise self.torn[1]
            if start < self.start_offset or end > self.end_offset:
                raise ReplayError(
                    f"the query reads the elements {start} to {end - 1}, but the write-ahead log {self.folder} has "
                    f"{self.start_offset} to {self.end_offset - 1}; use the log and the checkpoint of one query"
                )
            found: list[pa.RecordBatch] = []
            for low, high in self.ranges:
                if low < end and start < high:
                    run, _ = read_segment(self.folder / segment_name(low, high))
                    found += run.part(start, end)
            return found

    def resume(self, offset: int) -> None:
        """Resume at an offset of the query: the elements before it were planned, those after it were not.

        Raises:
            WriteAheadLogError: The damaged last file was planned.
            ReplayError: The log ends before the offset.
        """
        with self.guard:
            if self.torn is not None:
                start, error = self.torn
                if offset > start:
                    raise error
                for path in self.folder.glob(f"{start:020d}-*{SEGMENT_SUFFIX}"):
                    path.unlink()
                self.torn = None
            if offset > self.end_offset or (self.ranges and offset < self.start_offset):
                raise ReplayError(
                    f"the query resumes at element {offset}, but the write-ahead log {self.folder} has the elements "
                    f"{self.start_offset} to {self.end_offset - 1}; use the log and the checkpoint of one query"
                )

    def trim(self, before: int) -> None:
        """Remove files whose elements are all before an offset, except the last file (I2)."""
        with self.guard:
            while len(self.ranges) > 1 and self.ranges[0][1] <= before:
                start, end = self.ranges[0]
                (self.folder / segment_name(start, end)).unlink(missing_ok=True)
                del self.ranges[0]

    def close(self) -> None:
        """Release the folder for other processes. Further calls do nothing."""
        self.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"WriteAheadLog({str(self.folder)!r}, elements {self.start_offset} to {self.end_offset})"


def named_range(path: Path) -> tuple[int, int]:
    """Return the range in the name of a file."""
    start, _, end = path.stem.partition("-")
    if not (start.isdigit() and end.isdigit() and int(start) < int(end)):
        raise WriteAheadLogError(
            f"{path} is not a file of the log; move it, because the folder belongs to the log only"
        )
    return int(start), int(end)


def one_line(schema: "pa.Schema") -> str:
    """Return a schema in one line."""
    return ", ".join(f"{field.name} {field.type}" for field in schema)
