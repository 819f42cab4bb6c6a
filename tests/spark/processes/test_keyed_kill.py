"""A driver killed in the middle of a keyed query: the query that follows it gives what one without a kill gives."""

import time
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import apply
from reactivestreams.stream import Stream
from tests.spark.in_process import SparkProcess
from tests.spark.keyed.test_keyed_streaming import DIGEST, ROWS, RowFiles, by_key, digests, made_rows

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]

DEADLINE_SECONDS = 90
FILES = 8
FILE_ROWS = 100


def start_query(spark: Any, base: str) -> str:
    """Start the query over the folder; it goes on when this function has returned."""
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    frame = spark.readStream.schema(ROWS).option("maxFilesPerTrigger", 1).parquet(f"{base}/in")
    results = apply(digests(), frame, schema=DIGEST, as_="tuples", order_by="id", buckets=3)
    writer = results.writeStream.format("parquet").option("path", f"{base}/out")
    query = writer.option("checkpointLocation", f"{base}/checkpoint").start()
    return str(query.id)


def await_input(spark: Any) -> None:
    """Wait until the query has taken all that there is, and stop it."""
    (query,) = spark.streams.active
    query.processAllAvailable()
    query.stop()


def written_rows(spark: Any, base: str) -> list[list[Any]]:
    """Return all rows that the query has ever written."""
    return [list(row) for row in spark.read.parquet(f"{base}/out").collect()]


def test_killed_driver_is_followed_without_loss_or_repetition(tmp_path: Path) -> None:
    rows = made_rows(FILES * FILE_ROWS)
    folder = RowFiles(tmp_path / "in")
    commits = tmp_path / "checkpoint" / "commits"

    def write(file: int) -> None:
        folder.write(rows[file * FILE_ROWS : (file + 1) * FILE_ROWS][::-1])

    for file in range(FILES // 2):
        write(file)
    first = SparkProcess("local")
    try:
        query = first.run(start_query, str(tmp_path))
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not (commits / "1").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        first.kill()  # with two of four files committed, a third one on its way
    finally:
        first.close()
    assert (commits / "1").exists()
    assert not (commits / str(FILES // 2)).exists()
    for file in range(FILES // 2, FILES):
        write(file)
    second = SparkProcess("local")
    try:
        assert second.run(start_query, str(tmp_path)) == query
        second.run(await_input)
        there = [tuple(row) for row in second.run(written_rows, str(tmp_path))]
    finally:
        second.close()

    assert by_key(there) == by_key(Stream.from_iterable(rows).through(digests()).to_list())
