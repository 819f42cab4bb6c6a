"""Elements on their way to the buckets of their keys: the receiver's side, and the way of the results out."""

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.on_error.row_failures import DEAD_LETTER_COLUMN, RESULT_COLUMN
from reactivestreams.spark.rows.arrow_values import column_values, reader_of
from reactivestreams.spark.rows.payload import payload_reader
from reactivestreams.spark.steps.executor_tasks import RowsIn

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Accumulator

__all__ = ["CountingUnpackTask", "PackReader", "unpack_results"]


class PackReader:
    """Makes the elements of a bucket in a micro-batch, in their order, from its packs; an instance travels.

    Args:
        source: How the rows were read, where rows travel as they are; None where elements do.
        order_by: Columns that order the elements.
    """

    def __init__(self, source: RowsIn | None, order_by: tuple[str, ...]) -> None:
        self.source = source
        self.order_by = order_by

    def elements(self, packs: Iterable[tuple[int, int, bytes]]) -> list[Any]:
        """Return the elements of some packs, ordered by the columns, equal ones as read.

        Args:
            packs: For each its partition, its number there and its cell.
        """
        elements: list[Any] = []
        orders: list[list[Any]] = [[] for _ in self.order_by]
        for opened, part in map(self.opened, (cell for _, _, cell in sorted(packs, key=place_of))):
            elements += part
            for order, column in zip(orders, opened, strict=True):
                order.extend(column)
        if not orders or len(elements) < 2:
            return elements
        keys: Sequence[Any] = (
            comparable(orders[0]) if len(orders) == 1 else [*zip(*map(comparable, orders), strict=True)]
        )
        return [elements[position] for position in sorted(range(len(elements)), key=keys.__getitem__)]

    def opened(self, cell: bytes) -> tuple[list[list[Any]], list[Any]]:
        """Return the order's columns and the elements of a pack."""
        if self.source is None:
            columns, elements = payload_reader()(cell)
            return columns, elements
        schema, decode = self.source.schema, self.source.decoder()
        elements, columns = [], [[] for _ in self.order_by]
        for batch in batches_of(cell):
            elements += decode(batch)
            for name, column in zip(self.order_by, columns, strict=True):
                column.extend(column_values(batch.column(name), reader_of(schema[name].dataType)))
        return columns, elements


def place_of(pack: tuple[int, int, bytes]) -> tuple[int, int]:
    """Return where a pack stands in the order as read."""
    return pack[0], pack[1]


def comparable(values: list[Any]) -> list[Any]:
    """Return values that compare as Spark orders these: nulls first, NaN last."""
    if None not in values and not any(map(operator.ne, values, values)):
        return values
    return [
        (0, 0) if value is None else (2, 0) if isinstance(value, float) and math.isnan(value) else (1, value)
        for value in values
    ]


def batches_of(cell: bytes) -> "Iterator[pa.RecordBatch]":
    """Yield the Arrow batches in a cell."""
    import pyarrow as pa

    with pa.ipc.open_stream(cell) as reader:
        yield from reader


def unpack_results(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    """Yield the results of the buckets, which come as cells with Arrow batches."""
    for batch in batches:
        for cell in batch.column(0).to_pylist():
            yield from batches_of(cell)


class CountingUnpackTask:
    """Gives the results alone of buckets whose results are results and dead letters, and counts these.

    Args:
        counter: Spark's accumulator that counts them.
    """

    def __init__(self, counter: "Accumulator[int]") -> None:
        self.counter = counter

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Unpack one partition."""
        import pyarrow as pa

        for batch in unpack_results(batches):
            letters = batch.column(DEAD_LETTER_COLUMN)
            failed = batch.num_rows - letters.null_count
            if failed:
                self.counter.add(failed)
            kept = batch.column(RESULT_COLUMN).filter(letters.is_null()) if failed else batch.column(RESULT_COLUMN)
            if len(kept):
                yield pa.RecordBatch.from_struct_array(kept)
