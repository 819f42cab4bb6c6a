"""The strategy for a keyed pipeline on a batch DataFrame: each bucket gets and sorts the elements of its keys."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.keyed.buckets import bucket_finder
from reactivestreams.spark.keyed.keyed_step import KeyedStep, event_time_of, in_batch, in_batches
from reactivestreams.spark.keyed.partial_results import list_before_failure
from reactivestreams.spark.keyed.router import RoutedBatch, Router, element_in
from reactivestreams.spark.keyed.tolerant_run import TolerantRun
from reactivestreams.spark.on_error.error_policy import ErrorPolicy
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan, expiry_of
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.rows.payload import payload_writer
from reactivestreams.spark.steps.numbered_pipeline import numbered
from reactivestreams.spark.steps.step_results import (
    PAYLOAD_COLUMN,
    RowsIn,
    ShuffledIn,
    located_errors,
    partition_number,
    results_until_failure,
    stream_of,
)
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.spark.worker_heap import fewer_collections, freeze_heap
from reactivestreams.stream import Operator, Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["ShuffleTask", "keyed_batch_dataframe", "shuffled_schema"]

BUCKET_COLUMN = "bucket"
MOVED_BATCH_ELEMENTS = 10_000
"""How many elements a batch of the shuffle contains."""


def keyed_batch_dataframe(plan: PipelinePlan, df: "DataFrame", policy: ErrorPolicy) -> "DataFrame":
    """Return the DataFrame of a keyed plan, with the columns of the policy."""
    source: RowsIn | ShuffledIn = RowsIn(plan.form, policy.rows)
    carried = list(plan.order_by)
    elements = df
    keyed: list[Operator] = []
    for step in plan.steps:
        pipeline = in_batches(step.pipeline) if keyed else step.pipeline
        if step.shuffle is None:
            return elements.mapInArrow(BucketTask(pipeline, policy), policy.output)
        keyed.append(in_batch(step.shuffle))
        moved = shuffled_schema(policy.rows, plan.order_by, keyed)
        sent = KeyedStep(pipeline, source, keyed[-1], plan.buckets, is_tolerant=policy.is_tolerant)
        elements = elements.mapInArrow(ShuffleTask(sent, carried=carried, schema=moved), moved)
        # From here on a partition is a bucket, and its elements are sorted.
        carried = [name for name in moved.fieldNames() if name not in (BUCKET_COLUMN, PAYLOAD_COLUMN)]
        elements = elements.repartitionById(plan.buckets, BUCKET_COLUMN).sortWithinPartitions(BUCKET_COLUMN, *carried)
        source = ShuffledIn()
    raise AssertionError("the last step of a plan has no shuffle")


def shuffled_schema(rows: "StructType", order_by: tuple[str, ...], keyed: Sequence[Operator]) -> "StructType":
    """Return the schema of elements during a shuffle.

    Columns, in the order in which elements are sorted: the bucket; for each shuffle to an operator with event times,
    the last one first, the time of the shuffled element or of its cause; the columns of `order_by` in the row that
    caused the element; the partition of that row; for each shuffle so far the number of the element among those of its
    task; the element as bytes.

    Args:
        rows: Schema of the DataFrame.
        order_by: Columns that sort the rows.
        keyed: The keyed operators of the shuffles so far, in order.
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


