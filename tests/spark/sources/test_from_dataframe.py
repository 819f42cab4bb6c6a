"""A DataFrame as a stream: its forms, its order, its laziness, its errors."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from py4j.clientserver import ClientServerConnection
from py4j.protocol import REFL_GET_UNKNOWN_SUB_COMMAND_NAME, REFLECTION_COMMAND_NAME
from pyspark.sql import Row

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import SparkJobError, from_dataframe
from reactivestreams.spark.sources import dataframe_rows, partition_jobs
from reactivestreams.spark.sources.dataframe_rows import DataFrameRows
from tests.spark.bridge.live_publishers import eventually

pytestmark = pytest.mark.spark

EVERY_TYPE = [
    "id", "id % 7 AS k", "CAST(id AS STRING) AS s", "IF(id % 3 = 0, NULL, id) AS n", "array(id, NULL) AS arr",
    "timestamp_seconds(id * 86400) AS t", "timestamp_ntz'2020-01-01 00:00:00' AS nt", "CAST(s AS BINARY) AS b",
    "date_add(date'2013-01-01', CAST(id AS INT)) AS d", "map('a', id) AS m", "CAST(id AS DECIMAL(20,2)) AS dec",
    "struct(id, 'x' AS x) AS st",
    "id % 2 = 0 AS count", "CAST(id AS DOUBLE) AS `a b`",
]  # fmt: skip


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    """Return a DataFrame with a column of each kind."""
    return spark.range(0, 60, 1, 4).selectExpr(*EVERY_TYPE)


@pytest.fixture(scope="module")
def collected(frame: Any) -> list[Row]:
    """Return its rows as Spark gives them."""
    rows: list[Row] = frame.collect()
    return rows


@pytest.fixture(params=["Arrow", "public calls"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read by the JVM's Arrow batches, and by what is left where those calls are forbidden."""
    if request.param == "public calls":
        monkeypatch.setattr(partition_jobs, "can_read_arrow", lambda dataframe: False)
    return str(request.param)


@pytest.fixture
def marked(spark: Any, tmp_path: Path) -> Callable[[int], tuple[Any, Callable[[], int]]]:
    """Return a maker of DataFrames that leave a file for each partition computed, with the count of these."""

    def make(partitions: int) -> tuple[Any, Callable[[], int]]:
        folder = str(tmp_path)

        def mark(batches: Any) -> Any:
            import os

            from pyspark import TaskContext

            with open(os.path.join(folder, f"partition {TaskContext.get().partitionId()}"), "a"):
                yield from batches

        return spark.range(0, partitions * 10, 1, partitions).mapInArrow(mark, "id long"), lambda: len(
            os.listdir(folder)
        )

    return make


