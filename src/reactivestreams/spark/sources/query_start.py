"""A streaming query that hands its micro-batches over: its start, its end and its errors."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import SparkJobError
from reactivestreams.spark.failures import failure_summary, pipeline_error_in
from reactivestreams.spark.jvm_calls import sleeper
from reactivestreams.spark.query_arguments import QueryArguments
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.batch_handover import BatchHandover, OfferedBatch
from reactivestreams.spark.sources.delivery_record import DeliveryRecord
from reactivestreams.spark.storage.checkpoint_folder import checkpoint_error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["BatchDelivery", "QueryPlan", "StreamThread", "short_error"]


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


class BatchDelivery:
    """The work of a batch function with a micro-batch: record it, and skip it or hand it over.

    Args:
        plan: The checked arguments.
        record: The record of earlier deliveries.
        handover: Passes the batches to the reader.
        is_stateful: Whether the query has state, so that unread rows of a batch are computed.
    """

    def __init__(self, plan: QueryPlan, record: DeliveryRecord, handover: BatchHandover, *, is_stateful: bool) -> None:
        self.plan = plan
        self.record = record
        self.handover = handover
        self.is_stateful = is_stateful
        self.redelivered: bool = False
        self.failure: Exception | None = None

    def deliver(self, batch: OfferedBatch, await_stop: Callable[[float], None]) -> None:
        """Hand over a batch and return after all of it was consumed, so that Spark commits it.

        Args:
            batch: The batch.
            await_stop: As for `BatchHandover.hand_over`.

        Raises:
            SparkJobError: The record refuses the batch, or the reader has closed.
            Exception: The exception of `await_stop`.
        """
        try:
            delivered = self.record.begin(batch.batch_id)
        except Exception as error:
            self.failure = error
            raise SparkJobError("the record of delivered batches could not take the batch") from None
        if delivered.wholly and self.plan.skip_delivered:
            batch.compute()
            return
        self.redelivered = delivered.begun
        self.handover.hand_over(batch, await_stop)
        if self.is_stateful and not batch.is_computed:
            batch.compute()


class StreamThread:
    """What runs in the stream thread of a classic session: the batch function.

    Args:
        delivery: What it does.
    """

    def __init__(self, delivery: BatchDelivery) -> None:
        self.delivery = delivery

    def __call__(self, dataframe: Any, batch_id: int) -> None:
        """Deliver a batch."""
        batch = OfferedBatch(batch_id, dataframe, is_stateful=self.delivery.is_stateful)
        try:
            self.delivery.deliver(batch, stop_waiter(dataframe.sparkSession))
        finally:
            batch.close()


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
