"""The shuffle of a streaming query, with many elements in one cell.

A streaming step writes one row per bucket and batch, not one per element. Spark shuffles and groups these rows and
gives a bucket its cells. Results come back in cells as well.
"""

import math
import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.keyed.buckets import bucket_finder, grouping_number
from reactivestreams.spark.keyed.keyed_step import KeyedStep
from reactivestreams.spark.keyed.partial_results import chunks_of, list_before_failure
from reactivestreams.spark.keyed.router import RoutedBatch, Router, element_in
from reactivestreams.spark.on_error.row_results import DEAD_LETTER_COLUMN, RESULT_COLUMN
from reactivestreams.spark.rows.arrow_stream import batch_bytes
from reactivestreams.spark.rows.arrow_values import arrow_schema, column_values, reader_of
from reactivestreams.spark.rows.payload import payload_reader, payload_writer
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.spark.steps.numbered_pipeline import Pair, numbered
from reactivestreams.spark.steps.step_results import RowsIn, located_errors, partition_number, stream_of
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.spark.worker_heap import fewer_collections, freeze_heap

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Accumulator
    from pyspark.sql.types import StructType

__all__ = [
    "ENCODED_COLUMN",
    "SHUFFLE_ELEMENTS",
    "EncodeTask",
    "ShuffleDecoder",
    "decode_counted_results",
    "decode_results",
    "shuffle_schema",
]

SHUFFLE_ELEMENTS = 10_000
"""How many elements a task collects before it sends them in one cell per bucket."""

DECODED_ROWS = 10_000
"""How many rows of a bucket are decoded at a time."""

ENCODED_COLUMN = "encoded"
"""Column of the cells."""


def shuffle_schema() -> "StructType":
    """Return the schema of shuffle batches: bucket, partition and number of the cell, latest event time, cell.

    The bucket is its `grouping_number`.

    Each task also sends a mark, a row without a cell, to bucket 0. So bucket 0 sees every micro-batch and notices a
    checkpoint of another pipeline.
    """
    from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType, TimestampType

    return StructType(
        [
            StructField("bucket", IntegerType(), nullable=False),
            StructField("partition", IntegerType()),
            StructField("number", LongType()),
            StructField("time", TimestampType()),
            StructField(ENCODED_COLUMN, BinaryType()),
        ]
    )


