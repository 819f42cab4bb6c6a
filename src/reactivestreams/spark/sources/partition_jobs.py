"""Spark jobs of one partition each, with results as Arrow batches.

Only this file uses private calls of PySpark to read a DataFrame: `Dataset.toArrowBatchRdd`, `PythonRDD.runJob` and the
local socket that serves its result. `requirements.py` pins the version. If the calls are not available (some hosted
Sparks forbid them), `PublicPartitionJobs` does the same, more slowly, with public calls.

`DataFrame.toLocalIterator` is not used: in 4.3.0 it keeps the results of all partitions in the driver.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from pyspark import SparkContext
from pyspark.serializers import FramedSerializer
from pyspark.sql import SparkSession
from pyspark.sql.classic.dataframe import DataFrame

from reactivestreams.spark.errors import SparkJobError
from reactivestreams.spark.jvm_calls import java_class, static_method
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.sessions.stopped_session import SESSION_STOPPED, is_stopped

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrowPartitionJobs", "PartitionJobs", "PublicPartitionJobs", "partition_jobs"]

PYTHON_RDD = "org.apache.spark.api.python.PythonRDD"


class PartitionJobs(Protocol):
    """Reads a DataFrame partition by partition. Methods may be called in any thread; those that run jobs block."""

    def prepare(self) -> int:
        """Plan the DataFrame, run the stages before the last one, and return the number of partitions."""
        ...

    def fetch(self, index: int) -> "list[pa.RecordBatch]":
        """Compute one partition with its own job and return its batches."""
        ...

    def cancel(self) -> None:
        """Stop the running jobs of this object and refuse further ones."""
        ...

    def is_stopped(self) -> bool:
        """Return whether the session was stopped, and all jobs with it."""
        ...


def partition_jobs(dataframe: DataFrame, group: str, properties: Any = None) -> PartitionJobs:
    """Return an object that reads a DataFrame with one job per partition.

    Args:
        dataframe: A batch DataFrame of classic Spark.
        group: Name of the job group, different for each reader.
        properties: Local properties of a JVM thread for the jobs; None for those of the caller.

    Raises:
        SparkJobError: The session of the DataFrame was stopped.
    """
    session = dataframe.sparkSession
    if is_stopped(session):
        raise SparkJobError(SESSION_STOPPED)
    if can_read_arrow(dataframe):
        return ArrowPartitionJobs(dataframe, JobGroup(session, group, properties))
    return PublicPartitionJobs(dataframe, JobGroup(session, group, properties))


readable: "WeakKeyDictionary[SparkContext, bool]" = WeakKeyDictionary()
"""The result of `can_read_arrow`, because the check costs hundreds of calls, and a query needs it per micro-batch."""


def can_read_arrow(dataframe: DataFrame) -> bool:
    """Return whether this Spark has and allows the calls of `ArrowPartitionJobs`."""
    context = dataframe.sparkSession.sparkContext
    if context not in readable:
        readable[context] = has_arrow_calls(dataframe)
    return readable[context]


def has_arrow_calls(dataframe: DataFrame) -> bool:
    """Return whether the calls of `ArrowPartitionJobs` exist."""
    from py4j.protocol import Py4JError

    try:
        static_method(dataframe.sparkSession.sparkContext, PYTHON_RDD, "runJob")
        return "toArrowBatchRdd" in {str(method.getName()) for method in dataframe._jdf.getClass().getMethods()}
    except Py4JError:
        return False


class JobGroup:
    """The running jobs of one reader."""

    def __init__(self, session: SparkSession, name: str, properties: Any = None) -> None:
        self.session = session
        self.context: SparkContext = session.sparkContext
        self.name = name
        self.properties = properties
        self.threads: dict[int, Any] = {}
        """The JVM threads that wait for jobs, by their Python threads."""

    def enter(self, description: str) -> None:
        """Add the jobs that this thread starts from now on to the group."""
        if threading.get_ident() not in self.threads:
            self.threads[threading.get_ident()] = static_method(self.context, "java.lang.Thread", "currentThread")()
        if self.properties is not None:
            self.context._jsc.sc().setLocalProperties(self.properties.clone())
        self.context.setJobGroup(self.name, description, interruptOnCancel=True)

    def cancel(self) -> None:
        """Stop the group's jobs, including one that a thread is about to start."""
        if is_stopped(self.session):
            # Spark has ended most of them. A job that was submitted during the stop never ends, and its thread waits.
            for thread in [*self.threads.values()]:
                thread.interrupt()
            return
        self.context._jsc.sc().cancelJobGroupAndFutureJobs(self.name)


