"""A streaming query that hands its micro-batches over: its start, its end and what it failed with.

Beside `query_end.py` the only file that reaches behind PySpark's public interface for streaming queries: the JVM's own
`Thread.sleep`, which ends at once when Spark interrupts its stream thread, and the properties of that thread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import PipelineError, SparkJobError
from reactivestreams.spark.pipelines.failures import failure_summary, pipeline_error_in
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.batch_handover import BatchHandover, OfferedBatch
from reactivestreams.spark.sources.delivery_record import DeliveryRecord

if TYPE_CHECKING:
    from pyspark.sql.classic.dataframe import DataFrame
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

__all__ = ["QueryPlan", "StreamThread", "describe_query", "query_failure"]


@dataclass(frozen=True, eq=False)
class QueryPlan:
    """What `from_query` was asked for, checked.

    Args:
        dataframe: A streaming DataFrame of classic Spark.
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

    def writer(self) -> "DataStreamWriter":
        """Return Spark's description of the query, without the batch function."""
        # Absolute as a path: Spark would resolve a relative one by the JVM's folder and Hadoop's default file system.
        writer = self.dataframe.writeStream.outputMode(self.output_mode).trigger(**self.trigger)
        writer = writer.option("checkpointLocation", self.checkpoint.as_uri())
        return writer if self.name is None else writer.queryName(self.name)


class StreamThread:
    """What runs in Spark's stream thread: the batch function.

    Args:
        plan: What was asked for.
        record: What was delivered before.
        handover: Where the batches go.
    """

    def __init__(self, plan: QueryPlan, record: DeliveryRecord, handover: BatchHandover) -> None:
        self.plan = plan
        self.record = record
        self.handover = handover
        self.redelivered: bool = False
        self.failure: Exception | None = None

    def __call__(self, dataframe: Any, batch_id: int) -> None:
        """Hand a batch over and return when all of it was consumed, so that Spark commits it."""
        try:
            delivered = self.record.begin(batch_id)
        except Exception as error:
            self.failure = error
            raise SparkJobError("the record of delivered batches could not take the batch") from None
        if delivered.wholly and self.plan.skip_delivered:
            # Computed all the same: stateful operators of the query save their state with it.
            dataframe.write.format("noop").mode("overwrite").save()
            return
        self.redelivered = delivered.begun
        context = dataframe.sparkSession.sparkContext
        properties = context._jsc.sc().getLocalProperties().clone()
        self.handover.hand_over(OfferedBatch(batch_id, dataframe, properties), stop_waiter(dataframe.sparkSession))


def stop_waiter(session: Any) -> Callable[[float], None]:
    """Return the function that waits for a stop of the query whose stream thread calls it."""
    from py4j.protocol import Py4JJavaError

    jvm, gateway = session.sparkContext._jvm, session.sparkContext._gateway

    def wait(seconds: float) -> None:
        if is_stopped(session):
            raise SparkJobError("the Spark session was stopped")
        try:
            # Runs in the stream thread itself, as all calls that are made from inside a call of the JVM.
            jvm.java.lang.Thread.sleep(int(seconds * 1000))
        except Py4JJavaError as error:
            # Spark searches the text for the interruption, recursively: with its stack the text would be too long.
            error.java_exception.setStackTrace(gateway.new_array(jvm.java.lang.StackTraceElement, 0))
            raise

    return wait


def describe_query(dataframe: "DataFrame", name: str | None) -> dict[str, Any]:
    """Return what tells a query from others, as values of JSON: its name, its columns and the kinds of its sources."""
    leaves = dataframe._jdf.queryExecution().analyzed().collectLeaves()
    sources = []
    for index in range(leaves.size()):
        leaf = leaves.apply(index)
        if leaf.isStreaming():
            sources.append(str(leaf.nodeName()))
    return {"name": name, "columns": dataframe.schema.simpleString(), "sources": sources}


def query_failure(query: "StreamingQuery", label: str) -> PipelineError | SparkJobError | None:
    """Return the error for what a query failed with; None where it did not fail."""
    error = query.exception()
    if error is None:
        return None
    failure = short_error(error, label)
    failure.__cause__ = error
    return failure


def short_error(error: BaseException, label: str) -> PipelineError | SparkJobError:
    """Return the short error for an exception of Spark."""
    return pipeline_error_in(error) or SparkJobError(
        f"the streaming query {label} failed: {failure_summary(error)}; Spark's own exception is the cause of this one"
    )
