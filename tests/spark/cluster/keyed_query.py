"""A query with keyed state from a replayable factory, which tests run in a driver of the cluster."""

import time
from typing import Any

from reactivestreams import Stream
from tests.spark.keyed.test_keyed_streaming import DIGEST, digests, made_rows

SCHEMA = "id bigint, key string, number bigint, at double"
ROWS = 400
BATCH_ROWS = 50
DEADLINE_SECONDS = 150


class Rows:
    """A replayable factory of the rows."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __call__(self, offset: int) -> Stream[Any]:
        return Stream.from_iterable(made_rows(self.count)[offset:])


def results() -> Any:
    """Return the streaming DataFrame."""
    from reactivestreams.spark import apply, to_streaming_dataframe

    arriving = to_streaming_dataframe(Rows(ROWS), SCHEMA, max_rows=BATCH_ROWS, tasks=2)
    return apply(digests(), arriving, schema=DIGEST, as_="tuples", order_by="id", buckets=3)


def start_on_storage(spark: Any, base: str) -> None:
    """Start it, to files that Spark writes on a file system of the cluster."""
    writer = results().writeStream.format("parquet").option("path", f"{base}/out")
    writer.option("checkpointLocation", f"{base}/checkpoint").start()


def start_in_folder(spark: Any, base: str) -> None:
    """Start it, to a folder that all machines share, or on a file system of the cluster."""
    from reactivestreams.spark import to_path

    running.append(to_path(results(), f"{base}/out", checkpoint=f"{base}/checkpoint"))


def await_batch(spark: Any, number: int) -> int:
    """Wait until a batch is committed, and return the last one that is."""
    (query,) = spark.streams.active
    end = time.monotonic() + DEADLINE_SECONDS
    while not (query.lastProgress and query.lastProgress.batchId >= number and query.lastProgress.numInputRows):
        assert query.isActive, query.exception()
        assert time.monotonic() < end, f"batch {number} is not committed: {query.lastProgress}"
        time.sleep(0.05)
    return int(query.lastProgress.batchId)


def await_rows(spark: Any, base: str) -> list[Any]:
    """Wait until all rows are processed, stop the query, and return all rows that it has ever written."""
    (query,) = spark.streams.active
    query.processAllAvailable()
    query.stop()
    return [list(row) for row in spark.read.parquet(f"{base}/out").select("key", "id", "digest").collect()]


def read_batches(spark: Any, base: str, count: int | None) -> list[Any]:
    """Read its micro-batches as a stream, to the end or so many of them, and not what is behind the last one."""
    from reactivestreams.spark import from_query

    batches = iter(from_query(results(), checkpoint=f"{base}/checkpoint", as_="micro_batches", trigger="available_now"))
    found: list[Any] = []
    for batch in batches:
        found.append([batch.batch_id, batch.is_redelivered, batch.read("tuples").to_list()])
        if len(found) == count:
            break
    spark.kept = batches  # neither ended nor closed: the machine is powered off
    return found


running: list[Any] = []
"""The queries that were started in this driver, and whose handles are needed."""


def start_numbers(spark: Any, base: str) -> None:
    """Start a query of numbers that two drivers may start."""
    from reactivestreams.spark import to_path

    numbers = spark.readStream.format("rate").option("rowsPerSecond", 20).load().select("value")
    running.append(to_path(numbers, f"{base}/out", checkpoint=f"{base}/checkpoint", trigger="1 second"))


def run_on(spark: Any, seconds: float) -> str:
    """Wait for an end of the query, as the log refuses one of two drivers, or until the other one must have met it."""
    try:
        running[-1].await_end(seconds / 10)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    running[-1].stop()
    return "stopped"


def numbers_of(spark: Any, base: str) -> list[int]:
    """Return what was written."""
    return [row.value for row in spark.read.parquet(f"{base}/out").collect()]
