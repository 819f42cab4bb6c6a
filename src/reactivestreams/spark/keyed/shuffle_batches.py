"""Elements on their way to the buckets of their keys, many in one cell: the sender's side.

A streaming step writes a few rows for each bucket and batch, not one for each element: Spark moves and groups those
rows, and gives a bucket its cells.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from reactivestreams.operators.keyed.expiry import microseconds
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.failures import with_details
from reactivestreams.spark.keyed.buckets import bucket_finder
from reactivestreams.spark.keyed.keyed_step import event_time_of, unsent_element
from reactivestreams.spark.keyed.partial_results import chunks_of, list_before_failure
from reactivestreams.spark.rows.arrow_stream import batch_bytes
from reactivestreams.spark.rows.arrow_values import column_values, reader_of
from reactivestreams.spark.rows.payload import payload_writer
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.spark.steps.executor_tasks import RowsIn, located_errors, stream_of
from reactivestreams.spark.steps.numbered_pipeline import Pair, numbered
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.spark.worker_heap import fewer_collections, freeze_heap
from reactivestreams.stream import Operator, Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["PACK_ELEMENTS", "PackTask", "Packs", "pack_schema"]

PACK_ELEMENTS = 10_000
"""How many elements a task holds back, at most, until it sends them off in one cell for each bucket."""


def pack_schema() -> "StructType":
    """Return the schema of packs: bucket, place of the pack in the order as read, latest event time, elements.

    The row of a task without elements marks that it ran. It goes to bucket 0, which so sees every micro-batch and
    notices a checkpoint of another pipeline.
    """
    from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType, TimestampType

    return StructType(
        [
            StructField("bucket", IntegerType(), nullable=False),
            StructField("partition", IntegerType()),
            StructField("number", LongType()),
            StructField("time", TimestampType()),
            StructField("packed", BinaryType()),
        ]
    )


class PackTask:
    """Runs the operators before `key_by` and packs their results; an instance travels to the executors.

    Args:
        pipeline: These operators.
        source: Reads the rows.
        keyed: The keyed operator; its first parameter is the key function.
        buckets: How many buckets there are.
        order_by: Columns that order the elements.
    """

    def __init__(
        self, pipeline: Pipeline[Any, Any], source: RowsIn, *, keyed: Operator, buckets: int, order_by: tuple[str, ...]
    ) -> None:
        self.pipeline = pipeline
        self.source = source
        self.keyed = keyed
        self.key_function: Callable[[Any], object] = keyed.parameters[0]
        self.event_time: Callable[[Any], Any] | None = event_time_of(keyed)
        self.buckets = buckets
        self.order_by = order_by

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Pack one partition."""
        freeze_heap()
        packs = Packs(self)
        # Without operators before the key, the rows travel as the Arrow columns that they are.
        pack = self.packed_results if self.pipeline.operators else self.packed_rows
        with fewer_collections():
            yield from pack(packs, batches)
        yield packs.mark()

    def packed_rows(self, packs: "Packs", batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the packs of the rows as they are."""
        decode = self.source.decoder()
        count = 0
        for batch in batches:
            rows = list(decode(batch))
            if rows:
                yield self.packed_batch(packs, batch, rows, count)
                count += len(rows)

    def packed_batch(self, packs: "Packs", batch: "pa.RecordBatch", rows: list[Any], first: int) -> "pa.RecordBatch":
        """Return the packs of a batch's rows, of which the first one has a number."""
        import numpy as np

        numbers = range(first, first + len(rows))
        of_row = np.asarray(packs.buckets_of(rows, numbers, lambda number: short_repr(rows[number - first])))
        order = np.argsort(of_row, kind="stable")
        sorted_rows, sorted_buckets = batch.take(order), of_row[order]
        used, starts = np.unique(sorted_buckets, return_index=True)
        for bucket, start, stop in zip(used, starts, [*starts[1:], len(rows)], strict=True):
            packs.add(int(bucket), batch_bytes(sorted_rows.slice(start, stop - start)))
        return packs.take()

    def packed_results(self, packs: "Packs", batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the packs of what the operators before the key send."""
        rows = NumberedRows(batches, self.source.decoder())
        pairs = stream_of(numbered(self.pipeline), rows).iterate(prefetch=self.source.results_ahead)
        with located_errors(rows):
            for chunk in chunks_of(pairs, PACK_ELEMENTS):
                yield self.packed_pairs(packs, rows, chunk)
                rows.forget_before(chunk[-1][0])

    def packed_pairs(self, packs: "Packs", rows: NumberedRows, pairs: list[Pair]) -> "pa.RecordBatch":
        """Return the packs of some elements, with the columns that order them from the rows that caused them."""
        numbers, elements = [number for number, _ in pairs], [element for _, element in pairs]
        orders = self.orders_of(rows, numbers)
        positions: defaultdict[int, list[int]] = defaultdict(list)
        for position, bucket in enumerate(packs.buckets_of(elements, numbers, rows.row)):
            positions[bucket].append(position)
        for bucket, chosen in positions.items():
            packs.add_chosen(bucket, orders, elements, chosen, numbers, rows.row)
        return packs.take()

    def element_of(self, item: Any) -> Any:
        """Return the element in an item that goes to a bucket."""
        return item

    def orders_of(self, rows: NumberedRows, numbers: list[int]) -> list[list[Any]]:
        """Return the values of the columns that order the elements, in the rows with some numbers."""
        return [
            column_values(rows.column(name, numbers), reader_of(self.source.schema[name].dataType))
            for name in self.order_by
        ]


class Packs:
    """The packs of one task that wait to be sent off together."""

    def __init__(self, task: PackTask) -> None:
        from pyspark import TaskContext

        from reactivestreams.spark.rows.arrow_values import arrow_schema

        context = TaskContext.get()
        self.task = task
        self.partition: int = context.partitionId() if context is not None else 0
        self.schema: pa.Schema = arrow_schema(pack_schema())
        self.find: Callable[[object], int] = bucket_finder(task.buckets)
        self.write: Callable[[Any], bytes] = payload_writer()
        self.count: int = 0
        self.latest: int | None = None
        self.waiting: list[tuple[int, bytes]] = []

    def buckets_of(self, elements: list[Any], numbers: Sequence[int], row_of: Callable[[int], str]) -> list[int]:
        """Return the bucket of each element, and remember the latest time among them.

        Args:
            elements: The elements.
            numbers: For each the number of the row that caused it.
            row_of: Returns the representation of the row with a number.
        """
        task = self.task
        found, failure = list_before_failure(map(self.find, map(task.key_function, elements)), len(elements))
        times: list[int] = []
        position = len(found)
        if task.event_time is not None:
            # Also where a key function has failed: the time of an element before may fail, which comes first.
            told = map(microseconds, map(task.event_time, islice(elements, position)))
            times, untimed = list_before_failure(told, position)
            position, failure = len(times), failure if untimed is None else untimed
        if failure is not None:
            raise self.unsent(elements[position], failure, numbers[position], row_of) from failure
        self.note_times(times)
        return found

    def note_times(self, times: Iterable[int]) -> None:
        """Remember the latest of some times."""
        for time in times:
            if self.latest is None or time > self.latest:
                self.latest = time

    def add(self, bucket: int, packed: bytes) -> None:
        """Take a pack."""
        self.waiting.append((bucket, packed))

    def add_chosen(
        self,
        bucket: int,
        orders: list[list[Any]],
        items: list[Any],
        chosen: list[int],
        numbers: Sequence[int],
        row_of: Callable[[int], str],
    ) -> None:
        """Take a pack of the items at some positions, with the values that order them.

        Args:
            bucket: Where they go.
            orders: The columns that order all items.
            items: The items.
            chosen: The positions.
            numbers: For each item the number of the row that caused it.
            row_of: Returns the representation of the row with a number.
        """
        columns = [[order[position] for position in chosen] for order in orders]
        try:
            self.add(bucket, self.write((columns, [items[position] for position in chosen])))
        except Exception as error:
            alone = map(self.write, [items[position] for position in chosen])
            written, failure = list_before_failure(alone, len(chosen))
            position = chosen[0 if failure is None else len(written)]
            element = self.task.element_of(items[position])
            raise self.unsent(element, failure or error, numbers[position], row_of) from error

    def unsent(self, element: Any, error: Exception, number: int, row_of: Callable[[int], str]) -> PipelineError:
        """Return the error of an element that cannot be sent."""
        refused = unsent_element(
            self.task.keyed, element, error, row=row_of(number), row_number=number, partition=self.partition
        )
        return with_details(refused, error)

    def take(self) -> "pa.RecordBatch":
        """Return a batch of the packs that wait."""
        buckets, cells = zip(*self.waiting, strict=True)
        self.waiting.clear()
        return self.rows(buckets, cells, None)

    def mark(self) -> "pa.RecordBatch":
        """Return the row that tells bucket 0 of this task, with the latest time of its elements."""
        return self.rows((0,), (None,), self.latest)

    def rows(self, buckets: tuple[int, ...], cells: tuple[bytes | None, ...], latest: int | None) -> "pa.RecordBatch":
        """Return a batch of packs. Only the mark has a time: Spark drops rows whose time it counts as too late."""
        import pyarrow as pa

        size = len(buckets)
        time = None if latest is None else datetime.fromtimestamp(latest / 1_000_000, UTC)
        columns = [
            pa.array(buckets, pa.int32()),
            pa.array([self.partition] * size, pa.int32()),
            pa.array(range(self.count, self.count + size), pa.int64()),
            pa.array([time] * size, self.schema.field("time").type),
            pa.array(cells, pa.binary()),
        ]
        self.count += size
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)
