"""From a raw CSV line to a flight, or to what is wrong with the line."""

from datetime import date
from typing import NamedTuple

from reactivestreams.demo.flights_data import SOURCE_COLUMNS
from reactivestreams.errors import ReactiveStreamsError

__all__ = ["ROW_SCHEMA", "CorruptRowError", "Flight", "Row", "parse_or_reject", "parse_row", "scheduled_or_unknown"]

Row = tuple[int, str, str]
"""A source row number, counted from 1, the scheduled departure, and the raw line.

The scheduled departure is local time as ISO 8601 writes it, such as `2013-01-01T05:15`, so that texts sort as times do:
all origins lie in one time zone, and none has a departure in the hour that autumn repeats. Where the line tells no time
it is empty, and sorts before all others.
"""

ROW_SCHEMA = "row long, scheduled string, line string"
"""The columns of `Row` as Spark writes a schema."""

UNKNOWN = ""

MINUTES_A_YEAR = 366 * 24 * 60
"""A delay of more is taken for a corrupt cell; with it a sum over any number of rows that a file can have fits in 64
bits."""


MAX_DIGITS = 18
"""More are out of any range here, and from thousands on `int` itself refuses them."""


class CorruptRowError(ReactiveStreamsError, ValueError):
    """Report a source row that is no flight, with its row number, the column, the value and what to do."""


class Flight(NamedTuple):
    """One row as the pipeline sees it after parsing.

    Inside the pipeline it travels as the plain tuple of these fields.
    """

    row: int
    origin: str
    carrier: str
    scheduled: str
    """Scheduled departure, as in `Row`; empty where the row was rejected for it."""
    hour: int
    delay: int | None
    """Departure delay in minutes, negative for an early departure; None for a cancelled flight."""
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
    """Return the fields of a `Flight`, or for a corrupt row those of a rejected one, whose problem is set."""
    try:
        return parse_row(row)
    except CorruptRowError as error:
        return (row[0], "", "", row[1], 0, 0, str(error))


def scheduled_or_unknown(line: str) -> str:
    """Return the scheduled departure of a raw line, or an empty text where it cannot be read."""
    try:
        return parse_scheduled(0, cells_of(0, line))
    except CorruptRowError:
        return UNKNOWN


def cells_of(row: int, line: str) -> list[str]:
    cells = line.split(",")
    if len(cells) != len(SOURCE_COLUMNS):
        raise corrupt(row, "all of the line", line, f"{len(cells)} cells, where a flight has {len(SOURCE_COLUMNS)}")
    return cells


def parse_number(row: int, column: str, text: str, low: int, high: int) -> int:
    # int() alone would also take "1_0", " 10" and digits of other scripts.
    if not (text.isascii() and text.removeprefix("-").isdigit()):
        raise corrupt(row, column, text, "no whole number")
    number = int(text) if len(text) <= MAX_DIGITS else high + 1
    if not low <= number <= high:
        raise corrupt(row, column, text, f"outside {low} to {high}")
    return number


def parse_code(row: int, column: str, text: str, length: int) -> str:
    if len(text) == length and text.isascii() and text.isalnum() and text.upper() == text:
        return text
    raise corrupt(row, column, text, f"no code of {length} capital letters or digits")


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
    # ISO 8601 has 24:00, the end of a day, as the file's column of hours has.
    time = parse_number(row, "sched_dep_time", cells[4], 0, 2400)
    if time % 100 > 59:
        raise corrupt(row, "sched_dep_time", cells[4], "no time of day")
    return f"{parse_day(row, cells[0], cells[1], cells[2])}T{time // 100:02}:{time % 100:02}"


def corrupt(row: int, column: str, value: str, reason: str) -> CorruptRowError:
    shown = value if len(value) <= 80 else f"{value[:77]}..."
    return CorruptRowError(
        f"row {row} (line {row + 1} of the file), column {column}: {shown!r} is {reason}; "
        'repair the row, or take on_corrupt="reject" to list such rows in the results'
    )
