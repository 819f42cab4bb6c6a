"""Batches of a query with state that nobody reads, or not to their end: their rows count all the same."""

import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import functions

from reactivestreams.spark import apply, for_each_batch, from_query, to_path, to_table
from reactivestreams.spark.jvm_calls import shown_plan
from reactivestreams.spark.query_arguments import is_stateful
from reactivestreams.stream import pipeline
from tests.spark.in_process import SparkProcess
from tests.spark.sources.test_from_query import write_file

pytestmark = pytest.mark.spark

SOON = 60.0
PARTITIONS = 3
CONFIG = {"spark.sql.shuffle.partitions": str(PARTITIONS)}
VERSION_2 = {"spark.sql.streaming.stateStore.checkpointFormatVersion": "2"}


def stream_over(spark: Any, base: str) -> Any:
    return spark.readStream.schema("id long, batch int").option("maxFilesPerTrigger", 1).json(f"{base}/in")


def totals_over(spark: Any, base: str) -> Any:
    """Return how many rows there were of each of five keys, which each file has once."""
    return stream_over(spark, base).selectExpr("id % 5 AS key").groupBy("key").count()


def keyed_over(spark: Any, base: str) -> Any:
    """Return the same, counted by a pipeline of ours."""
    counted = pipeline().key_by(operator.itemgetter(0)).scan(lambda total, row: (row[0], total[1] + 1), (0, 0))
    rows = stream_over(spark, base).selectExpr("id % 5 AS key", "id")
    return apply(counted, rows, schema="key long, count long", as_="tuples", order_by="id", buckets=3)


QUERIES = {"aggregate": totals_over, "keyed": keyed_over}
OUTPUT_MODES = {"aggregate": "update", "keyed": "append"}


def read_none(batches: Any) -> None:
    """Leave a batch as it is."""


def read_first(batches: Any) -> None:
    batches.take(1).to_list()


def read_twice(batches: Any) -> None:
    batches.take(1).to_list()
    batches.run()


READINGS: dict[str, Callable[[Any], object]] = {"none": read_none, "first": read_first, "twice": read_twice}


def each_batch(df: Any, checkpoint: str, mode: str, read: Callable[[Any], object]) -> None:
    query = for_each_batch(
        df, lambda _, batches: read(batches), checkpoint=checkpoint, trigger="available_now", output_mode=mode
    )
    assert query.await_end(SOON)


def micro_batches(df: Any, checkpoint: str, mode: str, read: Callable[[Any], object]) -> None:
    stream = from_query(df, checkpoint=checkpoint, as_="micro_batches", trigger="available_now", output_mode=mode)
    stream.for_each(lambda batch: read(batch.read("batches")))


ENDS: dict[str, Callable[..., None]] = {"for_each_batch": each_batch, "from_query": micro_batches}


def counts_after(spark: Any, base: str, query: str, end: str, reading: str) -> list[list[int]]:
    """Run a query over one file with a reading, start it again over a second one, and return what that gave."""
    (Path(base) / "in").mkdir(parents=True)
    write_file(Path(base) / "in", 0)
    options = (f"{base}/checkpoint", OUTPUT_MODES[query])
    ENDS[end](QUERIES[query](spark, base), *options, READINGS[reading])
    write_file(Path(base) / "in", 1)
    found = Path(base) / "found"

    def keep(batches: Any) -> None:
        rows = [row for batch in batches for row in zip(*batch.to_pydict().values(), strict=True)]
        found.write_text("\n".join(f"{key} {count}" for key, count in rows))

    ENDS[end](QUERIES[query](spark, base), *options, keep)
    return sorted([int(number) for number in line.split()] for line in found.read_text().splitlines())


EXPECTED = [[key, 2] for key in range(5)]


@pytest.fixture
def configured(spark: Any) -> Iterator[Callable[[dict[str, str]], None]]:
    """Return the function that sets options of the session until the end of the test."""
    before: dict[str, str] = {}

    def configure(options: dict[str, str]) -> None:
        for name, value in options.items():
            before.setdefault(name, spark.conf.get(name))
            spark.conf.set(name, value)

    configure(CONFIG)
    yield configure
    for name, value in before.items():
        spark.conf.set(name, value)


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("end", ENDS)
def test_rows_of_a_batch_count_whatever_is_read_of_it(spark: Any, tmp_path: Path, end: str, reading: str) -> None:
    assert counts_after(spark, str(tmp_path), "aggregate", end, reading) == EXPECTED


@pytest.mark.usefixtures("configured")
def test_rows_of_an_unread_batch_count_in_a_keyed_pipeline(spark: Any, tmp_path: Path) -> None:
    assert counts_after(spark, str(tmp_path), "keyed", "for_each_batch", "none") == EXPECTED


@pytest.mark.parametrize("reading", ["none", "first"])
def test_rows_of_an_unread_batch_count_in_the_second_format_of_checkpoints(
    spark: Any, tmp_path: Path, configured: Any, reading: str
) -> None:
    configured(VERSION_2)

    assert counts_after(spark, str(tmp_path), "aggregate", "for_each_batch", reading) == EXPECTED


def configured_counts(spark: Any, base: str, *case: str) -> list[list[int]]:
    """Do the same in the process of a fixture."""
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", CONFIG["spark.sql.shuffle.partitions"])
    try:
        return counts_after(spark, base, *case)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)


