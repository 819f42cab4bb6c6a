"""The rows of a partition, and which of them is being processed or caused an element."""

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
"""Stands for a row that is unknown."""

ROWS_AT_A_TIME = 128
"""How many rows of a batch are decoded at a time."""


@dataclass(frozen=True, slots=True)
class LocatedRow:
    """A row and its number, from 0, among those that the task has read."""

    number: int
    row: Any


class TrackedRows:
    """Iterable over the rows of a partition's batches, for one iteration.

    Rows are decoded in small groups, so that memory is reused and the cost per row is small.

    Args:
        batches: The partition.
        decode: Decodes a batch into rows.
        in_step: Whether the operators take a row only after all of them have processed the row before, in the same
            thread. Then the row that was taken last is the one that a function is processing.
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
        """Yield iterators over groups of rows."""
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
        """Return the row that was being processed when a function raised, or None if unknown."""
        if not self.rows or not self.in_step:
            return None
        # The hint of an exhausted list iterator is 0, too.
        position = len(self.rows) - length_hint(self.rest) - 1
        return LocatedRow(self.rows_before + position, self.rows[position])


class NumberedRows:
    """Iterable over pairs of a row's number in the partition, from 0, and the row, for one iteration.

    Args:
        batches: The partition.
        decode: Decodes a batch into rows.
        read_ahead: How many rows may have been taken and not yet processed; batches before these are dropped. None
            keeps all batches until `drop_before` is called.
    """

    def __init__(self, batches: "Iterable[pa.RecordBatch]", decode: Decoder, *, read_ahead: int | None = None) -> None:
        self.batches = batches
        self.decode = decode
        self.read_ahead = read_ahead
        self.needed_from: int = sys.maxsize
        """Number of the first row that the caller may still need."""
        # The batches whose rows may still cause elements: the number of the first row, the rows, the batch.
        self.retained: deque[tuple[int, list[Any], pa.RecordBatch]] = deque()

    def __iter__(self) -> Generator[Pair, None, None]:
        count = 0
        for batch in self.batches:
            rows = list(self.decode(batch))
            if rows:
                if self.read_ahead is not None:
                    self.drop_before(min(count - 1 - self.read_ahead, self.needed_from))
                self.retained.append((count, rows, batch))
                yield from enumerate(rows, count)
                count += len(rows)

    def drop_before(self, number: int) -> None:
        """Drop the batches all of whose rows have a smaller number; they cause no more elements."""
        while len(self.retained) > 1 and self.retained[1][0] <= number:
            self.retained.popleft()

    def drop_waiting(self) -> None:
        """Declare that the caller needs no row that was read so far."""
        self.needed_from = sys.maxsize

    def column(self, name: str, numbers: Iterable[int]) -> "pa.Array[Any]":
        """Return the values of a column in rows that are given by number, if each element is one row of its batch."""
        import pyarrow as pa

        first = self.retained[0][0]
        values = pa.chunked_array([batch.column(name) for _, _, batch in self.retained])
        return values.take(pa.array([number - first for number in numbers], pa.int64())).combine_chunks()

    def located(self, error: BaseException) -> LocatedRow | None:
        """Return the row for which a function raised, or None if unknown."""
        number = number_in(error)
        found = None if number is None else self.holding(number)
        return None if found is None or number is None else LocatedRow(number, found[1][number - found[0]])

    def rows_of(self, numbers: Iterable[int]) -> list[Any]:
        """Return rows by number; their batches must still be retained."""
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
        """Return the representation of a row; `UNKNOWN_ROW` if its batch has been dropped."""
        found = self.holding(number)
        return UNKNOWN_ROW if found is None else short_repr(found[1][number - found[0]])

    def batch_of(self, number: int) -> "pa.RecordBatch | None":
        """Return a batch that contains only one row; None if its batch has been dropped."""
        found = self.holding(number)
        return None if found is None else found[2].slice(number - found[0], 1)

    def holding(self, number: int) -> "tuple[int, list[Any], pa.RecordBatch] | None":
        """Return the first number, the rows and the batch of the batch that contains a row, or None."""
        for retained in self.retained:
            if retained[0] <= number < retained[0] + len(retained[1]):
                return retained
        return None
