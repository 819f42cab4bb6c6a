"""Handing over micro-batches from Spark's stream thread to the reader of a query, one at a time.

Roles: Spark's *stream thread* calls the batch function, which waits until the reader has read the
    whole batch; one *reader* calls `take`, then `finish`; any thread may call `close`.
Invariants, true whenever the lock is free:
    I1  offered is the batch whose `hand_over` has not returned, and None between two batches.
    I2  hand_over returns normally only after `finish` for its batch: Spark commits only batches that were read.
    I3  after close no batch is offered for longer than the stop of the query takes.
Progress: the stream thread checks every `STOP_POLL_SECONDS` whether the query was stopped, which ends its wait; the
    reader waits at most for its timeout.
"""

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from reactivestreams.spark.errors import CheckpointError, SparkJobError
from reactivestreams.spark.failures import failure_summary, pipeline_error_in
from reactivestreams.spark.jvm_calls import local_properties, sleeper
from reactivestreams.spark.query_arguments import QueryArguments, compute
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.dataframe_rows import DataFrameRows, ReceivedRows, dataframe_rows
from reactivestreams.spark.storage.checkpoint_folder import checkpoint_error
from reactivestreams.spark.storage.file_system import FileSystem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "FOLDER",
    "STOP_POLL_SECONDS",
    "STOP_WAIT_SECONDS",
    "BatchHandover",
    "Delivered",
    "DeliveryRecord",
    "OfferedBatch",
    "QueryPlan",
    "short_error",
]

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
        self.readings: list[DataFrameRows | ReceivedRows] = []

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
        rows = dataframe_rows(self.frame, form=form, window=window, properties=self.properties, at_once=window)
        self.readings.append(rows)
        return rows

    def compute(self) -> None:
        """Compute the batch without a reader, so that stateful operators of the query save their state."""
        compute(self.frame)

    def compute_unread(self) -> None:
        """Compute the batch if the query has state and no reading has computed all of it."""
        if self.is_stateful and not any(rows.is_computed for rows in self.readings):
            self.compute()

    def close(self) -> None:
        """Free the persisted rows."""
        if self.is_persisted and not is_stopped(self.frame.sparkSession):
            self.frame.unpersist()


class BatchHandover:
    """The batch function of a classic session: passes micro-batches to the reader, and waits until each was read.

    Args:
        plan: The checked arguments.
        record: The record of earlier deliveries.
        is_stateful: Whether the query has state, so that unread rows of a batch are computed.
    """

    def __init__(self, plan: "QueryPlan", record: "DeliveryRecord", *, is_stateful: bool) -> None:
        self.plan = plan
        self.record = record
        self.is_stateful = is_stateful
        self.changed: threading.Condition = threading.Condition()
        self.offered: OfferedBatch | None = None
        self.taken: bool = False
        self.closed: bool = False
        self.abandoned: bool = False
        self.redelivered: bool = False
        self.failure: Exception | None = None

    def function(self, dataframe: Any, batch_id: int) -> None:
        """Hand over a batch in the stream thread, and return after all of it was consumed, so that Spark commits it.

        Raises:
            SparkJobError: The record refuses the batch, the reader has closed, or the session was stopped.
            Py4JJavaError: The query was stopped.
        """
        batch = OfferedBatch(batch_id, dataframe, is_stateful=self.is_stateful)
        try:
            try:
                delivered = self.record.begin(batch_id)
            except Exception as error:
                self.failure = error
                raise SparkJobError("the record of delivered batches could not take the batch") from None
            if delivered.wholly and self.plan.skip_delivered:
                batch.compute()
                return
            self.redelivered = delivered.begun
            self.hand_over(batch, stop_waiter(dataframe.sparkSession))
            batch.compute_unread()
        finally:
            batch.close()

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
        """Return the offered batch, or None after the timeout.

        Raises:
            CheckpointError: The record of delivered batches does not fit the batch.
            OSError: The record could not be read.
        """
        with self.changed:
            self.changed.wait_for(lambda: self.offered is not None and not self.taken, timeout_seconds)
            if self.failure is not None:
                raise self.failure
            if self.offered is None or self.taken:
                return None
            self.taken = True
            return self.offered

    def finish(self) -> None:
        """Let the batch function return, after the record has the batch."""
        with self.changed:
            self.offered = None
            self.changed.notify_all()

    def close(self) -> None:
        """Accept no more batches, and let a waiting batch function fail. Further calls do nothing."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, eq=False)
class QueryPlan:
    """The checked arguments of `from_query`.

    Args:
        dataframe: A streaming DataFrame.
        arguments: Those that all functions share that start a query.
        form: One of `QUERY_FORMS`.
        window: How many partitions may be computed ahead.
        skip_delivered: Whether a batch that was consumed completely is left out.
    """

    dataframe: "DataFrame"
    arguments: QueryArguments
    form: str
    window: int
    skip_delivered: bool

    @property
    def label(self) -> str:
        """The name of the query in messages."""
        return repr(self.arguments.name) if self.arguments.name is not None else f"at {self.arguments.checkpoint}"


def stop_waiter(session: Any) -> Callable[[float], None]:
    """Return a function that waits for the stop of the query whose stream thread calls it."""
    sleep = sleeper(session.sparkContext)

    def wait(seconds: float) -> None:
        if is_stopped(session):
            raise SparkJobError("the Spark session was stopped")
        # In the stream thread, like all calls that are made inside a call from the JVM.
        sleep(seconds)

    return wait


def short_error(error: BaseException, plan: QueryPlan) -> Exception:
    """Return the short error for an exception of Spark."""
    return (
        pipeline_error_in(error)
        or checkpoint_error(plan.arguments.checkpoint, plan.dataframe.sparkSession, error)
        or SparkJobError(
            f"the streaming query {plan.label} failed: {failure_summary(error)}; Spark's exception is the cause of "
            "this one"
        )
    )


FOLDER = "reactivestreams"
"""Name of this package's folder inside a checkpoint."""

