"""Spark jobs of one partition each, whose results come as Arrow batches.

The only file that reaches behind PySpark's public interface to read a DataFrame: `Dataset.toArrowBatchRdd`,
`PythonRDD.runJob` and the local socket that serves its result. `requirements.py` pins the version; where the calls are
missing all the same (some hosted Sparks forbid them), `PublicPartitionJobs` does the same, more slowly, with public
calls alone.

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
    """Reads a DataFrame a partition at a time. Methods may be called from any thread; those that run jobs block."""

    def prepare(self) -> int:
        """Plan the DataFrame, running the stages before its last one, and return how many partitions it has."""
        ...

    def fetch(self, index: int) -> "list[pa.RecordBatch]":
        """Compute one partition by a job of its own and return its batches."""
        ...

    def cancel(self) -> None:
        """Stop the jobs that run for this object and refuse those still to come."""
        ...

    def is_stopped(self) -> bool:
        """Tell whether the session was stopped, and all jobs with it."""
        ...


def partition_jobs(dataframe: DataFrame, group: str, properties: Any = None) -> PartitionJobs:
    """Return what reads a DataFrame by jobs of one partition.

    Args:
        dataframe: A batch DataFrame of classic Spark.
        group: Name of the job group, different for each reader.
        properties: Local properties of a thread of the JVM, which the jobs shall have; None for the caller's.

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
"""What `can_read_arrow` found: to look costs hundreds of calls, and a query asks with each micro-batch."""


def can_read_arrow(dataframe: DataFrame) -> bool:
    """Tell whether this Spark has the calls that `ArrowPartitionJobs` makes and lets us make them."""
    context = dataframe.sparkSession.sparkContext
    if context not in readable:
        readable[context] = has_arrow_calls(dataframe)
    return readable[context]


def has_arrow_calls(dataframe: DataFrame) -> bool:
    """Look for the calls that `ArrowPartitionJobs` makes."""
    from py4j.protocol import Py4JError

    try:
        static_method(dataframe.sparkSession.sparkContext, PYTHON_RDD, "runJob")
        return "toArrowBatchRdd" in {str(method.getName()) for method in dataframe._jdf.getClass().getMethods()}
    except Py4JError:
        return False


class JobGroup:
    """The jobs that one reader has running."""

    def __init__(self, session: SparkSession, name: str, properties: Any = None) -> None:
        self.session = session
        self.context: SparkContext = session.sparkContext
        self.name = name
        self.properties = properties
        self.threads: dict[int, Any] = {}
        """By Python's threads those of the JVM that wait for their jobs."""

    def enter(self, description: str) -> None:
        """Put the jobs that this thread starts from now on into the group."""
        if threading.get_ident() not in self.threads:
            self.threads[threading.get_ident()] = static_method(self.context, "java.lang.Thread", "currentThread")()
        if self.properties is not None:
            self.context._jsc.sc().setLocalProperties(self.properties.clone())
        self.context.setJobGroup(self.name, description, interruptOnCancel=True)

    def cancel(self) -> None:
        """Stop the group's jobs, also one that a thread is about to start."""
        if is_stopped(self.session):
            # Spark has ended most of them. One that came while it stopped never ends, and its thread waits for good.
            for thread in [*self.threads.values()]:
                thread.interrupt()
            return
        self.context._jsc.sc().cancelJobGroupAndFutureJobs(self.name)


class RawBytes(FramedSerializer):
    """Reads the frames of Spark's socket as they are."""

    def loads(self, frame: bytes) -> bytes:
        return frame


class ArrowPartitionJobs:
    """Reads partitions in the form in which `DataFrame.toArrow` gets them, through the JVM."""

    def __init__(self, dataframe: DataFrame, group: JobGroup) -> None:
        self.dataframe = dataframe
        self.group = group
        large = dataframe.sparkSession.conf.get("spark.sql.execution.arrow.useLargeVarTypes") == "true"
        self.schema: pa.Schema = arrow_schema(dataframe.schema, large_types=large)

    def prepare(self) -> int:
        """Make the plan; adaptive execution runs all stages before the last one here."""
        self.group.enter("reactivestreams: stages before the last one")
        return int(self.batches().getNumPartitions())

    def batches(self) -> Any:
        """Return a new RDD of the serialized batches, on top of the one that the plan shares.

        Each job takes one of its own: when a job fails, Spark also aborts every other job whose last RDD is the same,
        so that partitions before the failing one would be lost.
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
        """Ask the session."""
        return is_stopped(self.group.session)


class PublicPartitionJobs:
    """Reads partitions with public calls alone: Python workers pack the batches into rows of bytes."""

    def __init__(self, dataframe: DataFrame, group: JobGroup) -> None:
        self.dataframe = dataframe
        self.group = group
        self.rdd: Any = None
        self.schema: pa.Schema = arrow_schema(dataframe.schema)

    def prepare(self) -> int:
        """Make the plan."""
        self.group.enter("reactivestreams: stages before the last one")
        self.rdd = self.dataframe.mapInArrow(packer(), "batch binary").rdd
        return int(self.rdd.getNumPartitions())

    def fetch(self, index: int) -> "list[pa.RecordBatch]":
        """Compute one partition and unpack its batches."""
        import pyarrow as pa

        self.group.enter(f"reactivestreams: partition {index}")
        packed = self.group.context.runJob(self.rdd, row_bytes, [index])
        batches = [batch for frame in packed for batch in pa.ipc.open_stream(frame)]
        # The session's time zone marks the points in time on the way; they are the same points in UTC.
        return [batch.cast(self.schema) for batch in batches]

    def cancel(self) -> None:
        """Stop the jobs."""
        self.group.cancel()

    def is_stopped(self) -> bool:
        """Ask the session."""
        return is_stopped(self.group.session)


def packer() -> Callable[[Any], Any]:
    """Return the function that packs each batch of a partition into a row of bytes."""

    def pack(batches: Any) -> Any:
        import pyarrow as pa

        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.record_batch([pa.array([sink.getvalue().to_pybytes()], pa.binary())], ["batch"])

    return pack


def row_bytes(rows: Any) -> list[bytes]:
    """Return the only column of each row."""
    return [bytes(row[0]) for row in rows]