@pytest.mark.parametrize(("end", "reading"), [("for_each_batch", "first"), ("from_query", "none")])
def test_rows_of_a_batch_count_whatever_is_read_of_it_through_connect(
    connect: SparkProcess, tmp_path: Path, end: str, reading: str
) -> None:
    assert connect.run(configured_counts, str(tmp_path), "aggregate", end, reading) == EXPECTED


# --- a batch that a sink finds written --------------------------------------------------------------------------------


def written_path(df: Any, base: Path, mode: str) -> Any:
    return to_path(df, base / "out", checkpoint=base / "checkpoint", trigger="available_now", output_mode=mode)


def written_table(df: Any, base: Path, mode: str) -> Any:
    options: Any = {"trigger": "available_now", "output_mode": mode}
    return to_table(df, "unread_batches", checkpoint=base / "checkpoint", path=base / "out", **options)


@pytest.mark.parametrize("version", [{}, VERSION_2], ids=["first format", "second format"])
@pytest.mark.parametrize(("sink", "query"), [(written_path, "keyed"), (written_table, "aggregate")])
def test_rows_of_a_batch_that_was_written_and_not_committed_count(
    spark: Any, tmp_path: Path, configured: Any, sink: Any, query: str, version: dict[str, str]
) -> None:
    configured(version)
    (tmp_path / "in").mkdir()
    for number in range(3):
        write_file(tmp_path / "in", number)
        assert sink(QUERIES[query](spark, str(tmp_path)), tmp_path, OUTPUT_MODES[query]).await_end(SOON)
        if number < 2:
            # What a kill between the rename and Spark's commit leaves.
            (tmp_path / "checkpoint" / "commits" / str(number)).unlink()
    spark.sql("DROP TABLE IF EXISTS unread_batches")

    rows = spark.read.parquet(str(tmp_path / "out")).collect()
    assert sorted(rows) == [(key, number + 1, number) for key in range(5) for number in range(3)]


# --- the DataFrame of a micro-batch -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("configured")
@pytest.mark.parametrize("actions", [0, 1, 2])
def test_batch_that_is_read_as_a_dataframe_is_computed_once(spark: Any, tmp_path: Path, actions: int) -> None:
    (tmp_path / "in").mkdir()
    for number in range(2):
        write_file(tmp_path / "in", number)
    seen = spark.sparkContext.accumulator(0)

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            seen.add(batch.num_rows)
            yield batch

    totals = totals_over(spark, str(tmp_path)).mapInArrow(count, "key long, count long")
    for batch in from_query(
        totals, checkpoint=tmp_path / "checkpoint", as_="micro_batches", trigger="available_now", output_mode="update"
    ):
        frame = batch.dataframe
        for _ in range(actions):
            frame.first()

    assert seen.value == 10
    assert spark.sparkContext._jsc.getPersistentRDDs().isEmpty()


# --- what has state ---------------------------------------------------------------------------------------------------


def rates(spark: Any) -> Any:
    return spark.readStream.format("rate").load().selectExpr("timestamp", "value", "value % 3 AS key")


def timed(spark: Any) -> Any:
    return rates(spark).withWatermark("timestamp", "1 second")


STATEFUL: dict[str, Callable[[Any], Any]] = {
    "aggregate": lambda spark: rates(spark).groupBy("key").count(),
    "session window": lambda spark: timed(spark)
    .groupBy(functions.session_window("timestamp", "5 seconds"), "key")
    .count(),
    "distinct": lambda spark: rates(spark).dropDuplicates(["key"]),
    "distinct for a time": lambda spark: timed(spark).dropDuplicatesWithinWatermark(["key"]),
    "join": lambda spark: timed(spark).join(timed(spark).withColumnRenamed("key", "other"), ["timestamp", "value"]),
    "limit": lambda spark: rates(spark).limit(5),
    "state in pandas": lambda spark: rates(spark)
    .groupBy("key")
    .applyInPandasWithState(lambda *_: iter([pd.DataFrame({"n": [1]})]), "n long", "n long", "append", "NoTimeout"),
    "keyed pipeline": lambda spark: apply(
        pipeline().key_by(operator.itemgetter(1)).count(),
        rates(spark).select("value", "key"),
        schema="key long, n long",
        as_="tuples",
        order_by="value",
    ),
    "operators behind": lambda spark: rates(spark).groupBy("key").count().where("count > 1").selectExpr("key + 1"),
}  # fmt: skip
STATELESS: dict[str, Callable[[Any], Any]] = {
    "filter": lambda spark: rates(spark).where("key = 1"),
    "watermark": timed,
    "join with a batch": lambda spark: rates(spark).join(spark.range(3).withColumnRenamed("id", "key"), "key"),
    "pipeline": lambda spark: apply(pipeline().map(lambda row: (row[1],)), rates(spark), schema="n long", as_="tuples"),
}


def recognised(spark: Any) -> dict[str, bool]:
    return {name: is_stateful(shown_plan(query(spark))) for name, query in (STATEFUL | STATELESS).items()}


def test_query_with_state_is_told_from_one_without(spark: Any) -> None:
    assert recognised(spark) == dict.fromkeys(STATEFUL, True) | dict.fromkeys(STATELESS, False)


def test_query_with_state_is_told_from_one_without_through_connect(connect: SparkProcess) -> None:
    assert connect.run(recognised) == dict.fromkeys(STATEFUL, True) | dict.fromkeys(STATELESS, False)
