"""A streaming query as a re-iterable: each iteration runs the query from its checkpoint."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from reactivestreams.dropped import dropped
from reactivestreams.spark.errors import SparkJobError
from reactivestreams.spark.query_end import end_query
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.sessions.stopped_session import is_stopped, is_stopped_soon
from reactivestreams.spark.sources.batch_handover import BatchHandover, OfferedBatch
from reactivestreams.spark.sources.delivery_record import DeliveryRecord
from reactivestreams.spark.sources.micro_batch import MicroBatch
from reactivestreams.spark.sources.query_start import (
    BatchDelivery,
    QueryPlan,
    StreamThread,
    short_error,
)
from reactivestreams.spark.sources.remote_batches import BatchLostError, RemoteBatches
from reactivestreams.spark.stateful_query import is_stateful, source_names
from reactivestreams.spark.storage.checkpoint_folder import prepare_checkpoint
from reactivestreams.spark.storage.file_system import file_system

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

__all__ = ["IDLE", "IDLE_SECONDS", "QueryElements"]

IDLE_SECONDS = 0.1
"""How long an iteration waits for a batch before it yields `IDLE`."""


class Idle:
    """The type of `IDLE`."""

    def __repr__(self) -> str:
        return "IDLE"


IDLE = Idle()
"""Yielded while there is no batch, so that the iterating code can notice a cancellation."""


class QueryElements:
    """Iterable over the elements of a streaming query, and `IDLE` in between; nothing runs before the first `next`.

    Args:
        plan: The checked arguments.
    """

    def __init__(self, plan: QueryPlan) -> None:
        self.plan = plan

    def __iter__(self) -> Generator[Any, None, None]:
        """Yield the elements; the generator's `close()` stops the query.

        The request for the element after the last one of a batch means that the batch was consumed.
        """
        plan = self.plan
        session = plan.dataframe.sparkSession
        if is_stopped(session):
            raise self.stopped()
        checkpoint = plan.arguments.checkpoint
        prepare_checkpoint(checkpoint, session)
        names, has_state = self.describe()
        record = DeliveryRecord(checkpoint, names, file_system(checkpoint, session))
        record.load()
        handover = BatchHandover()
        delivery = BatchDelivery(plan, record, handover, is_stateful=has_state)
        # Left after the end of the query, so that waiting threads end without an error in the log.
        with batch_function(delivery) as function:
            query = self.start(function)
            try:
                while True:
                    batch = handover.take(IDLE_SECONDS)
                    if batch is None:
                        if self.has_ended(query, delivery):
                            return
                        yield IDLE
                        continue
                    try:
                        yield from self.elements_of(batch, is_redelivered=delivery.redelivered)
                    except BatchLostError:
                        handover.abandon()
                        self.has_ended(query, delivery)  # raises the error that ended it, if known
                        raise
                    record.finish(batch.batch_id)
                    handover.finish()
            finally:
                handover.close()
                self.stop(query)

    def describe(self) -> tuple[list[str], bool]:
        """Return the kinds of the sources for the record, and whether it has state."""
        try:
            return source_names(self.plan.dataframe), is_stateful(self.plan.dataframe)
        except Exception as error:
            stopped = is_stopped(self.plan.dataframe.sparkSession, error)
            raise (self.stopped() if stopped else short_error(error, self.plan)) from error

    def start(self, function: Callable[[Any, int], None]) -> "StreamingQuery":
        """Start the query."""
        try:
            return self.plan.arguments.writer(self.plan.dataframe).foreachBatch(function).start()
        except Exception as error:
            stopped = is_stopped(self.plan.dataframe.sparkSession, error)
            raise (self.stopped() if stopped else short_error(error, self.plan)) from error

    def elements_of(self, batch: OfferedBatch, *, is_redelivered: bool) -> Iterator[Any]:
        """Yield the elements of one batch."""
        if self.plan.form != "micro_batches":
            yield from batch.rows(self.plan.form, self.plan.window)
            return
        micro_batch = MicroBatch(batch, is_redelivered=is_redelivered, window=self.plan.window)
        try:
            yield micro_batch
        finally:
            micro_batch.close()

    def has_ended(self, query: "StreamingQuery", delivery: BatchDelivery) -> bool:
        """Return whether the query has ended.

        Raises:
            PipelineError: A pipeline that the query contains failed.
            CheckpointError: The record of delivered batches does not fit the batch.
            OSError: The record could not be written.
            SparkJobError: The query failed for another reason, or another program stopped it.
        """
        if delivery.failure is not None:
            raise delivery.failure
        if is_stopped(self.plan.dataframe.sparkSession):
            raise self.stopped()
        try:
            if query.isActive:
                return False
            failure = query.exception()
        except Exception as error:
            # With Spark Connect this calls the server, which may have ended.
            stopped = is_stopped_soon(self.plan.dataframe.sparkSession, error)
            raise (self.stopped() if stopped else short_error(error, self.plan)) from error
        if failure is not None:
            stopped = is_stopped(self.plan.dataframe.sparkSession, failure)
            raise self.stopped() if stopped else short_error(failure, self.plan) from failure
        if delivery.handover.abandoned or "availableNow" not in self.plan.arguments.trigger:
            raise self.stopped()
        return True

    def stopped(self) -> SparkJobError:
        """Return the error for a query that another program stopped."""
        return SparkJobError(
            f"the streaming query {self.plan.label} was stopped by another program, or its session was stopped; "
            "subscribe again in a running session to continue from the checkpoint"
        )

    def stop(self, query: "StreamingQuery") -> None:
        """Stop the query and wait until it has ended."""
        try:
            end_query(query, self.plan.dataframe.sparkSession)
        except Exception as error:
            # No one can receive this error: the reader has closed, or has received another error.
            dropped("cancel", error, origin="from_query")

    def __repr__(self) -> str:
        return f"QueryElements({self.plan.dataframe!r}, checkpoint={self.plan.arguments.checkpoint!r})"


def batch_function(delivery: BatchDelivery) -> AbstractContextManager[Callable[[Any, int], None]]:
    """Return a context manager of the function for `foreachBatch` and of its resources in this process."""
    if is_connect(delivery.plan.dataframe):
        return RemoteBatches(delivery)
    return nullcontext(StreamThread(delivery))
