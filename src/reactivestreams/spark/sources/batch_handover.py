"""Handing over micro-batches from Spark's stream thread to the reader of a query, one at a time.

Roles: Spark's *stream thread*, or with Spark Connect a thread that represents it here, calls `hand_over` from the batch
    function and waits in it until the reader has read the whole batch; one *reader* calls `take`, then `finish`; any
    thread may call `close`.
Invariants, true whenever the lock is free:
    I1  offered is the batch whose `hand_over` has not returned, and None between two batches.
    I2  hand_over returns normally only after `finish` for its batch: Spark commits only batches that were read.
    I3  after close or abandon no batch is offered.
Progress: the stream thread checks every `STOP_POLL_SECONDS` whether the query was stopped, which ends its wait; the
    reader waits at most for its timeout.
"""

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import SparkJobError
from reactivestreams.spark.jvm_calls import local_properties
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.dataframe_rows import DataFrameRows, dataframe_rows
from reactivestreams.spark.sources.partition_rows import PartitionRows
from reactivestreams.spark.stateful_query import compute

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["STOP_POLL_SECONDS", "STOP_WAIT_SECONDS", "BatchHandover", "OfferedBatch"]

STOP_POLL_SECONDS = 0.1
"""How often a blocked batch function checks whether its query was stopped."""

STOP_WAIT_SECONDS = 10.0
"""How long a batch function whose reader has closed waits for the stop of the query, which ends it without a log."""


class OfferedBatch:
    """A micro-batch that Spark passes to the batch function; readable until the batch is finished.

    In a classic session it is made in Spark's stream thread, whose local properties its jobs need.

    Args:
        batch_id: Spark's number of the batch, the same each time the batch is run.
        dataframe: Its rows.
        is_stateful: Whether the query has state, so that unread rows are computed at the end.
    """

    def __init__(self, batch_id: int, dataframe: "DataFrame", *, is_stateful: bool) -> None:
        self.batch_id = batch_id
        self.frame = dataframe
        self.is_stateful = is_stateful
        self.is_persisted: bool = False
        self.properties: Any = None if is_connect(dataframe) else local_properties(dataframe.sparkSession)
        self.readings: list[DataFrameRows | PartitionRows] = []

    @property
    def is_computed(self) -> bool:
        """Whether a reading has computed all of the batch."""
        return any(rows.is_computed for rows in self.readings)

    @property
    def dataframe(self) -> "DataFrame":
        """The rows as Spark's batch DataFrame."""
        if self.is_stateful and not self.is_persisted:
            # It is unknown which partitions the reader computes. They are persisted, so `compute` computes only the
            # others.
            self.frame.persist()
            self.is_persisted = True
        return self.frame

    def rows(self, form: str, window: int) -> Iterable[Any]:
        """Return the rows as a re-iterable; each iteration computes them again.

        Args:
            form: One of `ROW_FORMS`.
            window: As for `from_dataframe`.
        """
        rows = dataframe_rows(self.frame, form=form, window=window, properties=self.properties)
        self.readings.append(rows)
        return rows

    def compute(self) -> None:
        """Compute the batch without a reader, so that stateful operators of the query save their state."""
        compute(self.frame)

    def close(self) -> None:
        """Free the persisted rows."""
        if self.is_persisted and not is_stopped(self.frame.sparkSession):
            self.frame.unpersist()


class BatchHandover:
    """Passes micro-batches from Spark's stream thread to the reader, and waits until each was read."""

    def __init__(self) -> None:
        self.changed: threading.Condition = threading.Condition()
        self.offered: OfferedBatch | None = None
        self.taken: bool = False
        self.closed: bool = False
        self.abandoned: bool = False

    def hand_over(self, batch: OfferedBatch, await_stop: Callable[[float], None]) -> None:
        """Offer a batch and wait until it was read.

        Args:
            batch: The batch.
            await_stop: Called repeatedly with a time in seconds, 0 or more; raises if the query was stopped or is
                stopped within that time.

        Raises:
            SparkJobError: The reader has closed. The message is short: Spark handles it in a thread with a small stack.
            Exception: The exception of `await_stop`.
        """
        with self.changed:
            self.offered, self.taken = batch, False
            self.changed.notify_all()
        try:
            while True:
                with self.changed:
                    self.changed.wait_for(lambda: self.is_read() or self.closed, STOP_POLL_SECONDS)
                    if self.is_read():
                        return
                    closed = self.closed
                # Outside the lock, because it calls the JVM.
                await_stop(STOP_WAIT_SECONDS if closed else 0.0)
                if closed:
                    raise SparkJobError("the subscription of this query has ended")
        finally:
            with self.changed:
                self.abandoned = self.abandoned or self.offered is not None
                self.offered = None
                self.changed.notify_all()

    def is_read(self) -> bool:
        """Return whether the reader has finished the batch. The lock is held."""
        return self.offered is None

    def take(self, timeout_seconds: float) -> OfferedBatch | None:
        """Return the offered batch, or None after the timeout."""
        with self.changed:
            self.changed.wait_for(lambda: self.offered is not None and not self.taken, timeout_seconds)
            if self.offered is None or self.taken:
                return None
            self.taken = True
            return self.offered

    def finish(self) -> bool:
        """Let the batch function return. Return False if it has already failed, so that Spark does not commit."""
        with self.changed:
            finished = self.offered is not None
            self.offered = None
            self.changed.notify_all()
            return finished

    def abandon(self) -> None:
        """Record that the batch function has ended while its batch was read, so Spark does not commit."""
        with self.changed:
            self.abandoned = True

    def close(self) -> None:
        """Accept no more batches, and let a waiting batch function fail. Further calls do nothing."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()
