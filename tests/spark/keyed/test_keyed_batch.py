"""Operators of each key on batch DataFrames, and keyed state through Spark Connect."""

from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import PipelineError, apply, pipeline_errors
from reactivestreams.stream import Stream, pipeline
from tests.spark.in_process import SparkProcess

pytestmark = pytest.mark.spark

ROWS = [(row, "abc"[row % 3], row * row % 11) for row in range(40)]
COLUMNS = "id int, key string, number int"
BY_KEY = pipeline().key_by(lambda row: row[1])


@pytest.mark.parametrize(
    ("stages", "schema"),
    [
        (BY_KEY.count(), "key string, count int"),
        (BY_KEY.reduce(lambda worst, row: max(worst, row[2]), 0), "key string, worst int"),
        (BY_KEY.aggregate(mean=("mean", itemgetter(2))).map(itemgetter("key", "mean")), "k string, m double"),
        (BY_KEY.buffer(4).map(lambda rows: (rows[0][1], len(rows))), "key string, size int"),
        (BY_KEY.take(3), COLUMNS),
        (BY_KEY.distinct(lambda row: row[2]), COLUMNS),
        (BY_KEY.through(pipeline().flat_map(lambda row: [row] * 2).skip(3)), COLUMNS),
        (BY_KEY.expire_after(5, event_time=lambda row: row[0] + row[0] // 9 * 9).count(), "key string, count int"),
    ],
    ids=["count", "reduce", "aggregate", "buffer", "take", "distinct", "through", "expire_after"],
)
def test_batch_gives_what_the_thread_gives(spark: Any, stages: Any, schema: str) -> None:
    frame = spark.createDataFrame(ROWS[::-1], COLUMNS)
    there = apply(stages, frame, schema=schema, as_="tuples", order_by="id", buckets=3).collect()
    assert sorted(map(tuple, there)) == sorted(map(tuple, Stream.from_iterable(ROWS).through(stages).to_list()))


def test_function_inside_that_raises_tells_its_operator_and_row(spark: Any) -> None:
    stages = BY_KEY.through(pipeline().map(lambda row: 1 // (5 - row[0])))
    frame = spark.createDataFrame(ROWS, COLUMNS).coalesce(1)
    with pytest.raises(PipelineError) as failed, pipeline_errors():
        apply(stages, frame, schema="n int", as_="tuples", order_by="id", buckets=1).collect()
    assert (failed.value.operator, failed.value.row) == ("map", "(5, 'c', 3)")


def counted_through_connect(spark: Any, folder: str) -> list[Any]:
    """Run a keyed streaming query in a session of Spark Connect."""
    spark.createDataFrame(ROWS, COLUMNS).coalesce(1).write.parquet(f"{folder}/in")
    frame = spark.readStream.schema(COLUMNS).parquet(f"{folder}/in")
    stages = BY_KEY.scan(lambda state, row: (row[1], state[1] + row[2]), ("", 0))
    results = apply(stages, frame, schema="key string, total int", as_="tuples", order_by="id", buckets=2)
    writer = results.writeStream.format("parquet").option("path", f"{folder}/out")
    query = writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(availableNow=True).start()
    query.awaitTermination(60)
    return [list(row) for row in spark.read.parquet(f"{folder}/out").collect()]


def test_keyed_state_works_through_connect(tmp_path: Path) -> None:
    process = SparkProcess("connect")
    try:
        there = process.run(counted_through_connect, str(tmp_path))
    finally:
        process.close()
    stages = BY_KEY.scan(lambda state, row: (row[1], state[1] + row[2]), ("", 0))
    assert sorted(map(tuple, there)) == sorted(Stream.from_iterable(ROWS).through(stages).to_list())
