"""The rows of a partition, with the row known that is being processed or that caused an element."""

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from operator import length_hint
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.pipelines.numbered_pipeline import Pair, number_in
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.spark.rows.row_forms import Decoder

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["UNKNOWN_ROW", "NumberedRows", "TrackedRows"]

UNKNOWN_ROW = "?"
"""Stands for a row where nobody can tell which it was."""


class TrackedRows:
    """Iterable over the rows of a partition's batches, for one iteration; it costs nothing per row.

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

    def __iter__(self) -> Generator[Any, None, None]:
        for batch in self.batches:
            rows = list(self.decode(batch))
            if rows:
                self.rows, self.rest = rows, iter(rows)
                yield from self.rest

    def row_of(self, error: BaseException) -> str:
        """Return the representation of the row that was being processed when a function raised."""
        if not self.rows or not self.in_step:
            return UNKNOWN_ROW
        # A used-up list iterator has forgotten its list and gives 0 as well.
        return short_repr(self.rows[len(self.rows) - length_hint(self.rest) - 1])


class NumberedRows:
    """Iterable over pairs of a row's number in the partition, from 0, and the row; for one iteration.

    Args:
        batches: The partition.
        decode: Makes the rows of a batch.
    """

    def __init__(self, batches: "Iterable[pa.RecordBatch]", decode: Decoder) -> None:
        self.batches = batches
        self.decode = decode
        # The batches whose rows may still cause elements: the number of the first row, the rows, the batch.
        self.kept: deque[tuple[int, list[Any], pa.RecordBatch]] = deque()

    def __iter__(self) -> Generator[Pair, None, None]:
        count = 0
        for batch in self.batches:
            rows = list(self.decode(batch))
            if rows:
                self.kept.append((count, rows, batch))
                yield from enumerate(rows, count)
                count += len(rows)

    def forget_before(self, number: int) -> None:
        """Drop the batches all of whose rows have a smaller number; they cause no more elements."""
        while len(self.kept) > 1 and self.kept[1][0] <= number:
            self.kept.popleft()

    def column(self, name: str, numbers: Iterable[int]) -> "pa.Array[Any]":
        """Return the values of a column in the rows with some numbers; each element is one row of its batch."""
        import pyarrow as pa

        first = self.kept[0][0]
        values = pa.chunked_array([batch.column(name) for _, _, batch in self.kept])
        return values.take(pa.array([number - first for number in numbers], pa.int64())).combine_chunks()

    def row_of(self, error: BaseException) -> str:
        """Return the representation of the row that a function was called for when it raised."""
        number = number_in(error)
        return UNKNOWN_ROW if number is None else self.row(number)

    def row(self, number: int) -> str:
        """Return the representation of the row with a number, where its batch is still there."""
        for first, rows, _ in self.kept:
            if first <= number < first + len(rows):
                return short_repr(rows[number - first])
        return UNKNOWN_ROW
