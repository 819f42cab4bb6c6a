"""The executor's side of moving elements to the bucket of their key, with what later puts them in order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from reactivestreams.operators.keyed.expiry import microseconds
from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.keyed.buckets import bucket_finder
from reactivestreams.spark.keyed.keyed_step import event_time_of, unsent_element
from reactivestreams.spark.keyed.partial_results import list_before_failure
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.rows.payload import payload_writer
from reactivestreams.spark.steps.executor_tasks import (
    PAYLOAD_COLUMN,
    RowsIn,
    ShuffledIn,
    located_errors,
    stream_of,
)
from reactivestreams.spark.steps.numbered_pipeline import numbered
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.spark.worker_heap import freeze_heap
from reactivestreams.stream import Operator, Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["BUCKET_COLUMN", "MOVED_BATCH_ELEMENTS", "ShuffleTask", "order_columns", "shuffled_schema"]

BUCKET_COLUMN = "bucket"
MOVED_BATCH_ELEMENTS = 10_000
"""How many elements one batch on its way to the buckets holds."""


def shuffled_schema(rows: "StructType", order_by: tuple[str, ...], keyed: Sequence[Operator]) -> "StructType":
    """Return the schema of elements on their way.

    Columns: the bucket; for each move to an operator with event times, the last one first, the time of the element that
    was moved, or of the one that caused it; the order's columns with their values in the row that caused the element;
    the partition that the row was read from; for each move so far the number of the element among all that its task
    moved; the element's bytes.

    Args:
        rows: Schema of the DataFrame.
        order_by: Columns that order the rows.
        keyed: The keyed operators that elements have been moved to, in their order.
    """
    from pyspark.sql.types import BinaryType, IntegerType, LongType, StructField, StructType

    fields = [StructField(BUCKET_COLUMN, IntegerType(), nullable=False)]
    fields += [
        StructField(f"time_{move}", LongType())
        for move, operator in reversed([*enumerate(keyed)])
        if event_time_of(operator) is not None
    ]
    fields += [StructField(f"order_{index}", rows[name].dataType) for index, name in enumerate(order_by)]
    fields.append(StructField("partition", IntegerType()))
    fields += [StructField(f"number_{move}", LongType()) for move in range(len(keyed))]
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
        self.keyed = keyed
        self.key_function: Callable[[Any], object] = keyed.parameters[0]
        self.event_time: Callable[[Any], Any] | None = event_time_of(keyed)
        self.buckets = buckets
        self.carried = carried
        self.schema = schema

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Run the step over one partition."""
        freeze_heap()
        rows = NumberedRows(batches, self.source.decoder())
        moved = MovedElements(self, rows)
        with located_errors(rows):
            for number, element in stream_of(numbered(self.pipeline), rows).iterate(prefetch=self.source.results_ahead):
                moved.add(number, element)
                if len(moved) == MOVED_BATCH_ELEMENTS:
                    yield moved.take()
                    rows.forget_before(number)
            if len(moved):
                yield moved.take()

    def element_of(self, item: Any) -> Any:
        """Return the element in an item that goes to a bucket."""
        return item


class MovedElements:
    """The elements of a task that wait to be sent off together."""

    def __init__(self, task: ShuffleTask, rows: NumberedRows) -> None:
        from pyspark import TaskContext

        context = TaskContext.get()
        self.task = task
        self.rows = rows
        self.schema: pa.Schema = arrow_schema(task.schema)
        self.partition: int = context.partitionId() if context is not None else 0
        self.count: int = 0
        # A list each: a tuple for each element would keep the garbage collector busy.
        self.buckets: list[int] = []
        self.causes: list[int] = []
        self.payloads: list[bytes] = []
        self.times: list[int | None] = []
        self.bucket_of: Callable[[object], int] = bucket_finder(task.buckets)
        self.bytes_of: Callable[[Any], bytes] = payload_writer()

    def add(self, number: int, element: Any) -> None:
        """Take an element, with the number of the row that caused it."""
        task, time = self.task, 0
        try:
            bucket = self.bucket_of(task.key_function(element))
            if task.event_time is not None:
                time = microseconds(task.event_time(element))
            payload = self.bytes_of(element)
        except Exception as error:
            raise self.unsent(number, element, error) from error
        if task.event_time is not None:
            self.times.append(time)
        self.payloads.append(payload)
        self.buckets.append(bucket)
        self.causes.append(number)

    def add_all(self, buckets: list[int], numbers: list[int], items: list[Any], times: list[int]) -> None:
        """Take items whose buckets are known, and the times of the first ones; what has failed has none."""
        payloads, failure = list_before_failure(map(self.bytes_of, items), len(items))
        if failure is not None:
            position = len(payloads)
            element = self.task.element_of(items[position])
            raise self.unsent(numbers[position], element, failure) from failure
        self.payloads += payloads
        self.buckets += buckets
        self.causes += numbers
        if self.task.event_time is not None:
            self.times += times
            self.times += [None] * (len(items) - len(times))

    def unsent(self, number: int, element: Any, error: Exception) -> PipelineError:
        """Return the error of an element that cannot be sent."""
        row = self.rows.row(number)
        return unsent_element(self.task.keyed, element, error, row=row, row_number=number, partition=self.partition)

    def __len__(self) -> int:
        return len(self.payloads)

    def take(self) -> "pa.RecordBatch":
        """Return a batch of what waits."""
        import pyarrow as pa

        size = len(self)
        columns = [pa.array(self.buckets, pa.int32())]
        if self.task.event_time is not None:
            columns.append(pa.array(self.times, pa.int64()))
        columns += [self.rows.column(name, self.causes) for name in self.task.carried]
        if isinstance(self.task.source, RowsIn):
            columns.append(pa.array([self.partition] * size, pa.int32()))
        columns.append(pa.array(range(self.count, self.count + size), pa.int64()))
        columns.append(pa.array(self.payloads, pa.binary()))
        self.count += size
        for taken in (self.buckets, self.causes, self.payloads, self.times):
            taken.clear()
        arrays = [column.cast(field.type) for column, field in zip(columns, self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)
