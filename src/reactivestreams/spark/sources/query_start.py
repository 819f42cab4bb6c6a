"""A streaming query that hands its micro-batches over: its start, its end and its errors.

Besides `query_end.py` and `dataframe_batch.py` only this file uses private calls of PySpark for streaming queries: the
JVM's `Thread.sleep`, which ends at once when Spark interrupts its stream thread, and the plan of a DataFrame.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import SparkJobError
from reactivestreams.spark.failures import failure_summary, pipeline_error_in
from reactivestreams.spark.jvm_calls import java_class, static_method
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.batch_handover import BatchHandover, OfferedBatch
from reactivestreams.spark.sources.dataframe_batch import DataFrameBatch
from reactivestreams.spark.sources.delivery_record import DeliveryRecord
from reactivestreams.spark.storage.checkpoint_files import damaged_checkpoint
from reactivestreams.spark.storage.spark_path import spark_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

__all__ = ["BatchDelivery", "QueryPlan", "StreamThread", "describe_query", "query_failure"]


SHOWN_SOURCE = re.compile(r"^[\s:+|~-]*(StreamingRelation\w*)", re.MULTILINE)
"""A streaming leaf in the text of a plan."""


@dataclass(frozen=True, eq=False)
class QueryPlan:
    """The checked arguments of `from_query`.

    Args:
        dataframe: A streaming DataFrame.
        checkpoint: Folder of the checkpoint.
        form: One of `QUERY_FORMS`.
        trigger: Arguments of Spark's `trigger`.
        output_mode: Spark's output mode.
        name: Name of the query, or None.
        window: How many partitions may be computed ahead.
        skip_delivered: Whether a batch that was consumed completely is left out.
    """

    dataframe: "DataFrame"
    checkpoint: Path
    form: str
    trigger: dict[str, Any]
    output_mode: str
    name: str | None
    window: int
    skip_delivered: bool

    @property
    def label(self) -> str:
        """The name of the query in messages."""
        return repr(self.name) if self.name is not None else f"at {self.checkpoint}"

    def writer(self) -> "DataStreamWriter":
        """Return Spark's description of the query, without the batch function."""
        writer = self.dataframe.writeStream.outputMode(self.output_mode).trigger(**self.trigger)
        writer = writer.option("checkpointLocation", spark_path(self.checkpoint))
        return writer if self.name is None else writer.queryName(self.name)


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
        batch = DataFrameBatch(batch_id, dataframe, is_stateful=self.delivery.is_stateful)
        try:
            self.delivery.deliver(batch, stop_waiter(dataframe.sparkSession))
        finally:
            batch.close()


def stop_waiter(session: Any) -> Callable[[float], None]:
    """Return a function that waits for the stop of the query whose stream thread calls it."""
    from py4j.protocol import Py4JJavaError

    context = session.sparkContext
    sleep = static_method(context, "java.lang.Thread", "sleep")

    def wait(seconds: float) -> None:
        if is_stopped(session):
            raise SparkJobError("the Spark session was stopped")
        try:
            # Runs in the stream thread, like all calls that are made inside a call from the JVM.
            sleep(int(seconds * 1000))
        except Py4JJavaError as error:
            # Spark searches the text for the interruption recursively, so the text must not include the stack.
            no_stack = context._gateway.new_array(java_class(context, "java.lang.StackTraceElement"), 0)
            error.java_exception.setStackTrace(no_stack)
            raise

    return wait


def describe_query(dataframe: "DataFrame") -> dict[str, Any]:
    """Return the description of a query, as values of JSON: the kinds of its sources, whose offsets are stored.

    The name and the columns of a query may change between two runs; Spark itself compares the schema of its state.
    """
    return {"sources": shown_sources(dataframe) if is_connect(dataframe) else plan_sources(dataframe)}


def plan_sources(dataframe: Any) -> list[str]:
    """Return the names of the streaming leaves in the plan of a classic DataFrame."""
    leaves = dataframe._jdf.queryExecution().analyzed().collectLeaves()
    found = (leaves.apply(index) for index in range(leaves.size()))
    return [str(leaf.nodeName()) for leaf in found if leaf.isStreaming()]


def shown_sources(dataframe: Any) -> list[str]:
    """Return the same for a DataFrame of Spark Connect, whose plan is available only as text."""
    _, _, analyzed = dataframe._explain_string(extended=True).partition("== Analyzed Logical Plan ==")
    analyzed, _, _ = analyzed.partition("\n== ")
    return SHOWN_SOURCE.findall(analyzed)


def query_failure(query: "StreamingQuery", plan: QueryPlan) -> Exception | None:
    """Return the error of a query, or None."""
    error = query.exception()
    if error is None:
        return None
    failure = short_error(error, plan)
    failure.__cause__ = error
    return failure


def short_error(error: BaseException, plan: QueryPlan) -> Exception:
    """Return the short error for an exception of Spark."""
    return (
        pipeline_error_in(error)
        or damaged_checkpoint(plan.checkpoint)
        or SparkJobError(
            f"the streaming query {plan.label} failed: {failure_summary(error)}; Spark's exception is the cause of "
            "this one"
        )
    )
