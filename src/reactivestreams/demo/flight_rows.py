"""The rows of a flights file in the order of scheduled departure, read on demand."""

import os
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from reactivestreams.demo.flights_data import SOURCE_COLUMNS, FlightsDataError
from reactivestreams.demo.flights_parsing import Row, scheduled_or_unknown
from reactivestreams.errors import ArgumentError

__all__ = ["FlightRows"]


class FlightRows:
    """Iterate over the rows of a CSV file as `(row, scheduled, line)`, reading one line for each.

    They are ordered by their scheduled departure, and equal times by the order of the file. A row whose time cannot be
    read comes before all others, like nulls in Spark; the pipeline reports its error. `row` counts from 1 for the first
    line after the header, `line` is the text without its line end, `scheduled` is as in `flights_parsing.Row`.

    The constructor reads the file once and stores the order, the position of each line and its time: 24 bytes per row
    and 70 for each different time, 17 MB for the flights of 2013. Each iteration reads the lines again, none ahead of
    demand, so a stream of this object holds no more than was requested.

    Args:
        path: The CSV file, with a header line.
        rows: How many rows from the start of the file to read; by default all.
        expected_rows: How many rows the file must have; by default any number.

    Raises:
        ArgumentError: `rows` is less than 1 or more than the file has.
        FlightsDataError: The file has another header, no row, or another number of rows than expected. During
            iteration: the file was changed.
    """

    def __init__(self, path: Path, *, rows: int | None = None, expected_rows: int | None = None) -> None:
        self.path = path
        starts, scheduled = array("q"), list[str]()
        times: dict[str, str] = {}
        with path.open("rb") as file:
            header = file.readline()
            check_header(path, header)
            end = len(header)
            for line in file:
                starts.append(end)
                end += len(line)
                if rows is None or len(scheduled) < rows:
                    time = scheduled_or_unknown(text_of(line))
                    scheduled.append(times.setdefault(time, time))
            self._version = version_of(file)
        self.file_rows: int = len(starts)
        """The number of rows of the file."""
        check_rows(path, self.file_rows, expected_rows)
        if rows is not None and not 1 <= rows <= self.file_rows:
            raise ArgumentError(
                f"the number of rows must be 1 to {self.file_rows:,}, got {rows:,}; leave it out to use all"
            )
        starts.append(end)
        self._starts = starts
        self._scheduled = scheduled
        self._order = array("q", sorted(range(len(scheduled)), key=scheduled.__getitem__))

    def __len__(self) -> int:
        """Return the number of rows of an iteration."""
        return len(self._order)

    def __iter__(self) -> Iterator[Row]:
        starts, scheduled = self._starts, self._scheduled
        with self.path.open("rb", buffering=0) as file:
            changed = version_of(file) != self._version
            for index in self._order:
                start, end = starts[index], starts[index + 1]
                file.seek(start)
                content = file.read(end - start)
                if changed or len(content) < end - start:
                    raise FlightsDataError(f"{self.path} was changed while the demo read it; run the demo again")
                yield index + 1, scheduled[index], text_of(content)


def text_of(line: bytes) -> str:
    # A byte that is not UTF-8 becomes U+FFFD, which the pipeline reports as part of the corrupt cell, with its row.
    return line.decode("utf-8", "replace").rstrip("\r\n")


def version_of(file: IO[bytes]) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


def check_header(path: Path, header: bytes) -> None:
    found = text_of(header)
    if tuple(found.split(",")) != SOURCE_COLUMNS:
        raise FlightsDataError(
            f"{path} has the header {found[:200]!r}, which is not that of the flights; "
            f"give a CSV file with the columns {','.join(SOURCE_COLUMNS)}"
        )


def check_rows(path: Path, found: int, expected: int | None) -> None:
    if expected is not None and found != expected:
        raise FlightsDataError(
            f"{path} has {found:,} rows, {expected:,} are needed; remove the file, so that it is unpacked again"
        )
    if not found:
        raise FlightsDataError(f"{path} has no rows; give a file with one flight or more")
