"""What runs on machines that share neither disk nor loopback, standalone or on YARN, gives what a thread gives."""

import operator
import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError
from reactivestreams.stream import Pipeline, pipeline
from tests.conftest import Depth
from tests.spark.cluster.keyed_query import SCHEMA, Rows
from tests.spark.cluster.standalone import S3, STORAGE, WORKERS, Cluster, Driver
from tests.spark.cluster.yarn import INSTALLED
from tests.spark.generated_pipelines import check_results, results_on_spark, seeds_of_run
from tests.spark.keyed.test_keyed_streaming import DIGEST, by_key, digests, made_rows
from tests.spark.operator_deck import ROUND

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]

ROWS = 400


@pytest.fixture(scope="module", params=["standalone", "yarn"])
def manager(request: pytest.FixtureRequest) -> str:
    """What gives a driver its executors."""
    return str(request.param)


@pytest.fixture(scope="module")
def driver(machines: Cluster, manager: str, request: pytest.FixtureRequest) -> Iterator[Driver]:
    """A driver on a machine of its own; its executors are those of the workers, or containers of YARN."""
    with request.getfixturevalue("yarn").driver(INSTALLED) if manager == "yarn" else machines.driver() as running:
        yield running


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
    seen = driver.run(seen_by_executors, timeout_seconds=250)  # YARN's containers start before it

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


def test_generated_pipelines_give_what_a_thread_gives(driver: Driver, depth: Depth) -> None:
    check_results(driver.run(results_on_spark, seeds_of_run(depth)[:ROUND], timeout_seconds=350))


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


def dataframes(spark: Any, shared: str) -> dict[str, Any]:
    """Make DataFrames of streams: inside, beyond the bound, in a folder of this machine and in one of all."""
    from reactivestreams.errors import ArgumentError, CapacityError
    from reactivestreams.spark import to_dataframe

    module = sys.modules[to_dataframe.__module__]

    def made(**arguments: Any) -> Any:
        rows = Stream.from_iterable(made_rows(ROWS))
        return [list(row) for row in to_dataframe(rows, SCHEMA, **arguments).collect()]

    found = {"inside": made(), "shared": made(folder=shared)}
    module.MAX_SHIPPED_BYTES = 1000  # type: ignore[attr-defined]
    for name, error, arguments in (
        ("large", CapacityError, {}),
        ("own", ArgumentError, {"folder": tempfile.gettempdir()}),
    ):
        try:
            made(**arguments)
        except error as refused:
            found[name] = str(refused)
    return found


def test_stream_becomes_a_dataframe_without_a_file_of_the_driver(machines: Cluster, driver: Driver) -> None:
    found = driver.run(dataframes, str(machines.shared))

    rows = [list(row) for row in made_rows(ROWS)]
    assert found["inside"] == rows
    assert found["shared"] == rows
    assert re.match(r"the first 400 rows of the stream have \d+ bytes, but .* at most 1000", found["large"])
    assert found["own"].startswith("folder is the folder '")


def refusals(spark: Any, shared: str) -> dict[str, str]:
    """Return what each function says of a folder that only the driver has."""
    from reactivestreams.spark import (
        WriteAheadLog,
        for_each_batch,
        from_query,
        to_path,
        to_streaming_dataframe,
        to_table,
    )

    own = tempfile.mkdtemp()
    numbers = spark.readStream.format("rate").load()
    calls: dict[str, Any] = {
        "from_query": lambda: from_query(numbers, checkpoint=own),
        "for_each_batch": lambda: for_each_batch(numbers, print, checkpoint=own),
        "to_path": lambda: to_path(numbers, own, checkpoint=f"{shared}/c"),
        "to_path checkpoint": lambda: to_path(numbers, f"{shared}/o", checkpoint=own),
        "to_table": lambda: to_table(numbers, "numbers", path=own, checkpoint=f"{shared}/c"),
        "log": lambda: to_streaming_dataframe(Stream.range(3), "id bigint", log=own),
        "open log": lambda: to_streaming_dataframe(Stream.range(3), "id bigint", log=WriteAheadLog(f"{own}/open")),
    }
    said = {}
    for name, call in calls.items():
        try:
            call()
        except ArgumentError as error:
            said[name] = str(error).replace(own, "OWN")
    assert [*Path(shared).iterdir()] == []
    return said


