"""A client of Spark Connect, its server and the executors, on machines that share neither disk nor loopback."""

from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError
from tests.conftest import Depth
from tests.spark.cluster.keyed_query import SCHEMA, Rows, await_rows, start_in_folder
from tests.spark.cluster.standalone import STORAGE, Cluster, Driver
from tests.spark.cluster.test_cluster import applied, odd_digits, read_rows
from tests.spark.generated_pipelines import check_results, results_on_spark, seeds_of_run
from tests.spark.keyed.test_keyed_streaming import by_key, digests, made_rows
from tests.spark.operator_deck import ROUND

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]

ROWS = 400
ANSWER_SECONDS = 250


@pytest.fixture(scope="module")
def client(machines: Cluster) -> Iterator[Driver]:
    """A client that runs functions, whose server ends with it."""
    server = machines.start_connect()
    try:
        with machines.client() as running:
            yield running
    finally:
        server.power_off()


def test_pipelines_give_what_a_thread_gives(client: Driver) -> None:
    plain, keyed = client.run(applied)

    rows = Stream.from_iterable(made_rows(ROWS))
    assert sorted(map(tuple, plain)) == sorted(rows.through(odd_digits()).to_list())
    assert by_key(map(tuple, keyed)) == by_key(rows.through(digests()).to_list())


def test_generated_pipelines_give_what_a_thread_gives(client: Driver, depth: Depth) -> None:
    check_results(client.run(results_on_spark, seeds_of_run(depth)[:ROUND], timeout_seconds=350))


def test_dataframe_is_read_as_a_stream(client: Driver) -> None:
    read = client.run(read_rows)

    rests = [number * 7 % 11 for number in range(1000)]
    assert read == {"some": [[number, rests[number]] for number in range(3)], "sum": sum(rests)}


def sinks(spark: Any, base: str) -> dict[str, Any]:
    """Run the rows through each sink."""
    from reactivestreams.spark import for_each_batch, to_dataframe, to_path, to_streaming_dataframe, to_table

    def arriving() -> Any:
        return to_streaming_dataframe(Rows(ROWS), SCHEMA, max_rows=150, tasks=2)

    def listed(frame: Any) -> list[Any]:
        return [list(row) for row in frame.orderBy("id").collect()]

    def ended(query: Any) -> None:
        assert query.await_end(120)

    def write(batch: Any, number: int) -> None:
        batch.write.mode("overwrite").json(f"{base}/frames/batch_id={number}")

    def count(number: int, batches: Any) -> None:
        from pyspark.sql import SparkSession

        ids = [[number, id_] for batch in batches for id_ in batch["id"].to_pylist()]
        session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
        session.createDataFrame(ids, "batch_id bigint, id bigint").write.mode("append").json(f"{base}/read")

    once = {"trigger": "available_now"}
    table = f"remote_{base.partition(chr(58))[0]}"
    found: dict[str, Any] = {"to_dataframe": listed(to_dataframe(Stream.from_iterable(made_rows(ROWS)), SCHEMA))}
    ended(to_path(arriving(), f"{base}/files", checkpoint=f"{base}/c1", **once))
    found["to_path"] = listed(spark.read.parquet(f"{base}/files"))
    ended(to_table(arriving(), table, path=f"{base}/table", checkpoint=f"{base}/c2", **once))
    found["to_table"] = listed(spark.table(table))
    ended(for_each_batch(arriving(), write, checkpoint=f"{base}/c3", as_="dataframe", **once))
    found["frames"] = listed(spark.read.schema(SCHEMA).json(f"{base}/frames"))
    ended(for_each_batch(arriving(), count, checkpoint=f"{base}/c4", **once))
    found["batches"] = listed(spark.read.schema("batch_id bigint, id bigint").json(f"{base}/read"))
    return found


@pytest.mark.parametrize("place", ["shared", "hdfs"])
def test_sinks(machines: Cluster, client: Driver, place: str) -> None:
    base = {"shared": f"file://{machines.shared}/connect", "hdfs": f"{STORAGE}/connect"}[place]

    found = client.run(sinks, base, timeout_seconds=350)

    rows = made_rows(ROWS)
    with_batches = [[*row, row[0] // 150] for row in rows]
    assert found["to_dataframe"] == [list(row) for row in rows]
    assert found["to_path"] == found["to_table"] == found["frames"] == with_batches
    assert found["batches"] == [[row[0] // 150, row[0]] for row in rows]


def read_query(spark: Any, base: str, rows: int, leave_in: int | None = None) -> list[Any]:
    """Read what is left of some rows; leave in the middle of a batch."""
    from reactivestreams.spark import from_query, to_streaming_dataframe

    arriving = to_streaming_dataframe(Rows(rows), SCHEMA, max_rows=150, tasks=2)
    seen = []
    for batch in from_query(arriving, checkpoint=f"{base}/c", as_="micro_batches", trigger="available_now"):
        read = batch.read("tuples")
        if batch.batch_id == leave_in:
            seen.append([batch.batch_id, batch.is_redelivered, len(read.take(2).to_list())])
            break
        seen.append([batch.batch_id, batch.is_redelivered, len(read.to_list())])
    return seen


@pytest.mark.parametrize("place", ["shared", "hdfs"])
def test_query_is_read_as_a_stream(machines: Cluster, client: Driver, place: str) -> None:
    base = {"shared": f"file://{machines.shared}/connect-query", "hdfs": f"{STORAGE}/connect-query"}[place]

    left = client.run(read_query, base, ROWS, 1, timeout_seconds=ANSWER_SECONDS)
    rest = client.run(read_query, base, ROWS, timeout_seconds=ANSWER_SECONDS)
    more = client.run(read_query, base, ROWS + 100, timeout_seconds=ANSWER_SECONDS)

    assert left == [[0, False, 150], [1, False, 2]]
    assert rest == [[1, True, 150], [2, False, 100]]
    assert more == [[3, False, 100]]


def refusals(spark: Any, base: str) -> dict[str, str]:
    """Return what functions say that need the loopback address, or a folder of this machine."""
    from reactivestreams.spark import to_path, to_streaming_dataframe

    arriving = to_streaming_dataframe(Rows(ROWS), SCHEMA, max_rows=150, tasks=2)
    calls: dict[str, Any] = {
        "live": lambda: to_streaming_dataframe(Stream.range(3), "id bigint"),
        "own": lambda: to_path(arriving, "/tmp/own", checkpoint=f"{base}/c"),
    }
    said = {}
    for name, call in calls.items():
        try:
            call()
        except ArgumentError as error:
            said[name] = str(error)
    return said


def test_what_needs_one_machine_is_refused(client: Driver) -> None:
    said = client.run(refusals, f"{STORAGE}/refused")

    assert {name: text.partition(",")[0] for name, text in said.items()} == {
        "live": "a live stream is read over the loopback address by a process next to the driver",
        "own": "path is the folder '/tmp/own' of this machine",
    }
    assert "pass a replayable factory" in said["live"]


def test_keyed_query_gives_what_a_thread_gives(client: Driver) -> None:
    base = f"{STORAGE}/connect-keyed"
    client.run(start_in_folder, base, timeout_seconds=ANSWER_SECONDS)
    there = client.run(await_rows, base, timeout_seconds=ANSWER_SECONDS)

    here = Stream.from_iterable(made_rows(ROWS)).through(digests()).to_list()
    assert by_key(map(tuple, there)) == by_key(here)
