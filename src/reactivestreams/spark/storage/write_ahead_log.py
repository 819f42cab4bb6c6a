"""The write-ahead log: elements of a live publisher on the disk before Spark plans to read them.

Roles: the bridge of one query appends, reads and trims, from any of its threads; the user asks for `end_offset`.
Invariants, held whenever the lock is free:
    I1  the segments follow each other without a gap; each file is whole and synced before its range is listed.
    I2  the last segment is never trimmed, so that the log knows its end after a restart.
    I3  a damaged last file is kept until the query has said where it goes on: it was planned, or it was not.
Progress: whoever waits for the lock waits for one file to be written or read.
"""

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from reactivestreams.arguments import checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from reactivestreams.spark.errors import ReplayError, WriteAheadLogError
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.storage.element_run import ElementRun
from reactivestreams.spark.storage.folder_lock import FolderLock
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
"""How many files a log may hold: one for each offset range that was planned and not yet committed, of which a query has
two or three."""


class WriteAheadLog:
    """A folder with the elements that a streaming query has planned and perhaps not yet finished.

    Pass it to `to_streaming_dataframe(log=...)`. One process at a time may use a folder.

    Args:
        folder: Where the files are; it is made where it is missing. It must outlive the driver, as the checkpoint does.
        max_segments: How many files the log may hold, from 2 to 1,000,000.

    Raises:
        ArgumentTypeError: An argument has the wrong type.
        ArgumentError: The folder is a file, or the count is out of range.
        FolderInUseError: Another process uses the folder.
        WriteAheadLogError: A file is damaged, or one is missing.

    State: The files; their format has a version, and their content is Arrow, which runs no code when it is read.
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
        self.lock: FolderLock = FolderLock.of_process(self.folder, what="write-ahead log")
        try:
            self.look_through()
        except BaseException:
            self.lock.release()
            raise

    @property
    def start_offset(self) -> int:
        """Number of the first element that the log can give again."""
        with self.guard:
            return self.ranges[0][0] if self.ranges else 0

    @property
    def end_offset(self) -> int:
        """Number of the next element: how many the log has taken in all.

        A publisher that can go on at a position goes on here after a restart, and then nothing is lost.
        """
        with self.guard:
            return self.ranges[-1][1] if self.ranges else 0

    def look_through(self) -> None:
        """Read the folder, check each file, and remember a damaged last one (I3)."""
        for path in self.folder.glob(f"*{UNFINISHED_SUFFIX}"):
            # Never renamed, hence never planned.
            path.unlink()
        paths = sorted(self.folder.glob(f"*{SEGMENT_SUFFIX}"))
        for position, path in enumerate(paths):
            start, end = named_range(path)
            if self.ranges and self.ranges[-1][1] != start:
                raise WriteAheadLogError(
                    f"{self.folder} lacks the elements {self.ranges[-1][1]} to {start - 1}: a file is missing before "
                    f"{path.name}; restore it from a copy, or start the query anew with an empty log and checkpoint"
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
        """Check that the log holds elements of the given kind.

        Raises:
            WriteAheadLogError: It was written for another schema or another form of the elements.
        """
        if self.schema is not None and not self.schema.equals(schema):
            raise WriteAheadLogError(
                f"{self.folder} holds elements of the schema {one_line(self.schema)}, and the stream has "
                f"{one_line(schema)}; use the schema that the log was written with, or a new folder and checkpoint"
            )
        if self.form is not None and self.form != form:
            raise WriteAheadLogError(
                f"{self.folder} holds elements written with as_={self.form!r}, and the stream has as_={form!r}; "
                "use the same form, or a new folder and checkpoint"
            )

    def append(self, run: ElementRun, schema: "pa.Schema") -> None:
        """Write the next elements; they are on the disk when this returns.

        Raises:
            CapacityError: The log holds `max_segments` files.
            WriteAheadLogError: They could not be written, for example because the disk is full. Nothing is lost: the
                caller still has them, and may try again.
        """
        with self.guard:
            if len(self.ranges) >= self.max_segments:
                raise CapacityError(
                    f"the write-ahead log {self.folder} holds {len(self.ranges)} files, its max_segments: the query "
                    "plans batches but commits none; see why, or raise max_segments"
                )
            try:
                write_segment(self.folder, run, schema)
            except OSError as error:
                raise WriteAheadLogError(
                    f"the elements {run.start} to {run.end - 1} cannot be written to {self.folder}: "
                    f"{error.strerror or error}; make room or access there and start the query again: they are still "
                    "held"
                ) from error
            self.ranges.append((run.start, run.end))
            self.schema, self.form = schema, run.form

    def read(self, start: int, end: int) -> "list[pa.RecordBatch]":
        """Return the elements of a range as batches.

        Raises:
            ReplayError: The log does not hold all of them.
            WriteAheadLogError: A file is damaged.
        """
        with self.guard:
            if self.torn is not None and end > self.torn[0]:
                raise self.torn[1]
            if start < self.start_offset or end > self.end_offset:
                raise ReplayError(
                    f"the query reads the elements {start} to {end - 1}, and the write-ahead log {self.folder} has "
                    f"{self.start_offset} to {self.end_offset - 1}; use the log and the checkpoint of one query"
                )
            found: list[pa.RecordBatch] = []
            for low, high in self.ranges:
                if low < end and start < high:
                    run, _ = read_segment(self.folder / segment_name(low, high))
                    found += run.part(start, end)
            return found

    def resume(self, offset: int) -> None:
        """Take note that the query goes on at an offset: everything before was planned, nothing after it.

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
                    f"the query goes on at element {offset}, and the write-ahead log {self.folder} has the elements "
                    f"{self.start_offset} to {self.end_offset - 1}; use the log and the checkpoint of one query"
                )

    def trim(self, before: int) -> None:
        """Forget files whose elements all come before an offset; the last file stays (I2)."""
        with self.guard:
            while len(self.ranges) > 1 and self.ranges[0][1] <= before:
                start, end = self.ranges[0]
                (self.folder / segment_name(start, end)).unlink(missing_ok=True)
                del self.ranges[0]

    def close(self) -> None:
        """Let other processes use the folder; may be called again."""
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
    """Return the range that the name of a file says."""
    start, _, end = path.stem.partition("-")
    if not (start.isdigit() and end.isdigit() and int(start) < int(end)):
        raise WriteAheadLogError(f"{path} has no name of a log's file; move it away, the folder is the log's alone")
    return int(start), int(end)


def one_line(schema: "pa.Schema") -> str:
    """Return a schema in one line."""
    return ", ".join(f"{field.name} {field.type}" for field in schema)
