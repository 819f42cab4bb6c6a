"""A streaming query that hands its micro-batches over: its start, its end and what it failed with.

Beside `query_end.py` and `dataframe_batch.py` the only file that reaches behind PySpark's public interface for
streaming queries: the JVM's own `Thread.sleep`, which ends at once when Spark interrupts its stream thread, and the
plan of a DataFrame.
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
    """What `from_query` was asked for, checked.

    Args:
        dataframe: A streaming DataFrame.
        checkpoint: Folder of the checkpoint.
        form: One of `QUERY_FORMS`.
        trigger: Arguments of Spark's `trigger`.
        output_mode: Spark's output mode.
        name: Name of the query, or None.
        window: How many partitions may be computed ahead.
        skip_delivered: Whether a batch that was consumed wholly before is left out.
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
        """What names the query in messages."""
        return repr(self.name) if self.name is not None else f"at {self.checkpoint}"

    def writer(self) -> "DataStreamWriter":
        """Return Spark's description of the query, without the batch function."""
        writer = self.dataframe.writeStream.outputMode(self.output_mode).trigger(**self.trigger)
        writer = writer.option("checkpointLocation", spark_path(self.checkpoint))
        return writer if self.name is None else writer.queryName(self.name)


class BatchDelivery:
    """What a batch function does with a micro-batch, wherever it runs: record, skip or hand over.

    Args:
        plan: What was asked for.
        record: What was delivered before.
        handover: Where the batches go.
        is_stateful: Whether the query keeps state, so that what the reader leaves of a batch is computed all the same.
    """

    def __init__(self, plan: QueryPlan, record: DeliveryRecord, handover: BatchHandover, *, is_stateful: bool) -> None:
        self.plan = plan
        self.record = record
        self.handover = handover
        self.is_stateful = is_stateful
        self.redelivered: bool = False
        self.failure: Exception | None = None

    def deliver(self, batch: OfferedBatch, await_stop: Callable[[float], None]) -> None:
        """Hand a batch over and return when all of it was consumed, so that Spark commits it.

        Args:
            batch: The batch.
            await_stop: As for `BatchHandover.hand_over`.

        Raises:
            SparkJobError: The record does not take the batch, or the reader has closed.
            Exception: What `await_stop` raised.
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
    """Return the function that waits for a stop of the query whose stream thread calls it."""
    from py4j.protocol import Py4JJavaError

    context = session.sparkContext
    sleep = static_method(context, "java.lang.Thread", "sleep")

    def wait(seconds: float) -> None:
        if is_stopped(session):
            raise SparkJobError("the Spark session was stopped")
        try:
            # Runs in the stream thread itself, as all calls that are made from inside a call of the JVM.
            sleep(int(seconds * 1000))
        except Py4JJavaError as error:
            # Spark searches the text for the interruption, recursively: with its stack the text would be too long.
            no_stack = context._gateway.new_array(java_class(context, "java.lang.StackTraceElement"), 0)
            error.java_exception.setStackTrace(no_stack)
            raise

    return wait


def describe_query(dataframe: "DataFrame") -> dict[str, Any]:
    """Return what tells a query from others, as values of JSON: the kinds of its sources, whose offsets are kept.

    Its name and its columns may change between two runs; where there is state, Spark itself compares its schema.
    """
    return {"sources": shown_sources(dataframe) if is_connect(dataframe) else plan_sources(dataframe)}


def plan_sources(dataframe: Any) -> list[str]:
    """Return the names of the streaming leaves in the plan of a classic DataFrame."""
    leaves = dataframe._jdf.queryExecution().analyzed().collectLeaves()
    found = (leaves.apply(index) for index in range(leaves.size()))
    return [str(leaf.nodeName()) for leaf in found if leaf.isStreaming()]


def shown_sources(dataframe: Any) -> list[str]:
    """Return the same of a DataFrame of Spark Connect, whose plan is shown as text alone."""
    _, _, analyzed = dataframe._explain_string(extended=True).partition("== Analyzed Logical Plan ==")
    analyzed, _, _ = analyzed.partition("\n== ")
    return SHOWN_SOURCE.findall(analyzed)


def query_failure(query: "StreamingQuery", plan: QueryPlan) -> Exception | None:
    """Return the error for what a query failed with; None where it did not fail."""
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
            f"the streaming query {plan.label} failed: {failure_summary(error)}; Spark's own exception is the cause of "
            "this one"
        )
    )