class RawBytes(FramedSerializer):
    """Reads the frames of Spark's socket as bytes."""

    def loads(self, frame: bytes) -> bytes:
        return frame


class ArrowPartitionJobs:
    """Reads partitions through the JVM, in the form of `DataFrame.toArrow`."""

    def __init__(self, dataframe: DataFrame, group: JobGroup) -> None:
        self.dataframe = dataframe
        self.group = group
        large = dataframe.sparkSession.conf.get("spark.sql.execution.arrow.useLargeVarTypes") == "true"
        self.schema: pa.Schema = arrow_schema(dataframe.schema, large_types=large)

    def prepare(self) -> int:
        """Make the plan; adaptive execution runs all stages before the last one now."""
        self.group.enter("reactivestreams: stages before the last one")
        return int(self.batches().getNumPartitions())

    def batches(self) -> Any:
        """Return a new RDD of the serialized batches, on top of the RDD of the plan.

        Each job needs its own: when a job fails, Spark also aborts every other job with the same last RDD, so that
        partitions before the failing one would be lost.
        """
        return self.dataframe._jdf.toArrowBatchRdd().toJavaRDD()

    def fetch(self, index: int) -> "list[pa.RecordBatch]":
        """Compute one partition and read its batches from the socket on which the JVM serves them."""
        import pyarrow as pa
        from pyspark.util import _load_from_socket

        self.group.enter(f"reactivestreams: partition {index}")
        context = self.group.context
        partitions = java_class(context, "java.util.ArrayList")()
        partitions.add(index)
        served = static_method(context, PYTHON_RDD, "runJob")(context._jsc.sc(), self.batches(), partitions)
        with _load_from_socket(served, RawBytes()) as frames:
            return [pa.ipc.read_record_batch(pa.py_buffer(frame), self.schema) for frame in frames]

    def cancel(self) -> None:
        """Stop the jobs."""
        self.group.cancel()

    def is_stopped(self) -> bool:
        """Return whether the session was stopped."""
        return is_stopped(self.group.session)


class PublicPartitionJobs:
    """Reads partitions with public calls: Python workers encode the batches as rows of bytes."""

    def __init__(self, dataframe: DataFrame, group: JobGroup) -> None:
        self.dataframe = dataframe
        self.group = group
        self.rdd: Any = None
        self.schema: pa.Schema = arrow_schema(dataframe.schema)

    def prepare(self) -> int:
        """Make the plan."""
        self.group.enter("reactivestreams: stages before the last one")
        self.rdd = self.dataframe.mapInArrow(batch_encoder(), "batch binary").rdd
        return int(self.rdd.getNumPartitions())

    def fetch(self, index: int) -> "list[pa.RecordBatch]":
        """Compute one partition and decode its batches."""
        import pyarrow as pa

        self.group.enter(f"reactivestreams: partition {index}")
        packed = self.group.context.runJob(self.rdd, row_bytes, [index])
        batches = [batch for frame in packed for batch in pa.ipc.open_stream(frame)]
        # Timestamps arrive in the session's time zone; they are converted to the same instants in UTC.
        return [batch.cast(self.schema) for batch in batches]

    def cancel(self) -> None:
        """Stop the jobs."""
        self.group.cancel()

    def is_stopped(self) -> bool:
        """Return whether the session was stopped."""
        return is_stopped(self.group.session)


def batch_encoder() -> Callable[[Any], Any]:
    """Return the function that encodes each batch of a partition as a row of bytes."""

    def encode(batches: Any) -> Any:
        import pyarrow as pa

        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.record_batch([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["batch"])

    return encode


def row_bytes(rows: Any) -> list[bytes]:
    """Return the only column of each row."""
    return [bytes(row[0]) for row in rows]
