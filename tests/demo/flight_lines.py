"""Lines of a flights file, made to order."""

from pathlib import Path

from reactivestreams.demo.flights_data import SOURCE_COLUMNS
from reactivestreams.demo.flights_parsing import Row, scheduled_or_unknown

GOOD_LINE = "2013,1,1,517,515,2,830,819,11,UA,1545,N14228,EWR,IAH,227,1400,5,15,2013-01-01T10:00:00Z"


def flight_line(**cells: object) -> str:
    """Return a good line with the given cells in place of its own."""
    flight: dict[str, object] = dict(zip(SOURCE_COLUMNS, GOOD_LINE.split(","), strict=True))
    return ",".join(str(cell) for cell in (flight | cells).values())


def elements(*lines: str) -> list[Row]:
    """Return what the source of a file of these lines gives."""
    rows = [(row, scheduled_or_unknown(line), line) for row, line in enumerate(lines, 1)]
    return sorted(rows, key=lambda element: element[1])


def write_flights(path: Path, lines: list[str]) -> Path:
    """Write a flights file with a header."""
    path.write_text("\n".join([",".join(SOURCE_COLUMNS), *lines, ""]), encoding="utf-8")
    return path