class ShuffleTask:
    """Runs a step and writes its results for the shuffle. An instance is sent to the executors.

    Args:
        step: The operators of the step, and the next keyed operator.
        carried: Columns of the input that sort the elements, in the order of the output; the first step adds the
            partition's number.
        schema: Schema of the output.
    """

    def __init__(self, step: KeyedStep, *, carried: list[str], schema: "StructType") -> None:
        self.step = step
        self.carried = carried
        self.schema = schema

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Run the step on one partition."""
        freeze_heap()
        rows = NumberedRows(batches, self.step.source.decoder())
        moved = MovedElements(self, rows)
        move = self.moved_row_results if self.step.is_tolerant else self.moved_elements
        with located_errors(rows):
            yield from move(moved, rows)

    def moved_elements(self, moved: "MovedElements", rows: NumberedRows) -> "Iterator[pa.RecordBatch]":
        """Yield batches of the results; the first row that fails ends the task."""
        step = self.step
        for number, element in stream_of(numbered(step.pipeline), rows).iterate(prefetch=step.source.results_ahead):
            moved.add(number, element)
            if len(moved) == MOVED_BATCH_ELEMENTS:
                yield moved.take()
                rows.drop_before(number)
        if len(moved):
            yield moved.take()

    def moved_row_results(self, moved: "MovedElements", rows: NumberedRows) -> "Iterator[pa.RecordBatch]":
        """Yield batches of the results, with the rows that caused them, and of the failures."""
        with fewer_collections():
            for batch in Router(self.step, rows).chunks(MOVED_BATCH_ELEMENTS):
                moved.add_all(batch)
                yield moved.take()


class MovedElements:
    """Elements of a task that wait until a batch is complete."""

    def __init__(self, task: ShuffleTask, rows: NumberedRows) -> None:
        self.task = task
        self.step: KeyedStep = task.step
        self.key_function: Callable[[Any], object] = task.step.key_function
        self.event_time: Callable[[Any], int] | None = task.step.event_time
        self.rows = rows
        self.schema: pa.Schema = arrow_schema(task.schema)
        self.partition: int = partition_number()
        self.count: int = 0
        # Lists, because a tuple per element would keep the garbage collector busy.
        self.buckets: list[int] = []
        self.causes: list[int] = []
        self.payloads: list[bytes] = []
        self.times: list[int | None] = []
        self.bucket_of: Callable[[object], int] = bucket_finder(task.step.buckets)
        self.bytes_of: Callable[[Any], bytes] = payload_writer()

    def add(self, number: int, element: Any) -> None:
        """Add an element, with the number of the row that caused it."""
        time = 0
        try:
            bucket = self.bucket_of(self.key_function(element))
            if self.event_time is not None:
                time = self.event_time(element)
            payload = self.bytes_of(element)
        except Exception as error:
            raise self.unsent(number, element, error) from error
        if self.event_time is not None:
            self.times.append(time)
        self.payloads.append(payload)
        self.buckets.append(bucket)
        self.causes.append(number)

    def add_all(self, batch: RoutedBatch) -> None:
        """Add items whose buckets are known; failures have no time."""
        items, times = batch.items, batch.times
        payloads, failure = list_before_failure(map(self.bytes_of, items), len(items))
        if failure is not None:
            position = len(payloads)
            raise self.unsent(batch.numbers[position], element_in(items[position]), failure) from failure
        self.payloads += payloads
        self.buckets += batch.buckets
        self.causes += batch.numbers
        if self.event_time is not None:
            self.times += times
            self.times += [None] * (len(items) - len(times))

    def unsent(self, number: int, element: Any, error: Exception) -> PipelineError:
        """Return the error for an element that cannot be sent."""
        row = self.rows.row(number)
        return self.step.unsent(element, error, row=row, row_number=number, partition=self.partition)

    def __len__(self) -> int:
        return len(self.payloads)

    def take(self) -> "pa.RecordBatch":
        """Return a batch of the waiting elements."""
        import pyarrow as pa

        size = len(self)
        columns = [pa.array(self.buckets, pa.int32())]
        if self.event_time is not None:
            columns.append(pa.array(self.times, pa.int64()))
        columns += [self.rows.column(name, self.causes) for name in self.task.carried]
        if isinstance(self.step.source, RowsIn):
            columns.append(pa.array([self.partition] * size, pa.int32()))
        columns.append(pa.array(range(self.count, self.count + size), pa.int64()))
        columns.append(pa.array(self.payloads, pa.binary()))
        self.count += size
        for taken in (self.buckets, self.causes, self.payloads, self.times):
            taken.clear()
        arrays = [column.cast(field.type) for column, field in zip(columns, self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


class BucketTask:
    """Runs the last step on a bucket. An instance is sent to the executors.

    Args:
        pipeline: The operators, from the keyed one on.
        policy: What happens to rows that fail.
    """

    def __init__(self, pipeline: Pipeline[Any, Any], policy: ErrorPolicy) -> None:
        self.pipeline = pipeline
        self.policy = policy

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Run the step on one partition, which is a bucket."""
        freeze_heap()
        policy, source = self.policy, ShuffledIn()
        if not policy.is_tolerant:
            yield from results_until_failure(
                self.pipeline, source, batches, schema=policy.result, applied_at=policy.applied_at
            )
            return
        run = TolerantRun(self.pipeline, None, policy=policy, expiry=expiry_of(self.pipeline.operators[0]))
        try:
            with fewer_collections():
                yield from run.run(chain.from_iterable(map(source.decoder(), batches)))
                yield from run.finish()
        finally:
            run.close()
