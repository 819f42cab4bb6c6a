"""Parses a raw CSV line into a flight, or into a description of its error."""

from datetime import date
from typing import NamedTuple

from reactivestreams.demo.flights_data import SOURCE_COLUMNS
from reactivestreams.errors import ReactiveStreamsError

__all__ = ["ROW_SCHEMA", "CorruptRowError", "Flight", "Row", "parse_or_reject", "parse_row", "scheduled_or_unknown"]

Row = tuple[int, str, str]
"""A source row number, counted from 1, the scheduled departure, and the raw line.

The scheduled departure is local time in ISO 8601, such as `2013-01-01T05:15`, so that texts sort like times: all
origins are in one time zone, and no flight departs in the repeated hour of autumn. If the line has no time it is empty,
and sorts before all others.
"""

ROW_SCHEMA = "row long, scheduled string, line string"
"""The columns of `Row` as a Spark schema."""

UNKNOWN = ""

MINUTES_A_YEAR = 366 * 24 * 60
"""A longer delay is a corrupt cell; with this limit the sum over all rows of any possible file fits in 64 bits."""


MAX_DIGITS = 18
"""More digits exceed every range here, and `int` itself refuses thousands of digits."""


class CorruptRowError(ReactiveStreamsError, ValueError):
    """Report a source row that is not a flight, with its row number, the column, the value and a remedy."""


class Flight(NamedTuple):
    """One row after parsing.

    Inside the pipeline it is the plain tuple of these fields.
    """

    row: int
    origin: str
    carrier: str
    scheduled: str
    """The scheduled departure, as in `Row`; empty if the row was rejected because of it."""
    hour: int
    delay: int | None
    """The departure delay in minutes, negative for an early departure; None for a cancelled flight."""
    problem: str
    """Why the row was rejected; empty for a flight."""


def parse_row(row: Row) -> tuple[int | str | None, ...]:
    """Return the fields of a `Flight` for a raw row.

    Raises:
        CorruptRowError: A cell that the pipeline uses cannot be read.
    """
    number, scheduled, line = row
    cells = cells_of(number, line)
    return (
        number,
        parse_code(number, "origin", cells[12], 3),
        parse_code(number, "carrier", cells[9], 2),
        scheduled or parse_scheduled(number, cells),
        parse_number(number, "hour", cells[16], 0, 24),
        parse_number(number, "dep_delay", cells[5], -MINUTES_A_YEAR, MINUTES_A_YEAR)
        if cells[5] not in ("", "NA")
        else None,
        "",
    )


def parse_or_reject(row: Row) -> tuple[int | str | None, ...]:
    """Return the fields of a `Flight`, or for a corrupt row those of a rejected row, whose problem is set."""
    try:
        return parse_row(row)
    except CorruptRowError as error:
        return (row[0], "", "", row[1], 0, 0, str(error))


def scheduled_or_unknown(line: str) -> str:
    """Return the scheduled departure of a raw line, or an empty text if it cannot be read."""
    try:
        return parse_scheduled(0, cells_of(0, line))
    except CorruptRowError:
        return UNKNOWN


def cells_of(row: int, line: str) -> list[str]:
    cells = line.split(",")
    if len(cells) != len(SOURCE_COLUMNS):
        raise corrupt(row, "the whole line", line, f"{len(cells)} cells, where a flight has {len(SOURCE_COLUMNS)}")
    return cells


def parse_number(row: int, column: str, text: str, low: int, high: int) -> int:
    # int() alone would also accept "1_0", " 10" and digits of other scripts.
    if not (text.isascii() and text.removeprefix("-").isdigit()):
        raise corrupt(row, column, text, "no whole number")
    number = int(text) if len(text) <= MAX_DIGITS else high + 1
    if not low <= number <= high:
        raise corrupt(row, column, text, f"outside {low} to {high}")
    return number


def parse_code(row: int, column: str, text: str, length: int) -> str:
    if len(text) == length and text.isascii() and text.isalnum() and text.upper() == text:
        return text
    raise corrupt(row, column, text, f"not a code of {length} capital letters or digits")


def parse_day(row: int, year: str, month: str, day: str) -> str:
    numbers = (
        parse_number(row, "year", year, 1, 9999),
        parse_number(row, "month", month, 1, 12),
        parse_number(row, "day", day, 1, 31),
    )
    try:
        return date(*numbers).isoformat()
    except ValueError:
        raise corrupt(row, "year, month, day", f"{year}-{month}-{day}", "no date") from None


def parse_scheduled(row: int, cells: list[str]) -> str:
    # ISO 8601 has 24:00, the end of a day, and so has the file's column of hours.
    time = parse_number(row, "sched_dep_time", cells[4], 0, 2400)
    if time % 100 > 59:
        raise corrupt(row, "sched_dep_time", cells[4], "not a time of day")
    return f"{parse_day(row, cells[0], cells[1], cells[2])}T{time // 100:02}:{time % 100:02}"


def corrupt(row: int, column: str, value: str, reason: str) -> CorruptRowError:
    shown = value if len(value) <= 80 else f"{value[:77]}..."
    return CorruptRowError(
        f"row {row} (line {row + 1} of the file), column {column}: {shown!r} is {reason}; "
        'repair the row, or use on_corrupt="reject" to list such rows in the results'
    )
