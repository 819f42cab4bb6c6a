"""From a raw CSV line to a flight, or to what is wrong with the line."""

from datetime import date
from typing import NamedTuple

from reactivestreams.demo.flights_data import SOURCE_COLUMNS
from reactivestreams.errors import ReactiveStreamsError

__all__ = ["CorruptRowError", "Flight", "parse_or_reject", "parse_row"]

Row = tuple[int, str]
"""A source row number, counted from 1, and the raw line."""

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
    day: str
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
    number, line = row
    cells = line.split(",")
    if len(cells) != len(SOURCE_COLUMNS):
        raise corrupt(number, "all of the line", line, f"{len(cells)} cells, where a flight has {len(SOURCE_COLUMNS)}")
    return (
        number,
        parse_code(number, "origin", cells[12], 3),
        parse_code(number, "carrier", cells[9], 2),
        parse_day(number, cells[0], cells[1], cells[2]),
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
        return (row[0], "", "", "", 0, 0, str(error))


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


def corrupt(row: int, column: str, value: str, reason: str) -> CorruptRowError:
    shown = value if len(value) <= 80 else f"{value[:77]}..."
    return CorruptRowError(
        f"row {row} (line {row + 1} of the file), column {column}: {shown!r} is {reason}; "
        'repair the row, or take on_corrupt="reject" to list such rows in the results'
    )
