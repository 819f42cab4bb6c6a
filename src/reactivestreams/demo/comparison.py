"""Hold the results of one run and compare those of the others with them, element by element.

Results are matched by source row number, which is the order within a key, whatever the order in which keys are
interleaved.
"""

from dataclasses import dataclass
from typing import Literal

from reactivestreams.demo.flights_pipeline import Result
from reactivestreams.errors import ArgumentError

__all__ = ["Comparison", "Difference", "Reference"]

AnyResult = tuple[int | str, ...]
Kind = Literal["differs", "missing", "unexpected", "twice", "out of order"]
Key = tuple[int | str, ...]

WORDS: dict[Kind, str] = {
    "differs": "differs",
    "missing": "is missing",
    "unexpected": "is not in the reference run",
    "twice": "came twice",
    "out of order": "came after a later row of its key",
}


@dataclass(frozen=True)
class Difference:
    """The first difference by row number, and how many there are."""

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
        total = f"{self.count:,} difference{'s' if self.count > 1 else ''} in all"
        words = WORDS[self.kind]
        return f"{self.run}: the result of {place} {words}: expected {self.expected}, got {self.actual}; {total}"


class Reference:
    """The results of one complete run, one place a source row.

    Args:
        rows: Source rows of the run; a result's row number is 1 to `rows`. Bounds what is held.
    """

    def __init__(self, rows: int) -> None:
        self.by_row: list[AnyResult | None] = [None] * (rows + 1)
        self.count: int = 0

    def add(self, result: AnyResult) -> None:
        """Keep a result; a second one for the same row is refused with an ArgumentError."""
        row = result[0]
        assert isinstance(row, int)
        if not 0 < row < len(self.by_row):
            raise ArgumentError(
                f"row {row} is outside 1 to {len(self.by_row) - 1}; give the number of source rows to Reference"
            )
        if self.by_row[row] is not None:
            raise ArgumentError(
                f"row {row} came twice ({self.by_row[row]} and {result}); a row gives one result at most"
            )
        self.by_row[row] = result
        self.count += 1

    def results(self) -> list[Result]:
        """Return the results in the order of their rows."""
        return [Result._make(result) for result in self.by_row if result is not None]


class Comparison:
    """Compare the results of a run with a reference, one at a time, in memory that does not grow.

    Args:
        run: Name of the run, for messages.
        reference: What to compare with.
        ordered: Whether rows of one key must also arrive in the order of their row numbers.
    """

    def __init__(self, run: str, reference: Reference, *, ordered: bool) -> None:
        self.run = run
        self.reference = reference
        self.ordered = ordered
        self.count: int = 0
        self._seen = bytearray(len(reference.by_row))
        self._last_row: dict[Key, int] = {}
        self._difference_count = 0
        self._first: Difference | None = None

    def check(self, result: AnyResult) -> None:
        """Compare one result."""
        self.count += 1
        row, key = result[0], result[1:3]
        assert isinstance(row, int)
        known = 0 < row < len(self._seen)
        expected = self.reference.by_row[row] if known else None
        if expected is None:
            self._note("unexpected", row, key, None, result)
        elif self._seen[row]:
            self._note("twice", row, key, expected, result)
        elif result != expected:
            self._note("differs", row, expected[1:3], expected, result)
        elif self.ordered and self._last_row.get(key, 0) > row:
            self._note("out of order", row, key, expected, result)
        if known:
            self._seen[row] = 1
        self._last_row[key] = row

    def difference(self) -> Difference | None:
        """Return the first difference after the last result was checked, or None where the runs are equal."""
        for row, expected in enumerate(self.reference.by_row):
            if expected is not None and not self._seen[row]:
                self._note("missing", row, expected[1:3], expected, None)
        first = self._first
        if first is None:
            return None
        return Difference(
            first.run, first.kind, first.row, first.key, first.expected, first.actual, self._difference_count
        )

    def _note(self, kind: Kind, row: int, key: Key, expected: AnyResult | None, actual: AnyResult | None) -> None:
        self._difference_count += 1
        if self._first is None or row < self._first.row:
            self._first = Difference(self.run, kind, row, key, expected, actual, 1)
