"""Store the results of one run and compare those of the others with them, element by element.

Results are matched by source row number, for any interleaving of keys. Within a key results are
ordered by the scheduled departure, and equal ones by the row number.
"""

from dataclasses import dataclass, replace
from typing import Literal

from reactivestreams.demo.flights_pipeline import Result
from reactivestreams.errors import ArgumentError

__all__ = ["Comparison", "Difference", "Reference"]

AnyResult = tuple[int | str, ...]
Kind = Literal["differs", "missing", "unexpected", "twice", "out of order"]
Key = tuple[int | str, ...]
Place = tuple[str, int]
"""The scheduled departure and the row number of a result."""

WORDS: dict[Kind, str] = {
    "differs": "differs",
    "missing": "is missing",
    "unexpected": "is not in the reference run",
    "twice": "came twice",
    "out of order": "came after a later result of its key",
}


def place_of(result: AnyResult) -> Place:
    """Return the place of a result in the order within its key."""
    row, scheduled = result[0], result[3]
    assert isinstance(row, int)
    assert isinstance(scheduled, str)
    return scheduled, row


@dataclass(frozen=True)
class Difference:
    """The first difference by scheduled departure, and the number of differences."""

    run: str
    kind: Kind
    row: int
    key: Key
    expected: AnyResult | None
    actual: AnyResult | None
    count: int

    def __str__(self) -> str:
        origin, carrier = self.key
        place = f"row {self.row:,} (origin {origin or '-'}, carrier {carrier or '-'})"
        total = f"{self.count:,} difference{'s' if self.count > 1 else ''} in total"
        words = WORDS[self.kind]
        return f"{self.run}: the result of {place} {words}: expected {self.expected}, got {self.actual}; {total}"


class Reference:
    """The results of one complete run, with one place per source row.

    Args:
        rows: Source rows of the run; a result's row number is 1 to `rows`. It bounds the storage.
    """

    def __init__(self, rows: int) -> None:
        self.by_row: list[AnyResult | None] = [None] * (rows + 1)
        self.count: int = 0

    def add(self, result: AnyResult) -> None:
        """Store a result; a second one for the same row is refused with an ArgumentError."""
        row = result[0]
        assert isinstance(row, int)
        if not 0 < row < len(self.by_row):
            raise ArgumentError(
                f"row {row} is outside 1 to {len(self.by_row) - 1}; give the number of source rows to Reference"
            )
        if self.by_row[row] is not None:
            raise ArgumentError(f"row {row} came twice ({self.by_row[row]} and {result}); a row has at most one result")
        self.by_row[row] = result
        self.count += 1

    def results(self) -> list[Result]:
        """Return the results in the order of their rows."""
        return [Result._make(result) for result in self.by_row if result is not None]


class Comparison:
    """Compare the results of a run with a reference, one at a time, in memory that does not grow.

    Args:
        run: The name of the run, for messages.
        reference: The results to compare with.
        ordered: Whether the results of one key must also arrive in the order of their scheduled departure.
    """

    def __init__(self, run: str, reference: Reference, *, ordered: bool) -> None:
        self.run = run
        self.reference = reference
        self.ordered = ordered
        self.count: int = 0
        self._seen = bytearray(len(reference.by_row))
        self._last_place: dict[Key, Place] = {}
        self._difference_count = 0
        self._first: Difference | None = None
        self._first_place: Place = ("", 0)

    def check(self, result: AnyResult) -> None:
        """Compare one result."""
        self.count += 1
        row, key = result[0], result[1:3]
        assert isinstance(row, int)
        known = 0 < row < len(self._seen)
        expected = self.reference.by_row[row] if known else None
        place = place_of(result if expected is None else expected)
        if expected is None:
            self._note("unexpected", place, key, None, result)
        elif self._seen[row]:
            self._note("twice", place, key, expected, result)
        elif result != expected:
            self._note("differs", place, expected[1:3], expected, result)
        elif self.ordered and self._last_place.get(key, place) > place:
            self._note("out of order", place, key, expected, result)
        if known:
            self._seen[row] = 1
        self._last_place[key] = place

    def difference(self) -> Difference | None:
        """Return the first difference after the last result was checked, or None if the runs are equal."""
        for row, expected in enumerate(self.reference.by_row):
            if expected is not None and not self._seen[row]:
                self._note("missing", place_of(expected), expected[1:3], expected, None)
        return None if self._first is None else replace(self._first, count=self._difference_count)

    def _note(self, kind: Kind, place: Place, key: Key, expected: AnyResult | None, actual: AnyResult | None) -> None:
        self._difference_count += 1
        if self._first is None or place < self._first_place:
            self._first_place = place
            self._first = Difference(self.run, kind, place[1], key, expected, actual, 1)