class EncodeTask:
    """Runs the operators before `key_by` and encodes their results. An instance is sent to the executors.

    Args:
        step: These operators, and the keyed operator.
        order_by: Columns that sort the elements.
    """

    def __init__(self, step: KeyedStep, *, order_by: tuple[str, ...]) -> None:
        assert isinstance(step.source, RowsIn)
        self.step = step
        self.source: RowsIn = step.source
        self.order_by = order_by

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Encode one partition."""
        freeze_heap()
        cells = Cells(self.step)
        if self.step.is_tolerant:
            encode = self.encoded_row_results
        else:
            # Without operators before the key, rows are sent as Arrow columns.
            encode = self.encoded_results if self.step.pipeline.operators else self.encoded_rows
        with fewer_collections():
            yield from encode(cells, batches)
        yield cells.mark()

    def encoded_rows(self, cells: "Cells", batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the cells of unchanged rows."""
        decode = self.source.decoder()
        count = 0
        for batch in batches:
            rows = list(decode(batch))
            if rows:
                yield self.encoded_batch(cells, batch, rows, count)
                count += len(rows)

    def encoded_batch(self, cells: "Cells", batch: "pa.RecordBatch", rows: list[Any], first: int) -> "pa.RecordBatch":
        """Return the cells of a batch's rows; `first` is the number of the first one."""
        import numpy as np

        numbers = range(first, first + len(rows))
        of_row = np.asarray(cells.buckets_of(rows, numbers, lambda number: short_repr(rows[number - first])))
        order = np.argsort(of_row, kind="stable")
        sorted_rows, sorted_buckets = batch.take(order), of_row[order]
        used, starts = np.unique(sorted_buckets, return_index=True)
        for bucket, start, stop in zip(used, starts, [*starts[1:], len(rows)], strict=True):
            cells.add(int(bucket), batch_bytes(sorted_rows.slice(start, stop - start)))
        return cells.take()

    def encoded_results(self, cells: "Cells", batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the cells of the results of the operators before the key."""
        rows = NumberedRows(batches, self.source.decoder())
        pairs = stream_of(numbered(self.step.pipeline), rows).iterate(prefetch=self.source.results_ahead)
        with located_errors(rows):
            for chunk in chunks_of(pairs, SHUFFLE_ELEMENTS):
                yield self.encoded_pairs(cells, rows, chunk)
                rows.drop_before(chunk[-1][0])

    def encoded_pairs(self, cells: "Cells", rows: NumberedRows, pairs: list[Pair]) -> "pa.RecordBatch":
        """Return the cells of some elements, with the sort columns of the rows that caused them."""
        numbers, elements = [number for number, _ in pairs], [element for _, element in pairs]
        orders = self.orders_of(rows, numbers)
        return cells.of(cells.buckets_of(elements, numbers, rows.row), orders, elements, numbers, rows.row)

    def encoded_row_results(self, cells: "Cells", batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the cells of the results, with the rows that caused them, and of the failures."""
        rows = NumberedRows(batches, self.source.decoder())
        with located_errors(rows):
            for batch in Router(self.step, rows).chunks(SHUFFLE_ELEMENTS):
                yield self.encoded_routed(cells, rows, batch)

    def encoded_routed(self, cells: "Cells", rows: NumberedRows, batch: RoutedBatch) -> "pa.RecordBatch":
        """Return the cells of a routed batch."""
        cells.note_times(batch.times)
        orders = self.orders_of(rows, batch.numbers)
        return cells.of(batch.buckets, orders, batch.items, batch.numbers, rows.row)

    def orders_of(self, rows: NumberedRows, numbers: list[int]) -> list[list[Any]]:
        """Return the values of the sort columns in some rows."""
        return [
            column_values(rows.column(name, numbers), reader_of(self.source.schema[name].dataType))
            for name in self.order_by
        ]


class Cells:
    """The cells of one task that wait until a batch is complete."""

    def __init__(self, step: KeyedStep) -> None:
        self.step = step
        self.partition: int = partition_number()
        self.schema: pa.Schema = arrow_schema(shuffle_schema())
        self.find: Callable[[object], int] = bucket_finder(step.buckets)
        self.write: Callable[[Any], bytes] = payload_writer()
        self.count: int = 0
        self.latest: int | None = None
        self.waiting: list[tuple[int, bytes]] = []

    def buckets_of(self, elements: list[Any], numbers: Sequence[int], row_of: Callable[[int], str]) -> list[int]:
        """Return the bucket of each element, and update the latest time.

        Args:
            elements: The elements.
            numbers: For each the number of the row that caused it.
            row_of: Returns the representation of the row with a number.
        """
        event_time = self.step.event_time
        found, failure = list_before_failure(map(self.find, map(self.step.key_function, elements)), len(elements))
        times: list[int] = []
        position = len(found)
        if event_time is not None:
            # Even if a key function failed: the time of an earlier element may fail, and is reported first.
            instants = map(event_time, islice(elements, position))
            times, untimed = list_before_failure(instants, position)
            position, failure = len(times), failure if untimed is None else untimed
        if failure is not None:
            raise self.unsent(elements[position], failure, numbers[position], row_of) from failure
        self.note_times(times)
        return found

    def note_times(self, times: Iterable[int]) -> None:
        """Update the latest time."""
        for time in times:
            if self.latest is None or time > self.latest:
                self.latest = time

    def add(self, bucket: int, cell: bytes) -> None:
        """Add a cell."""
        self.waiting.append((bucket, cell))

    def of(
        self,
        buckets: list[int],
        orders: list[list[Any]],
        items: list[Any],
        numbers: Sequence[int],
        row_of: Callable[[int], str],
    ) -> "pa.RecordBatch":
        """Return the cells of items, one per bucket, with their sort values.

        Args:
            buckets: The bucket of each item.
            orders: The sort columns.
            items: The items.
            numbers: For each item the number of the row that caused it.
            row_of: Returns the representation of the row with a number.
        """
        positions: defaultdict[int, list[int]] = defaultdict(list)
        for position, bucket in enumerate(buckets):
            positions[bucket].append(position)
        for bucket, chosen in positions.items():
            columns = [[order[position] for position in chosen] for order in orders]
            try:
                self.add(bucket, self.write((columns, [items[position] for position in chosen])))
            except Exception as error:
                alone = map(self.write, [items[position] for position in chosen])
                written, failure = list_before_failure(alone, len(chosen))
                position = chosen[0 if failure is None else len(written)]
                element = element_in(items[position]) if self.step.is_tolerant else items[position]
                raise self.unsent(element, failure or error, numbers[position], row_of) from error
        return self.take()

    def unsent(self, element: Any, error: Exception, number: int, row_of: Callable[[int], str]) -> PipelineError:
        """Return the error for an element that cannot be sent."""
        refused = self.step.unsent(element, error, row=row_of(number), row_number=number, partition=self.partition)
        return with_details(refused, error)

    def take(self) -> "pa.RecordBatch":
        """Return a batch of the waiting cells."""
        buckets, cells = zip(*self.waiting, strict=True)
        self.waiting.clear()
        return self.rows(buckets, cells, None)

    def mark(self) -> "pa.RecordBatch":
        """Return the mark of this task for bucket 0, with the latest time of its elements."""
        return self.rows((0,), (None,), self.latest)

    def rows(self, buckets: tuple[int, ...], cells: tuple[bytes | None, ...], latest: int | None) -> "pa.RecordBatch":
        """Return a batch of cells. Only the mark has a time, because Spark drops rows that it considers late."""
        import pyarrow as pa

        size = len(buckets)
        time = None if latest is None else datetime.fromtimestamp(latest / 1_000_000, UTC)
        columns = [
            pa.array(map(grouping_number, buckets), pa.int32()),
            pa.array([self.partition] * size, pa.int32()),
            pa.array(range(self.count, self.count + size), pa.int64()),
            pa.array([time] * size, self.schema.field("time").type),
            pa.array(cells, pa.binary()),
        ]
        self.count += size
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)


