"""What Spark calls for each bucket in a micro-batch: a stateful processor for transformWithStateInPandas."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from reactivestreams.operators.keyed.expiry import BEGINNING, Expiry
from reactivestreams.spark.keyed.blob_store import BlobStore, BucketHeading
from reactivestreams.spark.keyed.bucket_run import BucketRun
from reactivestreams.spark.keyed.unpacking import PackReader
from reactivestreams.spark.rows.arrow_stream import batch_bytes
from reactivestreams.spark.rows.row_encoding import RowEncoder
from reactivestreams.spark.worker_heap import fewer_collections, freeze_heap
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

__all__ = ["RESULT_COLUMN", "BucketProcessor"]

RESULT_COLUMN = "packed"
"""Column of the results, each cell an Arrow stream: what Spark makes of pandas columns would change values."""

MILLISECOND = 1000
"""Microseconds of a millisecond, in which Spark tells times."""


class BucketProcessor:
    """Runs the keyed operators of a bucket. An instance travels to the executors.

    Roles: Spark makes one copy a task and calls it in one thread, bucket by bucket, the buckets in no promised order.
    Invariants: a bucket is saved after each call that fed it; nothing is kept between calls but Spark's handle, so a
        task that is repeated begins from the state that the last micro-batch has committed.
    Progress: a call runs to its end; memory holds one bucket's operators, its elements of one micro-batch, and
        `RESULTS_HELD` results.

    Args:
        pipeline: The operators from `key_by` on.
        reader: Opens the packs.
        schema: Schema of the results.
        heading: What stands in front of the state.
        expiry: When a key is over, or None.
    """

    def __init__(
        self,
        pipeline: Pipeline[Any, Any],
        reader: PackReader,
        *,
        schema: "StructType",
        heading: BucketHeading,
        expiry: Expiry | None,
    ) -> None:
        self.pipeline = pipeline
        self.reader = reader
        self.schema = schema
        self.heading = heading
        self.expiry = expiry

    # The names of methods and of their parameters are Spark's, which calls by keyword.

    def init(self, handle: Any) -> None:
        """Take Spark's handle."""
        freeze_heap()
        self.handle = handle
        self.store: BlobStore = BlobStore(handle, self.heading)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        """Handle the packs of a bucket."""
        packs: list[tuple[int, int, bytes]] = []
        for frame in rows:
            columns = (frame[name].tolist() for name in ("partition", "number", "packed"))
            packs += [pack for pack in zip(*columns, strict=True) if pack[2] is not None]
        if not packs:  # only marks: bucket 0 looks whether the checkpoint is ours, and says so in a new one
            if not self.store.check():
                self.store.store(b"", 0)
            return
        with fewer_collections():
            yield from self.handled(self.reader.elements(packs), self.now(timerValues))

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Any]:  # noqa: N802, N803
        """Handle the elements of a bucket that the watermark has reached, and end the keys that are over."""
        expired = expiredTimerInfo.getExpiryTimeInMs() * MILLISECOND
        yield from self.handled((), max(expired, self.now(timerValues) or 0))

    def handleInitialState(self, key: Any, initialState: Any, timerValues: Any) -> None:  # noqa: N802, N803
        """Nothing: there is none."""

    def close(self) -> None:
        """Nothing is open."""

    def handled(self, elements: Iterable[Any], now: int | None) -> Iterator[Any]:
        """Run the operators of the bucket and yield frames of what follows."""
        import pandas as pd

        state, chunks = self.store.load()
        run = self.started(state)
        try:
            for batch in self.batches(run, elements, now):
                yield pd.DataFrame({RESULT_COLUMN: [batch_bytes(batch)]})
            self.store.store(run.save(), chunks)
            if self.expiry is not None:
                self.set_timer(run.next_due())
        finally:
            run.close()

    def started(self, state: bytes | None) -> Any:
        """Return the operators of a bucket with a state."""
        return BucketRun(self.pipeline, state)

    def batches(self, run: Any, elements: Iterable[Any], now: int | None) -> "Iterator[pa.RecordBatch]":
        """Feed the operators of a bucket and yield batches of what follows."""
        yield from RowEncoder(self.schema).encode(run.run(elements, now=now))

    def now(self, values: Any) -> int | None:
        """Return how late it is, in microseconds since 1970; None where no key ends by time."""
        if self.expiry is None:
            return None
        by_clock = self.expiry.event_time is None
        reached = values.getCurrentProcessingTimeInMs() if by_clock else values.getCurrentWatermarkInMs()
        return reached * MILLISECOND if reached > 0 else BEGINNING  # 0: Spark knows no watermark yet

    def set_timer(self, due: int | None) -> None:
        """Have Spark call when it is so late that more follows, and only then."""
        wanted = set() if due is None else {max(-(-due // MILLISECOND), 1)}
        present = set(self.handle.listTimers())
        for time in present - wanted:
            self.handle.deleteTimer(time)
        for time in wanted - present:
            self.handle.registerTimer(time)
