"""Both sides of a keyed pipeline over a streaming DataFrame whose rows may fail."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.keyed.bucket_processor import BucketProcessor
from reactivestreams.spark.keyed.router import Sender, Sent, element_in
from reactivestreams.spark.keyed.shuffle_batches import PACK_ELEMENTS, Packs, PackTask
from reactivestreams.spark.keyed.tolerant_run import GuardedRun
from reactivestreams.spark.steps.executor_tasks import located_errors
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.spark.worker_heap import fewer_collections, freeze_heap

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["GuardedBucketProcessor", "GuardedPackTask"]


class GuardedPackTask(PackTask):
    """Runs the operators before `key_by` and packs their results with the rows that caused them, and the failures."""

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Pack one partition."""
        freeze_heap()
        packs = Packs(self)
        rows = NumberedRows(batches, self.source.decoder())
        sender = Sender(self.pipeline, rows, self.source, keyed=self.keyed, buckets=self.buckets)
        with fewer_collections(), located_errors(rows):
            for sent in sender.chunks(PACK_ELEMENTS):
                yield self.packed(packs, rows, sent)
        yield packs.mark()

    def packed(self, packs: Packs, rows: NumberedRows, sent: Sent) -> "pa.RecordBatch":
        """Return the packs of what is sent, one for each bucket."""
        packs.note_times(sent.times)
        positions: defaultdict[int, list[int]] = defaultdict(list)
        for position, bucket in enumerate(sent.buckets):
            positions[bucket].append(position)
        orders = self.orders_of(rows, sent.numbers)
        for bucket, chosen in positions.items():
            packs.add_chosen(bucket, orders, sent.items, chosen, sent.numbers, rows.row)
        return packs.take()

    def element_of(self, item: Any) -> Any:
        """Return the element of a traveller, and a failure as it is."""
        return element_in(item)


class GuardedBucketProcessor(BucketProcessor):
    """Runs the keyed operators of a bucket; its results are results and dead letters, as those of `OutcomeTask`.

    Args:
        arguments: As for `BucketProcessor`.
        rows: Schema of the DataFrame that the pipeline is applied to.
        applied_at: Line at which the user applied the pipeline.
    """

    def __init__(self, *arguments: Any, rows: "StructType", applied_at: str, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.rows = rows
        self.applied_at = applied_at

    def started(self, state: bytes | None) -> GuardedRun:
        """Return the operators of a bucket with a state."""
        return GuardedRun(
            self.pipeline,
            state,
            result=self.schema,
            rows=self.rows,
            applied_at=self.applied_at,
            expiry=self.expiry,
        )

    def batches(self, run: Any, elements: Iterable[Any], now: int | None) -> "Iterator[pa.RecordBatch]":
        """Feed the operators of a bucket and yield batches of what follows."""
        yield from run.run(elements, now=now)