def test_folders_that_executors_do_not_see_are_refused(machines: Cluster, driver: Driver, manager: str) -> None:
    base = machines.shared / f"refusals-{manager}"
    base.mkdir()

    said = driver.run(refusals, str(base))

    names = {name: text.partition(" of this machine")[0] for name, text in said.items()}
    assert names == {
        "from_query": "checkpoint is the folder 'OWN'",
        "for_each_batch": "checkpoint is the folder 'OWN'",
        "to_path": "path is the folder 'OWN'",
        "to_path checkpoint": "checkpoint is the folder 'OWN'",
        "to_table": "path is the folder 'OWN'",
        "log": "log is the folder 'OWN'",
        "open log": "log is the folder 'OWN/open'",
    }
    assert all("spark.reactivestreams.sharedFolders" in text for text in said.values())


def catalog_at(spark: Any, base: str) -> dict[str, str]:
    """Return the properties of a catalog of Iceberg whose tables are below a URI, with the namespace `air`."""
    from pyiceberg.catalog import load_catalog

    own = tempfile.mkdtemp()
    conf = {name: spark.conf.get(f"spark.hadoop.fs.s3a.{name}") for name in ("endpoint", "access.key", "secret.key")}
    properties = {
        "type": "sql",
        "uri": f"sqlite:///{own}/catalog.db",
        "warehouse": f"{base}/warehouse".replace("s3a://", "s3://"),
        "s3.endpoint": conf["endpoint"],
        "s3.access-key-id": conf["access.key"],
        "s3.secret-access-key": conf["secret.key"],
        "s3.region": "us-east-1",
    }
    load_catalog(**properties).create_namespace("air")
    return properties


def sinks(spark: Any, base: str, log: str) -> dict[str, Any]:
    """Run the rows through each sink, from a factory and from a live stream whose log all machines share."""
    from reactivestreams.spark import (
        close_bridge,
        for_each_batch,
        from_query,
        to_iceberg,
        to_path,
        to_streaming_dataframe,
        to_table,
    )

    def arriving() -> Any:
        return to_streaming_dataframe(Rows(ROWS), SCHEMA, max_rows=150, tasks=2)

    def ended(query: Any) -> None:
        assert query.await_end(120)

    found: dict[str, Any] = {}
    table = f"arrived_{base.partition(':')[0]}"
    ended(to_path(arriving(), f"{base}/files", checkpoint=f"{base}/c1", trigger="available_now"))
    found["to_path"] = [list(row) for row in spark.read.parquet(f"{base}/files").orderBy("id").collect()]
    ended(to_table(arriving(), table, path=f"{base}/table", checkpoint=f"{base}/c2", trigger="available_now"))
    found["to_table"] = [list(row) for row in spark.table(table).orderBy("id").collect()]
    rows = from_query(arriving(), checkpoint=f"{base}/c3", as_="tuples", trigger="available_now").to_list()
    found["from_query"] = sorted(rows)
    seen: list[Any] = []
    live = to_streaming_dataframe(Stream.from_iterable(made_rows(ROWS)), SCHEMA, max_rows=150, tasks=2, log=log)
    ended(
        for_each_batch(
            live,
            lambda number, batches: seen.append(
                [number, [id_ for batch in batches for id_ in batch["id"].to_pylist()]]
            ),
            checkpoint=f"{base}/c4",
            trigger="available_now",
        )
    )
    close_bridge(live)
    found["live"] = seen

    def write(batch: Any, number: int) -> None:
        batch.write.mode("overwrite").json(f"{base}/frames/batch_id={number}")

    ended(for_each_batch(arriving(), write, checkpoint=f"{base}/c5", as_="dataframe", trigger="available_now"))
    frames = spark.read.schema(SCHEMA).json(f"{base}/frames").orderBy("id")
    found["frames"] = [list(row) for row in frames.collect()]
    if not base.startswith("hdfs:"):  # PyIceberg needs Hadoop's native library for it
        from pyiceberg.catalog import load_catalog

        catalog = catalog_at(spark, base)
        ended(to_iceberg(arriving(), "air.t", catalog=catalog, checkpoint=f"{base}/c6", trigger="available_now"))
        table = load_catalog(**catalog).load_table("air.t")
        found["iceberg"] = sorted(list(row.values()) for row in table.scan().to_arrow().to_pylist())
    return found


