"""The rows of a partition, with the row known that is being processed or that caused an element."""

import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from operator import length_hint
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.spark.rows.row_forms import Decoder
from reactivestreams.spark.steps.numbered_pipeline import Pair, number_in

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["UNKNOWN_ROW", "LocatedRow", "NumberedRows", "TrackedRows"]

UNKNOWN_ROW = "?"
"""Stands for a row where nobody can tell which it was."""

ROWS_AT_A_TIME = 128
"""How many rows of a batch exist at a time where nothing needs more of them."""


@dataclass(frozen=True, slots=True)
class LocatedRow:
    """A row with its number, from 0, among those that the task has read."""

    number: int
    row: Any


class TrackedRows:
    """Iterable over the rows of a partition's batches, for one iteration.

    It costs little per row, since rows are made some at a time: the memory of those before serves again.

    Args:
        batches: The partition.
        decode: Makes the rows of a batch.
        in_step: Whether the operators take a row only when the one before has gone through all of them, in the same
            thread. Then the row taken last is the one that a function is looking at.
    """

    def __init__(self, batches: "Iterable[pa.RecordBatch]", decode: Decoder, *, in_step: bool) -> None:
        self.batches = batches
        self.decode = decode
        self.in_step = in_step
        self.rows: list[Any] = []
        self.rest: Iterator[Any] = iter(self.rows)
        self.rows_before: int = 0

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self.runs())

    def runs(self) -> Generator[Iterator[Any], None, None]:
        """Yield iterators over some rows each."""
        rows_of_batches = 0
        for batch in self.batches:
            self.rows_before = rows_of_batches
            decoded = iter(self.decode(batch))
            while rows := [*islice(decoded, ROWS_AT_A_TIME)]:
                self.rows, self.rest = rows, iter(rows)
                yield self.rest
                self.rows_before += len(rows)
            rows_of_batches += batch.num_rows

    def located(self, error: BaseException) -> "LocatedRow | None":
        """Return the row that was being processed when a function raised; None where nobody knows."""
        if not self.rows or not self.in_step:
            return None
        # A used-up list iterator has forgotten its list and gives 0 as well.
        position = len(self.rows) - length_hint(self.rest) - 1
        return LocatedRow(self.rows_before + position, self.rows[position])


class NumberedRows:
    """Iterable over pairs of a row's number in the partition, from 0, and the row; for one iteration.

    Args:
        batches: The partition.
        decode: Makes the rows of a batch.
        read_ahead: How many rows may have been taken and not gone through; batches before these are dropped when they
            are read. None keeps them until `forget_before` is called.
    """

    def __init__(self, batches: "Iterable[pa.RecordBatch]", decode: Decoder, *, read_ahead: int | None = None) -> None:
        self.batches = batches
        self.decode = decode
        self.read_ahead = read_ahead
        self.needed_from: int = sys.maxsize
        """The first row that the caller may still ask for."""
        # The batches whose rows may still cause elements: the number of the first row, the rows, the batch.
        self.kept: deque[tuple[int, list[Any], pa.RecordBatch]] = deque()

    def __iter__(self) -> Generator[Pair, None, None]:
        count = 0
        for batch in self.batches:
            rows = list(self.decode(batch))
            if rows:
                if self.read_ahead is not None:
                    self.forget_before(min(count - 1 - self.read_ahead, self.needed_from))
                self.kept.append((count, rows, batch))
                yield from enumerate(rows, count)
                count += len(rows)

    def forget_before(self, number: int) -> None:
        """Drop the batches all of whose rows have a smaller number; they cause no more elements."""
        while len(self.kept) > 1 and self.kept[1][0] <= number:
            self.kept.popleft()

    def forget_all_waiting(self) -> None:
        """Say that no row before those that are read next is asked for any more."""
        self.needed_from = sys.maxsize

    def column(self, name: str, numbers: Iterable[int]) -> "pa.Array[Any]":
        """Return the values of a column in the rows with some numbers; each element is one row of its batch."""
        import pyarrow as pa

        first = self.kept[0][0]
        values = pa.chunked_array([batch.column(name) for _, _, batch in self.kept])
        return values.take(pa.array([number - first for number in numbers], pa.int64())).combine_chunks()

    def located(self, error: BaseException) -> LocatedRow | None:
        """Return the row that a function was called for when it raised; None where nobody knows."""
        number = number_in(error)
        found = None if number is None else self.holding(number)
        return None if found is None or number is None else LocatedRow(number, found[1][number - found[0]])

    def rows_of(self, numbers: Iterable[int]) -> list[Any]:
        """Return the rows with some numbers, whose batches are still there."""
        chosen: list[Any] = []
        first, end = 0, 0
        rows: list[Any] = []
        for number in numbers:
            if not first <= number < end:
                found = self.holding(number)
                assert found is not None
                first, rows, _ = found
                end = first + len(rows)
            chosen.append(rows[number - first])
        return chosen

    def row(self, number: int) -> str:
        """Return the representation of the row with a number, where its batch is still there."""
        found = self.holding(number)
        return UNKNOWN_ROW if found is None else short_repr(found[1][number - found[0]])

    def batch_of(self, number: int) -> "pa.RecordBatch | None":
        """Return a batch of the row with a number alone, where its batch is still there."""
        found = self.holding(number)
        return None if found is None else found[2].slice(number - found[0], 1)

    def holding(self, number: int) -> "tuple[int, list[Any], pa.RecordBatch] | None":
        """Return the number of the first row, the rows, and the batch that has the row with a number."""
        for kept in self.kept:
            if kept[0] <= number < kept[0] + len(kept[1]):
                return kept
        return None
