"""Spark jobs of one partition each, or of the few of a micro-batch, with results as Arrow batches.

`ArrowPartitionJobs` needs private calls. Where they are not available (some hosted Sparks forbid them),
`PublicPartitionJobs` does the same, more slowly, with public calls.

`DataFrame.toLocalIterator` is not used: in 4.3.0 it keeps the results of all partitions in the driver.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.errors import SparkJobError
from reactivestreams.spark.jvm_calls import (
    arrow_rdd,
    can_read_arrow,
    cancel_group,
    fetched_frames,
    java_thread,
    set_local_properties,
)
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.sessions.stopped_session import SESSION_STOPPED, is_stopped

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import SparkContext
    from pyspark.sql.classic.dataframe import DataFrame

__all__ = ["ArrowPartitionJobs", "PartitionJobs", "PublicPartitionJobs", "partition_jobs"]


def partition_jobs(dataframe: "DataFrame", name: str, properties: Any = None, *, at_once: int = 1) -> "PartitionJobs":
    """Return an object that reads a DataFrame with one job per part: a partition, or all of them.

    Args:
        dataframe: A batch DataFrame of classic Spark.
        name: Name of the job group, different for each reader.
        properties: Local properties of a JVM thread for the jobs; None for those of the caller.
        at_once: So many partitions, or fewer, are one part.

    Raises:
        SparkJobError: The session of the DataFrame was stopped.
    """
    if is_stopped(dataframe.sparkSession):
        raise SparkJobError(SESSION_STOPPED)
    kind = ArrowPartitionJobs if can_read_arrow(dataframe) else PublicPartitionJobs
    return kind(dataframe, name, properties, at_once)


class PartitionJobs:
    """Reads a DataFrame part by part. Methods may be called in any thread; those that run jobs block.

    The jobs are a group. A subclass plans and computes.

    Args:
        dataframe: As for `partition_jobs`.
        name: As for `partition_jobs`.
        properties: As for `partition_jobs`.
        at_once: As for `partition_jobs`.
    """

    schema: "pa.Schema"
    """Schema of the batches."""

    def __init__(self, dataframe: "DataFrame", name: str, properties: Any, at_once: int) -> None:
        self.dataframe = dataframe
        self.context: SparkContext = dataframe.sparkSession.sparkContext
        self.name = name
        self.properties = properties
        self.at_once = at_once
        self.parts: list[range] = []
        """The partitions of each part."""
        self.threads: dict[int, Any] = {}
        """The JVM threads that wait for jobs, by their Python threads."""

    def prepare(self) -> int:
        """Plan the DataFrame, run the stages before the last one, and return the number of parts."""
        self.enter("reactivestreams: stages before the last one")
        count = self.planned()
        self.parts = [range(count)] if 0 < count <= self.at_once else [range(at, at + 1) for at in range(count)]
        return len(self.parts)

    def planned(self) -> int:
        """Plan the DataFrame and return the number of partitions."""
        raise NotImplementedError

    def fetch(self, index: int) -> "list[pa.RecordBatch]":
        """Compute one part with its own job and return its batches."""
        part = self.parts[index]
        self.enter(f"reactivestreams: partition {part[0]}" + f" to {part[-1]}" * (len(part) > 1))
        return self.computed([*part])

    def computed(self, partitions: list[int]) -> "list[pa.RecordBatch]":
        """Compute some partitions with one job and return their batches."""
        raise NotImplementedError

    def enter(self, description: str) -> None:
        """Add the jobs that this thread starts from now on to the group."""
        if threading.get_ident() not in self.threads:
            self.threads[threading.get_ident()] = java_thread(self.context)
        if self.properties is not None:
            set_local_properties(self.context, self.properties)
        self.context.setJobGroup(self.name, description, interruptOnCancel=True)

    def cancel(self) -> None:
        """Stop the running jobs, including one that a thread is about to start, and refuse further ones."""
        if self.is_stopped():
            # Spark has ended most of them. A job that was submitted during the stop never ends, and its thread waits.
            for thread in [*self.threads.values()]:
                thread.interrupt()
            return
        cancel_group(self.context, self.name)

    def is_stopped(self) -> bool:
        """Return whether the session was stopped, and all jobs with it."""
        return is_stopped(self.dataframe.sparkSession)


class ArrowPartitionJobs(PartitionJobs):
    """Reads partitions through the JVM, in the form of `DataFrame.toArrow`."""

    def __init__(self, dataframe: "DataFrame", name: str, properties: Any, at_once: int) -> None:
        super().__init__(dataframe, name, properties, at_once)
        large = dataframe.sparkSession.conf.get("spark.sql.execution.arrow.useLargeVarTypes") == "true"
        self.schema = arrow_schema(dataframe.schema, large_types=large)

    def planned(self) -> int:
        """Make the plan; adaptive execution runs all stages before the last one now."""
        return int(arrow_rdd(self.dataframe).getNumPartitions())

    def computed(self, partitions: list[int]) -> "list[pa.RecordBatch]":
        """Compute some partitions and read their batches.

        Each job needs its own RDD: when a job fails, Spark also aborts every other job with the same last RDD, so that
        partitions before the failing one would be lost.
        """
        import pyarrow as pa

        frames = fetched_frames(self.context, arrow_rdd(self.dataframe), partitions)
        return [pa.ipc.read_record_batch(pa.py_buffer(frame), self.schema) for frame in frames]


class PublicPartitionJobs(PartitionJobs):
    """Reads partitions with public calls: Python workers encode the batches as rows of bytes."""

    def __init__(self, dataframe: "DataFrame", name: str, properties: Any, at_once: int) -> None:
        super().__init__(dataframe, name, properties, at_once)
        self.rdd: Any = None
        self.schema = arrow_schema(dataframe.schema)

    def planned(self) -> int:
        """Make the plan."""
        self.rdd = self.dataframe.mapInArrow(batch_encoder(), "batch binary").rdd
        return int(self.rdd.getNumPartitions())

    def computed(self, partitions: list[int]) -> "list[pa.RecordBatch]":
        """Compute some partitions and decode their batches."""
        import pyarrow as pa

        packed = self.context.runJob(self.rdd, row_bytes, partitions)
        batches = [batch for frame in packed for batch in pa.ipc.open_stream(frame)]
        # Timestamps arrive in the session's time zone; they are converted to the same instants in UTC.
        return [batch.cast(self.schema) for batch in batches]


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