class ShuffleDecoder:
    """Decodes and sorts the elements of a bucket in a micro-batch.

    An instance is sent to the executors.

    Args:
        source: How to read rows, if rows were sent unchanged; None if elements were sent.
        order_by: Columns that sort the elements.
    """

    def __init__(self, source: RowsIn | None, order_by: tuple[str, ...]) -> None:
        self.source = source
        self.order_by = order_by

    def elements(self, cells: Iterable[tuple[int, int, bytes]]) -> Iterator[Any]:
        """Yield the elements of some cells, sorted by the columns; equal ones stay as read.

        Rows that were sent unchanged are sorted as Arrow columns and decoded `DECODED_ROWS` at a time, so that a bucket
        may have more of them than fit into memory as objects.

        Args:
            cells: The partition of each cell, its number there and its bytes.
        """
        ordered = [cell for _, _, cell in sorted(cells, key=operator.itemgetter(0, 1))]
        return self.sent_elements(ordered) if self.source is None else self.sent_rows(ordered, self.source)

    def sent_elements(self, cells: list[bytes]) -> Iterator[Any]:
        """Yield the elements of cells that were sent as elements."""
        read = payload_reader()
        if not self.order_by:
            for cell in cells:
                yield from read(cell)[1]
            return
        elements: list[Any] = []
        orders: list[list[Any]] = [[] for _ in self.order_by]
        for columns, part in map(read, cells):
            elements += part
            for order, column in zip(orders, columns, strict=True):
                order.extend(column)
        for position in sorted_positions(orders):
            yield elements[position]

    def sent_rows(self, cells: list[bytes], source: RowsIn) -> Iterator[Any]:
        """Yield the rows of cells of unchanged rows."""
        import pyarrow as pa

        decode = source.decoder()
        rows = pa.Table.from_batches([batch for cell in cells for batch in batches_of(cell)])
        cells.clear()
        if self.order_by and rows.num_rows > 1:
            positions = self.row_positions(rows, source)
            rows = rows.combine_chunks()  # rows are taken from one chunk: from many it takes long
            for start in range(0, len(positions), DECODED_ROWS):
                for batch in rows.take(positions.slice(start, DECODED_ROWS)).combine_chunks().to_batches():
                    yield from decode(batch)
            return
        for batch in rows.to_batches(max_chunksize=DECODED_ROWS):
            yield from decode(batch)

    def row_positions(self, rows: "pa.Table", source: RowsIn) -> "pa.Array[Any]":
        """Return the positions of rows in the order of the columns."""
        import pyarrow as pa
        import pyarrow.compute as pc

        columns = [rows.column(name) for name in self.order_by]
        if not all(is_sorted_as_in_spark(column.type) for column in columns):
            readers = [reader_of(source.schema[name].dataType) for name in self.order_by]
            orders = [
                [value for chunk in column.chunks for value in column_values(chunk, reader)]
                for column, reader in zip(columns, readers, strict=True)
            ]
            return pa.array(sorted_positions(orders), pa.int64())
        keys: dict[str, Any] = {}
        for number, column in enumerate(columns):
            if column.null_count:  # Arrow has nulls behind the values, Spark before them
                keys[f"valid_{number}"] = pc.is_valid(column)
            if pa.types.is_floating(column.type):
                keys[f"nan_{number}"] = pc.is_nan(column)
            keys[f"key_{number}"] = column
        order = [(name, "ascending") for name in keys]
        return pc.sort_indices(pa.table(keys), sort_keys=order)


