"""Elements on their way to the buckets of their keys, many in one cell: the sender's side.

A streaming step writes a few rows for each bucket and batch, not one for each element: Spark moves and groups those
rows, and gives a bucket its cells.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reactivestreams.operators.expiry import Expiry, microseconds
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.keyed_state.buckets import bucket_finder
from reactivestreams.spark.pipelines.executor_tasks import RowsIn, located_errors, one_line, stream_of
from reactivestreams.spark.pipelines.failures import with_details
from reactivestreams.spark.pipelines.numbered_pipeline import numbered
from reactivestreams.spark.pipelines.plan import short_name
from reactivestreams.spark.pipelines.tracked_rows import NumberedRows
from reactivestreams.spark.rows.arrow_values import column_values, reader_of
from reactivestreams.spark.rows.payload import payload_writer
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.spark.worker_heap import fewer_collections, freeze_heap
from reactivestreams.stream import Operator, Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["PACK_ELEMENTS", "PackTask", "Packs", "event_time_of", "expiry_of", "pack_schema"]

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


def event_time_of(keyed: Operator) -> Callable[[Any], Any] | None:
    """Return the function that tells the time of an element; None where the keyed operator has no event times."""
    expiry = expiry_of(keyed)
    return None if expiry is None else expiry.event_time


def expiry_of(keyed: Operator) -> Expiry | None:
    """Return when a key of a keyed operator is over; None where it never is."""
    return next((parameter for parameter in keyed.parameters if isinstance(parameter, Expiry)), None)


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
        self.keyed_name: str = short_name(keyed)
        self.keyed_assembly: str = str(keyed.assembly)
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
        import numpy as np

        decode = self.source.decoder()
        for batch in batches:
            rows = list(decode(batch))
            if not rows:
                continue
            of_row = np.asarray(packs.buckets_of(rows))
            order = np.argsort(of_row, kind="stable")
            sorted_rows, sorted_buckets = batch.take(order), of_row[order]
            used, starts = np.unique(sorted_buckets, return_index=True)
            for bucket, start, stop in zip(used, starts, [*starts[1:], len(rows)], strict=True):
                packs.add(int(bucket), stream_bytes(sorted_rows.slice(start, stop - start)))
            yield packs.take()

    def packed_results(self, packs: "Packs", batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Yield the packs of what the operators before the key send."""
        rows = NumberedRows(batches, self.source.decoder())
        waiting: list[tuple[int, Any]] = []
        with located_errors(rows):
            for pair in stream_of(numbered(self.pipeline), rows).iterate(prefetch=self.source.results_ahead):
                waiting.append(pair)
                if len(waiting) == PACK_ELEMENTS:
                    yield self.packed_pairs(packs, rows, waiting)
                    rows.forget_before(pair[0])
                    waiting = []
            if waiting:
                yield self.packed_pairs(packs, rows, waiting)

    def packed_pairs(self, packs: "Packs", rows: NumberedRows, pairs: list[tuple[int, Any]]) -> "pa.RecordBatch":
        """Return the packs of some elements, with the columns that order them from the rows that caused them."""
        numbers, elements = [number for number, _ in pairs], [element for _, element in pairs]
        orders = self.orders_of(rows, numbers)
        positions: defaultdict[int, list[int]] = defaultdict(list)
        for position, bucket in enumerate(packs.buckets_of(elements)):
            positions[bucket].append(position)
        for bucket, chosen in positions.items():
            packs.add_chosen(bucket, orders, elements, chosen)
        return packs.take()

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
        self.partition = context.partitionId() if context is not None else 0
        self.schema: pa.Schema = arrow_schema(pack_schema())
        self.find: Callable[[object], int] = bucket_finder(task.buckets)
        self.write: Callable[[Any], bytes] = payload_writer()
        self.count: int = 0
        self.latest: int | None = None
        self.waiting: list[tuple[int, bytes]] = []

    def buckets_of(self, elements: list[Any]) -> list[int]:
        """Return the bucket of each element, and remember the latest time among them."""
        found: list[int] = []
        times: list[int] = []
        try:
            found.extend(map(self.find, map(self.task.key_function, elements)))
            if self.task.event_time is not None:
                times.extend(map(microseconds, map(self.task.event_time, elements)))
                self.note_times(times)
        except Exception as error:
            position = len(times) if len(found) == len(elements) else len(found)
            refused = PipelineError.of_row(
                operator=self.task.keyed_name,
                assembly=self.task.keyed_assembly,
                row=short_repr(elements[position]),
                cause=one_line(error),
            )
            raise with_details(refused) from error
        return found

    def note_times(self, times: Iterable[int]) -> None:
        """Remember the latest of some times."""
        for time in times:
            if self.latest is None or time > self.latest:
                self.latest = time

    def add(self, bucket: int, packed: bytes) -> None:
        """Take a pack."""
        self.waiting.append((bucket, packed))

    def add_chosen(self, bucket: int, orders: list[list[Any]], elements: list[Any], chosen: list[int]) -> None:
        """Take a pack of the elements at some positions, with the values that order them."""
        columns = [[order[position] for position in chosen] for order in orders]
        self.add(bucket, self.write((columns, [elements[position] for position in chosen])))

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


def stream_bytes(batch: "pa.RecordBatch") -> bytes:
    """Return an Arrow batch with its schema as bytes."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content
