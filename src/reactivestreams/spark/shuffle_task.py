"""The executor's side of moving elements to the bucket of their key, with what later puts them in order."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.arrow_values import arrow_schema
from reactivestreams.spark.buckets import bucket_finder
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.executor_tasks import PAYLOAD_COLUMN, RowsIn, ShuffledIn, located_errors, stream_of
from reactivestreams.spark.payload import payload_writer
from reactivestreams.spark.plan import short_name
from reactivestreams.spark.row_encoding import short_repr
from reactivestreams.spark.tracked_rows import TrackedRows
from reactivestreams.stream import Operator, Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["BUCKET_COLUMN", "MOVED_BATCH_ELEMENTS", "ShuffleTask", "order_columns", "shuffled_schema"]

BUCKET_COLUMN = "bucket"
MOVED_BATCH_ELEMENTS = 10_000
"""How many elements one batch on its way to the buckets holds."""


def shuffled_schema(rows: "StructType", order_by: tuple[str, ...], moves: int) -> "StructType":
    """Return the schema of elements on their way.

    Columns: the bucket; the order's columns with their values in the row that caused the element; the partition that
        the row was read
    from; for each move so far the number of the element among all that its task moved; the element's bytes.
    """
    from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

    fields = [StructField(BUCKET_COLUMN, IntegerType(), nullable=False)]
    fields += [StructField(f"order_{index}", rows[name].dataType) for index, name in enumerate(order_by)]
    fields.append(StructField("partition", IntegerType()))
    fields += [StructField(f"number_{move}", LongType()) for move in range(moves)]
    fields.append(StructField(PAYLOAD_COLUMN, BinaryType(), nullable=False))
    return StructType(fields)


def order_columns(schema: "StructType") -> list[str]:
    """Return the columns of elements on their way that say where one stands: all but the bucket and the element."""
    return [name for name in schema.fieldNames() if name not in (BUCKET_COLUMN, PAYLOAD_COLUMN)]


class ShuffleTask:
    """Runs a step whose results go to the buckets of their keys.

    Args:
        pipeline: The operators of the step.
        source: Reads what comes in.
        keyed: The keyed operator that comes next; its first parameter is the key function.
        buckets: How many buckets there are.
        carried: Columns of the incoming batches that order the elements, in the outgoing order; in the first step the
            partition's number is added.
        schema: Schema of what goes out.
    """

    def __init__(
        self,
        pipeline: Pipeline[Any, Any],
        source: RowsIn | ShuffledIn,
        *,
        keyed: Operator,
        buckets: int,
        carried: list[str],
        schema: "StructType",
    ) -> None:
        self.pipeline = pipeline
        self.source = source
        self.key_function = keyed.parameters[0]
        self.keyed_name = short_name(keyed)
        self.keyed_assembly = str(keyed.assembly)
        self.buckets = buckets
        self.carried = carried
        self.schema = schema

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Run the step over one partition."""
        moved = MovedElements(self)
        moved.rows = TrackedRows(batches, self.source.decoder(), moved.seal)
        with located_errors(moved.rows):
            # The elements are collected inside the push, where the row that caused them is known; iterating only gives
            # the pace.
            for _ in stream_of(self.pipeline, moved.rows).do(on_next=moved.collect):
                if len(moved.payloads) >= MOVED_BATCH_ELEMENTS:
                    moved.seal()
                while moved.sealed:
                    yield moved.sealed.pop(0)
            moved.seal()
            yield from moved.sealed


class MovedElements:
    """The elements of a task that wait to be sent off, at most one batch's results and what one row of it makes."""

    rows: TrackedRows

    def __init__(self, task: ShuffleTask) -> None:
        from pyspark import TaskContext

        context = TaskContext.get()
        self.task = task
        self.find_bucket = bucket_finder(task.buckets)
        self.write = payload_writer()
        self.schema = arrow_schema(task.schema)
        self.partition = context.partitionId() if context is not None else 0
        self.count = 0
        self.buckets: list[int] = []
        self.causes: list[int] = []
        self.payloads: list[bytes] = []
        self.sealed: list[pa.RecordBatch] = []

    def collect(self, element: Any) -> None:
        """Take an element, with the row that caused it."""
        try:
            bucket = self.find_bucket(self.task.key_function(element))
            payload = self.write(element)
        except Exception as error:
            cause = " ".join(f"{type(error).__name__}: {error}".split("\n"))
            raise PipelineError.of_row(
                operator=self.task.keyed_name,
                assembly=self.task.keyed_assembly,
                row=short_repr(self.rows.row),
                cause=cause,
            ) from error
        self.buckets.append(bucket)
        self.causes.append(self.rows.position)
        self.payloads.append(payload)

    def seal(self) -> None:
        """Make a batch of what was collected from the current batch of rows."""
        import pyarrow as pa

        size = len(self.payloads)
        if not size:
            return
        batch = self.rows.batch
        causes = pa.array(self.causes, pa.int64())
        columns = [pa.array(self.buckets, pa.int32())]
        # Without a batch there is no cause: an operator that sends something for an empty partition.
        columns += [pa.nulls(size) if batch is None else batch.column(name).take(causes) for name in self.task.carried]
        if isinstance(self.task.source, RowsIn):
            columns.append(pa.array([self.partition] * size, pa.int32()))
        columns.append(pa.array(range(self.count, self.count + size), pa.int64()))
        columns.append(pa.array(self.payloads, pa.binary()))
        arrays = [column.cast(field.type) for column, field in zip(columns, self.schema, strict=True)]
        self.sealed.append(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
        self.count += size
        self.buckets, self.causes, self.payloads = [], [], []
