"""What runs on a cluster whose machines share neither disk nor loopback gives what a thread gives."""

import operator
import os
import socket
import tempfile
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.stream import Pipeline, pipeline
from tests.spark.cluster.standalone import STORAGE, WORKERS, Driver
from tests.spark.keyed.test_keyed_streaming import DIGEST, by_key, digests, made_rows

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]

ROWS = 400
SCHEMA = "id bigint, key string, number bigint, at double"


def looked_for(path: str, port: int) -> Any:
    """Return the function that tells for each partition where it is computed, and what it finds there."""

    def look(batches: Any) -> Any:
        import pyarrow as pa

        for _ in batches:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                answers = True
            except OSError:
                answers = False
            yield pa.record_batch(
                {"machine": [socket.gethostname()], "file": [os.path.exists(path)], "answers": [answers]}
            )

    return look


def seen_by_executors(spark: Any) -> dict[str, Any]:
    """Return what executors see of a temporary file and of a server on the driver's loopback."""
    listening = socket.create_server(("127.0.0.1", 0))
    with tempfile.NamedTemporaryFile() as file, listening:
        look = looked_for(file.name, listening.getsockname()[1])
        rows = spark.range(64, numPartitions=8).mapInArrow(look, "machine string, file boolean, answers boolean")
        found = {tuple(row) for row in rows.collect()}
    return {"driver": socket.gethostname(), "found": sorted(found)}


def test_executors_share_neither_disk_nor_loopback_with_the_driver(driver: Driver) -> None:
    seen = driver.run(seen_by_executors)

    assert seen == {"driver": "driver", "found": [[name, False, False] for name in WORKERS]}


def odd_digits() -> Pipeline[Any, Any]:
    """Return a pipeline without state."""
    return pipeline().filter(lambda row: row[2] % 2).flat_map(lambda row: [(row[0], row[1]), (-row[0], row[1].upper())])


def applied(spark: Any) -> list[Any]:
    """Return the results of the pipeline without state, and of one by key, on the executors."""
    from reactivestreams.spark import apply

    frame = spark.createDataFrame(made_rows(ROWS), SCHEMA).repartition(6)
    plain = apply(odd_digits(), frame, schema="id bigint, key string", as_="tuples")
    keyed = apply(digests(), frame, schema=DIGEST, as_="tuples", order_by="id", buckets=4)
    return [[list(row) for row in results.collect()] for results in (plain, keyed)]


def test_pipelines_on_the_executors_give_what_a_thread_gives(driver: Driver) -> None:
    plain, keyed = driver.run(applied)

    rows = Stream.from_iterable(made_rows(ROWS))
    assert sorted(map(tuple, plain)) == sorted(rows.through(odd_digits()).to_list())
    assert by_key(map(tuple, keyed)) == by_key(rows.through(digests()).to_list())


def read_rows(spark: Any) -> dict[str, Any]:
    """Read a DataFrame as a stream, some of it and all of it."""
    from reactivestreams.spark import from_dataframe

    frame = spark.range(1000, numPartitions=10).selectExpr("id", "id * 7 % 11 as rest")
    rows = from_dataframe(frame, as_="tuples")
    return {"some": rows.take(3).to_list(), "sum": rows.map(operator.itemgetter(1)).sum()}


def test_dataframe_is_read_as_a_stream(driver: Driver) -> None:
    read = driver.run(read_rows)

    rests = [number * 7 % 11 for number in range(1000)]
    assert read == {"some": [[number, rests[number]] for number in range(3)], "sum": sum(rests)}


class Rows:
    """A replayable factory of the rows."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __call__(self, offset: int) -> Stream[Any]:
        return Stream.from_iterable(made_rows(self.count)[offset:])


def keyed_query(spark: Any, base: str, rows: int, trigger: dict[str, Any]) -> Any:
    """Start a query with keyed state from a factory to files on the storage."""
    from reactivestreams.spark import apply, to_streaming_dataframe

    arriving = to_streaming_dataframe(Rows(rows), SCHEMA, max_rows=rows // 8, tasks=2)
    results = apply(digests(), arriving, schema=DIGEST, as_="tuples", order_by="id", buckets=3)
    writer = results.writeStream.format("parquet").option("path", f"{base}/out")
    return writer.option("checkpointLocation", f"{base}/checkpoint").trigger(**trigger).start()


def keyed_results(spark: Any, base: str, rows: int) -> list[Any]:
    """Run the query to the end of the factory, and return what it has ever written."""
    query = keyed_query(spark, base, rows, {"availableNow": True})
    assert query.awaitTermination(120)
    return [list(row) for row in spark.read.parquet(f"{base}/out").collect()]


def test_keyed_query_from_a_factory_with_its_checkpoint_on_hdfs(driver: Driver) -> None:
    there = driver.run(keyed_results, f"{STORAGE}/keyed", ROWS, timeout_seconds=200)

    here = Stream.from_iterable(made_rows(ROWS)).through(digests()).to_list()
    assert by_key(map(tuple, there)) == by_key(here)