def is_sorted_as_in_spark(kind: "pa.DataType") -> bool:
    """Return whether Arrow sorts values of a type as Spark does, apart from nulls and NaN."""
    import pyarrow as pa

    types = pa.types
    known = (types.is_integer, types.is_floating, types.is_boolean, types.is_string, types.is_date, types.is_timestamp)
    return any(is_one(kind) for is_one in known)


def sorted_positions(orders: list[list[Any]]) -> list[int]:
    """Return the positions of elements in the order of their sort columns."""
    keys: Sequence[Any] = comparable(orders[0]) if len(orders) == 1 else [*zip(*map(comparable, orders), strict=True)]
    return sorted(range(len(keys)), key=keys.__getitem__)


def comparable(values: list[Any]) -> list[Any]:
    """Return values that compare as in Spark: nulls first, NaN last."""
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


def decode_results(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    """Yield the results of the buckets, decoded from cells of Arrow batches."""
    for batch in batches:
        for cell in batch.column(0).to_pylist():
            yield from batches_of(cell)


def decode_counted_results(
    batches: "Iterable[pa.RecordBatch]", *, counter: "Accumulator[int]"
) -> "Iterator[pa.RecordBatch]":
    """Yield only the results of row results, and count the rows that failed.

    Args:
        batches: One partition.
        counter: The accumulator that counts them.
    """
    import pyarrow as pa

    for batch in decode_results(batches):
        letters = batch.column(DEAD_LETTER_COLUMN)
        failed = batch.num_rows - letters.null_count
        if failed:
            counter.add(failed)
        kept = batch.column(RESULT_COLUMN).filter(letters.is_null()) if failed else batch.column(RESULT_COLUMN)
        if len(kept):
            yield pa.RecordBatch.from_struct_array(kept)