@pytest.mark.parametrize("place", ["shared", "hdfs", "s3a"])
def test_sinks_on_each_file_system(machines: Cluster, driver: Driver, manager: str, place: str) -> None:
    base = {"shared": f"file://{machines.shared}", "hdfs": STORAGE, "s3a": S3}[place]

    log = str(machines.shared / f"log-{manager}-{place}")
    found = driver.run(sinks, f"{base}/sinks-{manager}", log, timeout_seconds=350)

    rows = made_rows(ROWS)
    with_batches = [[*row, row[0] // 150] for row in rows]
    assert found["to_path"] == with_batches
    assert found["to_table"] == with_batches
    assert found["from_query"] == [list(row) for row in rows]
    assert found["live"] == [[number, list(range(150 * number, min(ROWS, 150 * number + 150)))] for number in range(3)]
    assert found["frames"] == with_batches
    assert found.get("iceberg") == (None if place == "hdfs" else [list(row) for row in rows])


def storage_refusals(spark: Any, base: str) -> dict[str, str]:
    """Return what functions say of storage that is not there, and of a folder of another query."""
    from reactivestreams.spark import CheckpointError, from_query, to_path, to_streaming_dataframe

    def numbers() -> Any:
        return to_streaming_dataframe(Rows(ROWS), SCHEMA, max_rows=ROWS, tasks=2)

    assert to_path(numbers(), f"{base}/o", checkpoint=f"{base}/c", trigger="available_now").await_end(120)
    calls: dict[str, Any] = {
        "bucket": lambda: to_path(numbers(), "s3a://nowhere/o", checkpoint=f"{base}/c1"),
        "host": lambda: from_query(numbers(), checkpoint="hdfs://nowhere:8020/c2"),
        "scheme": lambda: to_path(numbers(), f"{base}/o", checkpoint="ftq://flights/c3"),
        "query": lambda: to_path(numbers(), f"{base}/o", checkpoint=f"{base}/c4"),
    }
    said = {}
    for name, call in calls.items():
        try:
            call()
        except (ArgumentError, CheckpointError) as error:
            said[name] = str(error)
    return said


@pytest.mark.parametrize("storage", [STORAGE, S3])
def test_storage_that_is_not_there_is_refused(driver: Driver, manager: str, storage: str) -> None:
    said = driver.run(storage_refusals, f"{storage}/refusals-{manager}")

    for name, start in {
        "bucket": "path must be on a file system that Spark reaches, got 's3a://nowhere/o'",
        "host": "checkpoint must be on a file system that Spark reaches, got 'hdfs://nowhere:8020/c2'",
        "scheme": "checkpoint must be on a file system that Spark reaches, got 'ftq://flights/c3'",
        "query": f"the folder {storage}/refusals-{manager}/o contains batches of another query",
    }.items():
        assert said[name].startswith(start), said
    assert "bucket does not exist" in said["bucket"].lower()
    assert all("; correct the URI, or start" in said[name] for name in ("bucket", "host", "scheme"))
