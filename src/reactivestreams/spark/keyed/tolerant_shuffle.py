"""The tasks of a keyed pipeline over a batch DataFrame whose rows may fail."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.keyed.keyed_step import expiry_of
from reactivestreams.spark.keyed.router import Sender, element_in
from reactivestreams.spark.keyed.shuffle_task import MOVED_BATCH_ELEMENTS, MovedElements, ShuffleTask
from reactivestreams.spark.keyed.tolerant_run import GuardedRun
from reactivestreams.spark.steps.executor_tasks import RowsIn, ShuffledIn, located_errors
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.spark.worker_heap import fewer_collections, freeze_heap
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Accumulator
    from pyspark.sql.types import StructType

__all__ = ["GuardedBucketTask", "GuardedShuffleTask"]


class GuardedShuffleTask(ShuffleTask):
    """Runs the step before the keys; its results and its failures go to the buckets."""

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Run the step over one partition."""
        freeze_heap()
        assert isinstance(self.source, RowsIn)
        rows = NumberedRows(batches, self.source.decoder())
        moved = MovedElements(self, rows)
        sender = Sender(self.pipeline, rows, self.source, keyed=self.keyed, buckets=self.buckets)
        with fewer_collections(), located_errors(rows):
            for sent in sender.chunks(MOVED_BATCH_ELEMENTS):
                moved.add_all(sent.buckets, sent.numbers, sent.items, sent.times)
                yield moved.take()

    def element_of(self, item: Any) -> Any:
        """Return the element of a traveller, and a failure as it is."""
        return element_in(item)


class GuardedBucketTask:
    """Runs the keyed step of one bucket and gives results and dead letters, as `OutcomeTask` does.

    Args:
        pipeline: The operators, from the keyed one on.
        schema: Schema of the result.
        rows: Schema of the DataFrame that the pipeline is applied to.
        applied_at: Line at which the user applied the pipeline.
        counter: Where given, Spark's accumulator that counts the rows that fail; then the results come alone.
    """

    def __init__(
        self,
        pipeline: Pipeline[Any, Any],
        *,
        schema: "StructType",
        rows: "StructType",
        applied_at: str,
        counter: "Accumulator[int] | None" = None,
    ) -> None:
        self.pipeline = pipeline
        self.schema = schema
        self.rows = rows
        self.applied_at = applied_at
        self.counter = counter

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Run the step over one partition, which is a bucket."""
        freeze_heap()
        read = ShuffledIn().decoder()
        run = GuardedRun(
            self.pipeline,
            None,
            result=self.schema,
            rows=self.rows,
            applied_at=self.applied_at,
            expiry=expiry_of(self.pipeline.operators[0]),
            counter=self.counter,
        )
        try:
            with fewer_collections():
                yield from run.run(chain.from_iterable(map(read, batches)))
                yield from run.finish()
        finally:
            run.close()