RECORD_VERSION = 3

SLOTS = 2
"""Number of files that take turns with the number of the batch that was consumed last."""


@dataclass(frozen=True)
class Delivered:
    """An earlier delivery of a batch.

    Args:
        begun: Whether the batch was planned, so that some of its elements may have been delivered.
        wholly: Whether all of its elements had been consumed.
    """

    begun: bool
    wholly: bool


class DeliveryRecord:
    """The record of delivered batches in a checkpoint, so that a repeated batch is recognised; one reader uses it.

    The file `query.json`, made before Spark plans, has the version and the sources of the query. Of `delivered-0` and
    `delivered-1` the one with the greater number has the last batch that was consumed completely. It is written before
    Spark commits the batch, in place of the one before the last, so a kill in the midst of it leaves the other. Nothing
    is renamed or deleted. Which batch was begun and not committed is in Spark's logs.

    Args:
        checkpoint: URI of Spark's checkpoint.
        sources: The kinds of the sources of the query, whose offsets Spark stores; a record of others is refused. The
            name and the columns of a query may change between two runs.
        files: The file system of the checkpoint.
    """

    def __init__(self, checkpoint: str, sources: list[str], files: FileSystem) -> None:
        self.checkpoint = checkpoint
        self.sources = sources
        self.files = files
        self.path: str = f"{checkpoint}/{FOLDER}/query.json"
        self.slots: list[str] = [f"{checkpoint}/{FOLDER}/delivered-{slot}" for slot in range(SLOTS)]
        self.planned: int = -1
        self.delivered: int = -1

    def load(self) -> None:
        """Read the record, or make it before Spark makes its files, so that a kill never leaves these without a record.

        Raises:
            CheckpointError: The checkpoint belongs to another query, or the record is damaged or of another version.
            OSError: The file system failed.
        """
        self.planned = last_number(self.files.names(f"{self.checkpoint}/offsets"))
        self.delivered = max(number_in(self.files.read(slot)) for slot in self.slots)
        content = self.files.read(self.path)
        if content:
            self.refuse_other_query(content)
            return
        if self.planned >= 0:
            raise CheckpointError(
                f"the checkpoint {self.checkpoint} was not written by from_query of this release: it has Spark's files "
                f"but no {FOLDER}/query.json; give each query its own checkpoint folder"
            )
        if content is not None:
            self.files.delete(self.path)  # a kill has left it empty
        self.files.create(self.path, json.dumps({"version": RECORD_VERSION, "sources": self.sources}).encode())

    def refuse_other_query(self, content: bytes) -> None:
        """Raise if the record belongs to another query, or cannot be read."""
        try:
            fields = json.loads(content)
            version, theirs = fields["version"], fields["sources"]
            if version != RECORD_VERSION:
                raise ValueError(f"its version is {version!r}, and this release reads {RECORD_VERSION}")
        except (ValueError, TypeError, KeyError) as error:
            raise CheckpointError(
                f"{self.path} is not a record of this release ({type(error).__name__}: {error}); restore it with its "
                "checkpoint, use the release that wrote it, or remove both"
            ) from error
        if theirs != self.sources:
            raise CheckpointError(
                f"the checkpoint {self.checkpoint} belongs to another query: its sources are {theirs!r:.300}, those of "
                f"this one are {self.sources!r:.300}; give each query its own checkpoint folder"
            )

    def begin(self, batch_id: int) -> Delivered:
        """Return the earlier delivery of a batch that Spark passes now.

        Raises:
            CheckpointError: The batch is neither the last one nor the one after it.
        """
        if batch_id not in (self.delivered, self.delivered + 1) or batch_id < 0:
            raise CheckpointError(
                f"Spark continues with batch {batch_id}, but according to {self.path} the last batch that was "
                f"delivered is {self.delivered}; restore both from the same time, or remove both"
            )
        return Delivered(begun=batch_id <= self.planned, wholly=batch_id == self.delivered)

    def finish(self, batch_id: int) -> None:
        """Record that all elements of a batch were consumed.

        Raises:
            OSError: The record cannot be written.
        """
        if batch_id == self.delivered:
            return  # a kill while it is written again would lose it
        self.files.write(self.slots[batch_id % SLOTS], f"{batch_id}\n".encode())
        self.delivered = batch_id


def last_number(names: list[str]) -> int:
    """Return the largest number among names, or -1."""
    return max((int(name) for name in names if name.isdigit()), default=-1)


def number_in(content: bytes | None) -> int:
    """Return the number of a batch in a file, or -1 if the file is missing or was not written to its end."""
    return int(content) if content and content.endswith(b"\n") and content.strip().isdigit() else -1