def test_jvm_does_not_search_for_classes_while_it_is_read(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[str] = []
    send_command = ClientServerConnection.send_command

    def send(connection: Any, command: str) -> Any:
        if command.startswith(f"{REFLECTION_COMMAND_NAME}{REFL_GET_UNKNOWN_SUB_COMMAND_NAME}"):
            searches.append(command)
        return send_command(connection, command)

    monkeypatch.setattr(ClientServerConnection, "send_command", send)
    assert len(from_dataframe(spark.range(0, 20, 1, 5), as_="batches").to_list()) == 5
    assert searches == []


def test_rows_equal_what_collect_gives(frame: Any, collected: list[Row], way: str) -> None:
    rows = from_dataframe(frame).to_list()

    assert rows == collected
    assert repr(rows[1]) == repr(collected[1])


def test_rows_behave_as_spark_s_own(frame: Any, collected: list[Row]) -> None:
    row, own = from_dataframe(frame).first(), collected[0]

    assert isinstance(row, Row)
    assert (row.k, row["k"], row[1], "k" in row) == (own.k, own["k"], own[1], True)
    assert row.asDict(recursive=True) == own.asDict(recursive=True)
    assert row["count"] is True
    assert row["a b"] == 0.0
    with pytest.raises(AttributeError):
        _ = row.missing


def test_tuples_equal_what_collect_gives(frame: Any, collected: list[Row], way: str) -> None:
    tuples = from_dataframe(frame, as_="tuples").to_list()

    assert tuples == [tuple(row) for row in collected]
    assert {type(element) for element in tuples} == {tuple}


def test_dicts_equal_what_collect_gives(frame: Any, collected: list[Row]) -> None:
    assert from_dataframe(frame, as_="dicts").to_list() == [row.asDict() for row in collected]


@pytest.mark.smoke
def test_batches_equal_what_to_arrow_gives(frame: Any, way: str) -> None:
    batches = from_dataframe(frame, as_="batches").to_list()

    assert pa.Table.from_batches(batches).equals(frame.toArrow())


def test_order_is_the_dataframe_s_whatever_the_window(spark: Any) -> None:
    frame = spark.range(0, 200, 1, 12).selectExpr("199 - id AS id").orderBy("id").repartitionByRange(5, "id")
    expected = [tuple(row) for row in frame.collect()]

    for window in (1, 4, 64):
        assert from_dataframe(frame, as_="tuples", window=window).to_list() == expected


def test_empty_dataframes_complete_without_elements(spark: Any) -> None:
    empty = spark.range(0)

    assert from_dataframe(empty).to_list() == []
    assert from_dataframe(empty.where("id < 0").repartition(3), as_="batches").to_list() == []
    assert from_dataframe(spark.createDataFrame([], "id long")).to_list() == []


def test_dataframe_without_columns_keeps_its_number_of_rows(spark: Any) -> None:
    assert from_dataframe(spark.range(3).select(), as_="tuples").to_list() == [(), (), ()]


def test_each_subscription_reads_anew(frame: Any, collected: list[Row]) -> None:
    stream = from_dataframe(frame)

    assert stream.take(3).to_list() == collected[:3]
    assert stream.to_list() == stream.to_list() == collected


def test_nothing_is_computed_before_the_first_request(marked: Any) -> None:
    frame, computed = marked(4)

    iterator = iter(from_dataframe(frame).map(lambda row: row.id))

    assert computed() == 0
    assert next(iterator) == 0
    iterator.close()


@pytest.mark.parametrize("window", [1, 3])
def test_no_more_than_window_and_one_partitions_are_computed_beyond_demand(marked: Any, window: int) -> None:
    frame, computed = marked(12)

    # 15 elements are the first partition and half of the second.
    assert from_dataframe(frame, window=window, as_="tuples").take(15).to_list() == [(id_,) for id_ in range(15)]

    assert 2 <= computed() <= 1 + window + 1


def test_cancellation_stops_jobs_that_run(spark: Any, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    path = str(gate)

    def wait(batches: Any) -> Any:
        from pyspark import TaskContext

        if TaskContext.get().partitionId() > 0:
            with open(path) as never_written:
                never_written.read()
        yield from batches

    iterator = iter(from_dataframe(spark.range(0, 8, 1, 4).mapInArrow(wait, "id long"), as_="tuples", window=1))
    assert next(iterator) == (0,)

    iterator.close()

    assert reading_threads() == []
    assert eventually(lambda: spark.sparkContext.statusTracker().getActiveJobsIds() == [])  # it hears of ends later


def reading_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("reactivestreams-dataframe")]


def test_threads_end_with_the_stream(frame: Any) -> None:
    from_dataframe(frame).run()

    assert reading_threads() == []


def test_failing_partition_is_told_after_the_partitions_before(spark: Any, way: str) -> None:
    frame = spark.range(0, 40, 1, 4).selectExpr("assert_true(id < 25, 'too late in the year') AS a", "id")
    seen: list[int] = []

    with pytest.raises(SparkJobError, match=r"a Spark job of the DataFrame failed: .*too late in the year") as caught:
        from_dataframe(frame, as_="tuples").for_each(lambda row: seen.append(row[1]))

    assert seen == list(range(20))
    assert len(str(caught.value)) < 600
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(("partitions", "jobs"), [(1, 1), (2, 1), (3, 1), (4, 4)])
def test_few_partitions_of_a_micro_batch_are_one_job(
    spark: Any, way: str, monkeypatch: pytest.MonkeyPatch, partitions: int, jobs: int
) -> None:
    monkeypatch.setattr(dataframe_rows, "reader_name", lambda: f"{way}-{partitions}")
    rows = DataFrameRows(spark.range(0, 40, 1, partitions), form="tuples", window=3, at_once=3)

    assert [row[0] for row in rows] == list(range(40))
    assert rows.is_computed
    assert len(spark.sparkContext.statusTracker().getJobIdsForGroup(f"{way}-{partitions}")) == jobs


def test_result_that_is_too_large_has_a_remedy(spark: Any) -> None:
    limit, settings = "spark.driver.maxResultSize", spark.sparkContext._jsc.sc().conf()
    before = settings.get(limit, "1g")
    settings.set(limit, "1k")
    try:
        with pytest.raises(
            SparkJobError, match=f"is bigger than {limit} .*; raise it where the driver starts, or read"
        ):
            from_dataframe(spark.range(10_000)).run()
    finally:
        settings.set(limit, before)


def test_exception_of_a_python_worker_is_told_by_its_last_line(spark: Any) -> None:
    def fail(batches: Any) -> Any:
        for _ in batches:
            raise LookupError("no such airport\nand more")
        yield

    with pytest.raises(SparkJobError, match="failed: LookupError: no such airport; Spark's exception"):
        from_dataframe(spark.range(3).mapInArrow(fail, "id long")).run()


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"as_": "tuple"}, ArgumentError, "as_ must be one of .* got 'tuple'; did you mean 'tuples'?"),
        ({"as_": 1}, ArgumentTypeError, "as_ must be a str, got 1"),
        ({"window": 0}, ArgumentError, "window must be from 1 to 64, got 0"),
        ({"window": 65}, ArgumentError, "window must be from 1 to 64, got 65"),
        ({"window": "3"}, ArgumentTypeError, "window must be an int, got '3'"),
        ({"window": True}, ArgumentTypeError, "window must be an int, got True"),
    ],
)
def test_bad_argument_is_refused_when_built(frame: Any, arguments: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        from_dataframe(frame, **arguments)


def test_what_is_no_batch_dataframe_is_refused_when_built(spark: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"df must be a Spark DataFrame, got \[1, 2\]"):
        from_dataframe([1, 2])
    with pytest.raises(ArgumentError, match="streaming DataFrame, which never ends"):
        from_dataframe(spark.readStream.format("rate").load())
    with pytest.raises(ArgumentError, match="different names, got 'id' twice"):
        from_dataframe(spark.range(1).selectExpr("id", "id"), as_="dicts")
