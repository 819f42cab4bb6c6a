"""Keyed pipelines on streaming DataFrames: the results of a thread, whatever the micro-batches are."""

import math
import operator
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType

from reactivestreams.errors import ArgumentError
from reactivestreams.spark import PipelineError, apply, pipeline_errors
from reactivestreams.spark.keyed import bucket_store
from reactivestreams.spark.keyed.bucket_store import HEADING_STATE
from reactivestreams.spark.keyed.checkpoint_state import bucket_states
from reactivestreams.stream import Pipeline, Stream, pipeline

pytestmark = pytest.mark.spark

ROWS = "id bigint, key string, number bigint, at double"
FIRST_FILE_TIME = 1_700_000_000
DEADLINE_SECONDS = 60

Row = tuple[Any, ...]


def made_rows(count: int) -> list[Row]:
    """Return rows of unequal keys; the file order is not that of the ids."""
    return [(row, "abcdefg"[row * row % 7], row * 7919 % 101, float(row)) for row in range(count)]


class RowFiles:
    """A folder of Parquet files of rows, the older file first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = 0
        path.mkdir()

    def write(self, rows: Iterable[Row]) -> None:
        """Add a file."""
        import pyarrow as pa
        from pyarrow import parquet

        columns = [*zip(*rows, strict=True)]
        names = ["id", "key", "number", "at"]
        table = pa.table(dict(zip(names, map(list, columns), strict=True)))
        path = self.path / f"part-{self.files:04}.parquet"
        hidden = path.with_name(f"_{path.name}")
        parquet.write_table(table, hidden)
        os.utime(
            hidden, (FIRST_FILE_TIME + self.files,) * 2
        )  # Spark takes the older file first, and knows milliseconds
        hidden.rename(path)
        self.files += 1


class Folder(RowFiles):
    """A folder of such files as a streaming source: a micro-batch for each file."""

    def __init__(self, spark: Any, path: Path) -> None:
        super().__init__(path)
        self.spark = spark

    def stream(self) -> Any:
        """Return the streaming DataFrame."""
        return self.spark.readStream.schema(ROWS).option("maxFilesPerTrigger", 1).parquet(str(self.path))


@pytest.fixture
def folder(spark: Any, tmp_path: Path) -> Folder:
    return Folder(spark, tmp_path / "in")


def drained(results: Any, checkpoint: Path, out: Path) -> list[Row]:
    """Run a query until its source is used up, and return all rows that it has ever written to a folder."""
    query = (
        results.writeStream.format("parquet")
        .option("path", str(out))
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    try:
        with pipeline_errors():
            assert query.awaitTermination(DEADLINE_SECONDS)
    finally:
        query.stop()
    return [tuple(row) for row in results.sparkSession.read.schema(results.schema).parquet(str(out)).collect()]


def by_key(rows: Iterable[Row], key: int = 0) -> dict[Any, list[Row]]:
    """Return the rows of each key, sorted by all their values."""
    groups = defaultdict(list)
    for row in rows:
        groups[row[key]].append(row)
    return {name: sorted(group) for name, group in groups.items()}


def digest(state: Row, row: Row) -> Row:
    """Fold so that another order gives another result."""
    return (row[1], row[0], (state[2] * 31 + row[2]) % 1_000_003)


def digests() -> Pipeline[Any, Any]:
    """Return a pipeline whose results tell each order of the rows of a key apart."""
    return pipeline().key_by(operator.itemgetter(1)).scan(digest, ("", 0, 7))


DIGEST = "key string, id bigint, digest bigint"


@pytest.mark.smoke
def test_scan_over_micro_batches_equals_the_thread(folder: Folder, tmp_path: Path) -> None:
    rows = made_rows(100)
    for start in (0, 50):
        folder.write(rows[start : start + 50][::-1])

    there = drained(
        apply(digests(), folder.stream(), schema=DIGEST, as_="tuples", order_by="id", buckets=2),
        tmp_path / "checkpoint",
        tmp_path / "out",
    )

    assert by_key(there) == by_key(Stream.from_iterable(rows).through(digests()).to_list())


def test_operators_before_and_behind_the_key(folder: Folder, tmp_path: Path) -> None:
    rows = made_rows(200)
    folder.write(rows[:120][::-1])
    folder.write(rows[120:])
    stages = (
        pipeline()
        .filter(lambda row: row[2] % 3)
        .flat_map(lambda row: [row, (row[0], row[1].upper(), row[2], row[3])])
        .key_by(lambda row: row[1])
        .through(pipeline().buffer(5).map(lambda group: (group[0][1], sum(row[2] for row in group), len(group))))
        .filter(lambda group: group[1] % 2)
    )
    there = drained(
        apply(stages, folder.stream(), schema="key string, total bigint, size int", as_="tuples", order_by="id"),
        tmp_path / "checkpoint",
        tmp_path / "out",
    )

    complete = [group for group in Stream.from_iterable(rows).through(stages).to_list() if group[2] == 5]
    assert by_key(there) == by_key(complete)


PLAIN = {
    "byte": (-(2**7), 2**7 - 1),
    "short": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
    "long": (-(2**63), 2**63 - 1),
    "float": (-math.inf, 0.1, math.nan),
    "double": (-0.0, 5e-324, math.nan),
    "boolean": (False, True),
    "string": ("", "\u00e9\U0001f600\x00"),
    "binary": (b"", b"\x00\xff"),
}
"""Values of the types whose columns are returned as they are."""

CONVERTED = {
    "date": (date(1582, 10, 15), date(9999, 12, 31)),
    "timestamp": (datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), datetime(2024, 3, 31, 2, 30, tzinfo=UTC)),
    "timestamp_ntz": (datetime(1, 1, 1), datetime(2024, 3, 31, 2, 30)),  # noqa: DTZ001  # it has no zone
    "decimal(38,18)": (Decimal("-1e-18"), Decimal(10**19)),
    "array<long>": ([], [None, 2**63 - 1]),
    "map<string,long>": ({}, {"": None}),
    "struct<a:long,b:string>": ((None, "b"), (1, None)),
}


@pytest.mark.parametrize("kinds", [PLAIN, CONVERTED], ids=["columns", "cells"])
def test_results_are_those_of_the_thread_whatever_their_types(
    spark: Any, folder: Folder, tmp_path: Path, kinds: dict[str, Row]
) -> None:
    numbers = range(max(map(len, kinds.values())))
    made = [None, *(tuple(values[min(number, len(values) - 1)] for values in kinds.values()) for number in numbers)]
    nothing = (None,) * len(kinds)
    stages = pipeline().key_by(operator.itemgetter(1)).scan(lambda count, _: count + 1, 0)
    stages = stages.map(lambda count: (count, *(made[count % len(made)] or nothing)))
    schema = "count long, " + ", ".join(f"c{number} {kind}" for number, kind in enumerate(kinds))
    for start in (0, 30):
        folder.write(made_rows(60)[start : start + 30])

    arguments: dict[str, Any] = {"schema": schema, "as_": "tuples", "order_by": "id", "buckets": 3}
    results = apply(stages, folder.stream(), **arguments)
    written = drained(results, tmp_path / "checkpoint", tmp_path / "out")

    expected = apply(stages, spark.read.schema(ROWS).parquet(str(folder.path)), **arguments).collect()
    assert sorted(map(repr, written)) == sorted(repr(tuple(row)) for row in expected)
    assert [field.dataType for field in results.schema] == [field.dataType for field in StructType.fromDDL(schema)]
    assert ("MapInArrow" in last_python_step(results)) == (kinds is CONVERTED)


def last_python_step(results: Any) -> str:
    """Return the first line of a plan, which is its last step."""
    return str(results._jdf.queryExecution().analyzed().toString()).partition("\n")[0]


def test_restart_goes_on_where_the_query_stopped(folder: Folder, tmp_path: Path) -> None:
    rows = made_rows(240)

    def fold(state: Row, row: dict[str, Any]) -> Row:
        return digest(state, (row["id"], row["key"], row["number"]))

    by_name = pipeline().key_by(lambda row: row["key"]).scan(fold, ("", 0, 7))
    collected: list[Row] = []
    for start in range(0, 240, 80):
        folder.write(rows[start : start + 80])
        frame = apply(by_name, folder.stream(), schema=DIGEST, order_by=["at", "id"], buckets=3, as_="dicts")
        collected = drained(frame, tmp_path / "checkpoint", tmp_path / "out")

    assert by_key(collected) == by_key(Stream.from_iterable(rows).through(digests()).to_list())


def test_buckets_are_spread_evenly_and_stay_where_they_were(spark: Any, folder: Folder, tmp_path: Path) -> None:
    rows: list[Row] = [(row, f"key {row % 40}", row * 7919 % 101, float(row)) for row in range(160)]
    collected: list[Any] = []
    before = spark.conf.get("spark.sql.shuffle.partitions")
    try:
        for start, partitions in ((0, 3), (80, 5)):  # Spark keeps the number with which the checkpoint began
            folder.write(rows[start : start + 80])
            spark.conf.set("spark.sql.shuffle.partitions", partitions)
            frame = apply(digests(), folder.stream(), schema=DIGEST, as_="tuples", order_by="id", buckets=6)
            collected = drained(frame, tmp_path / "checkpoint", tmp_path / "out")
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)

    assert by_key(collected) == by_key(Stream.from_iterable(rows).through(digests()).to_list())
    states = bucket_states(spark, str(tmp_path / "checkpoint"))
    assert [state.bucket for state in states if state.keys] == list(range(6))
    stored = spark.read.format("statestore").option("stateVarName", HEADING_STATE).load(str(tmp_path / "checkpoint"))
    found = stored.groupBy("partition_id").count().orderBy("partition_id").collect()
    assert [tuple(row) for row in found] == [(0, 2), (1, 2), (2, 2)]


def test_large_state_is_stored_in_chunks(folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = bucket_store.CHUNK_BYTES // 3
    folder.write([(row, "abcdefg"[row % 7], row, 0.0) for row in range(7)])
    folder.write([(row, "abcdefg"[row % 7], row, 0.0) for row in range(7, 14)])
    folder.write([(row, "abcdefg"[row % 7], -1, 0.0) for row in range(14, 21)])
    folder.write([(row, "abcdefg"[row % 7], row, 0.0) for row in range(21, 28)])

    def grow(state: Any, row: Row) -> Any:
        return (row[1], row[0], "" if row[2] < 0 else state[2] + f"{row[0]},".ljust(size))

    stages = pipeline().key_by(lambda row: row[1]).scan(grow, ("", 0, "")).map(lambda s: (s[0], s[1], len(s[2])))
    there = drained(
        apply(stages, folder.stream(), schema=DIGEST, as_="tuples", order_by="id", buckets=1),
        tmp_path / "checkpoint",
        tmp_path / "out",
    )

    sizes = {0: size, 1: 2 * size, 2: 0, 3: size}
    assert sorted(there) == sorted(("abcdefg"[row % 7], row, sizes[row // 7]) for row in range(28))


def test_event_time_ends_keys_by_the_watermark(folder: Folder, tmp_path: Path) -> None:
    folder.write([(1, "a", 1, 0.0), (2, "b", 1, 4.0), (3, "a", 1, 8.0)])
    folder.write([(4, "b", 1, 30.0)])
    folder.write([(5, "c", 1, 31.0)])
    folder.write([(6, "a", 1, 2.0)])  # before the watermark: goes to the hook for dropped signals
    folder.write([(7, "d", 1, 100.0)])
    stages = pipeline().key_by(lambda row: row[1]).expire_after(10, event_time=lambda row: row[3], lateness=1).count()
    there = drained(
        apply(stages, folder.stream(), schema="key string, count bigint", as_="tuples", order_by="id", buckets=2),
        tmp_path / "checkpoint",
        tmp_path / "out",
    )

    assert sorted(there) == [("a", 2), ("b", 1), ("b", 1), ("c", 1)]


def test_processing_time_ends_keys_that_get_no_more(folder: Folder, tmp_path: Path) -> None:
    folder.write(made_rows(30))
    stages = pipeline().key_by(lambda row: row[1]).expire_after(0.001).count()
    frame = apply(stages, folder.stream(), schema="key string, count bigint", as_="tuples", order_by="id", buckets=2)
    query = (  # not availableNow: such a query goes on as long as there is a clock to wait for
        frame.writeStream.format("memory").queryName("idle_keys").option("checkpointLocation", str(tmp_path / "c"))
    ).start()
    there: list[Row] = []
    deadline = time.monotonic() + DEADLINE_SECONDS
    try:
        while len(there) < 4 and query.isActive and time.monotonic() < deadline:
            time.sleep(0.1)
            there = [tuple(row) for row in folder.spark.table("idle_keys").collect()]
    finally:
        query.stop()
        folder.spark.catalog.dropTempView("idle_keys")

    counts = Stream.from_iterable(made_rows(30)).key_by(lambda row: row[1]).count().to_list()
    assert sorted(there) == sorted(counts)


@pytest.fixture
def stored(folder: Folder, tmp_path: Path) -> Folder:
    """Return a folder whose first file a query with 4 buckets has taken; the second waits."""
    folder.write(made_rows(20))
    drained(
        apply(digests(), folder.stream(), schema=DIGEST, as_="tuples", order_by="id", buckets=4),
        tmp_path / "checkpoint",
        tmp_path / "out",
    )
    folder.write(made_rows(1))
    return folder


@pytest.mark.parametrize(
    ("stages", "buckets", "message"),
    [
        (digests, 5, "keys are in 4 buckets, but this query has 5; pass buckets=4"),
        (lambda: digests().map(lambda row: row), 4, r"it belongs to rx://operators/keyed_scan, but this pipeline has"),
        (
            lambda: pipeline().key_by(lambda row: row[1]).take(3).map(lambda row: (row[1], row[0], 0)),
            4,
            "start the pipeline that made the checkpoint, or use a new checkpoint",
        ),
    ],
    ids=["buckets", "operators", "keyed operator"],
)
def test_checkpoint_of_another_pipeline_is_refused(
    stored: Folder, tmp_path: Path, stages: Callable[[], Pipeline[Any, Any]], buckets: int, message: str
) -> None:
    frame = apply(stages(), stored.stream(), schema=DIGEST, as_="tuples", order_by="id", buckets=buckets)
    with pytest.raises(PipelineError, match=message) as refused:
        drained(frame, tmp_path / "checkpoint", tmp_path / "out")
    assert refused.value.operator in stages().operators[0].definition.id


def test_query_started_twice_on_one_checkpoint_repeats_nothing(stored: Folder, tmp_path: Path) -> None:
    stored.write(made_rows(20)[5:])
    frame = apply(digests(), stored.stream(), schema=DIGEST, as_="tuples", order_by="id", buckets=4)
    writer = (
        frame.writeStream.format("parquet")
        .option("path", str(tmp_path / "out"))
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
    )
    first = writer.start()
    second = writer.trigger(availableNow=True).start()  # Spark stops the first one
    try:
        assert second.awaitTermination(DEADLINE_SECONDS)
        assert not first.isActive
    finally:
        first.stop()
        second.stop()

    there = [tuple(row) for row in frame.sparkSession.read.parquet(str(tmp_path / "out")).collect()]
    rows = made_rows(20) + made_rows(1) + made_rows(20)[5:]
    assert by_key(there) == by_key(Stream.from_iterable(rows).through(digests()).to_list())


def test_function_that_raises_tells_operator_key_and_row(folder: Folder, tmp_path: Path) -> None:
    folder.write([(row, "ab"[row % 2], row, 0.0) for row in range(10)])
    stages = pipeline().key_by(lambda row: row[1]).scan(lambda total, row: total + 1 // (7 - row[2]), 0)
    frame = apply(stages.map(lambda n: ("", n, 0)), folder.stream(), schema=DIGEST, as_="tuples", order_by="id")
    with pytest.raises(PipelineError) as failed:
        drained(frame, tmp_path / "checkpoint", tmp_path / "out")
    error = failed.value
    assert (error.operator, error.key, error.row) == ("keyed_scan", "'b'", "(7, 'b', 7, 0.0)")
    assert error.cause == "ZeroDivisionError: integer division or modulo by zero"
    assert error.assembly.startswith(__file__)
    assert error.row_number in (3, 7)  # the other key may be in the same bucket
    assert f"of key 'b' (number {error.row_number}): ZeroDivisionError" in str(error)


def test_function_inside_through_that_raises_tells_its_own_operator(folder: Folder, tmp_path: Path) -> None:
    folder.write([(1, "a", 0, 0.0)])
    stages = pipeline().key_by(lambda row: row[1]).through(pipeline().map(lambda row: 1 // row[2]))
    with pytest.raises(PipelineError) as failed:
        drained(
            apply(stages, folder.stream(), schema="n int", as_="tuples", order_by="id"),
            tmp_path / "checkpoint",
            tmp_path / "out",
        )
    assert (failed.value.operator, failed.value.key, failed.value.row_number) == ("map", "'a'", 0)


def test_key_function_that_raises_tells_the_row(folder: Folder, tmp_path: Path) -> None:
    folder.write([(1, "a", 1, 0.0), (2, "b", 0, 0.0)])
    stages = pipeline().key_by(lambda row: 1 // row[2]).count()
    with pytest.raises(PipelineError) as failed:
        drained(
            apply(stages, folder.stream(), schema="n int, m int", as_="tuples", order_by="id"),
            tmp_path / "checkpoint",
            tmp_path / "out",
        )
    assert (failed.value.operator, failed.value.row) == ("keyed_count", "(2, 'b', 0, 0.0)")


@pytest.mark.parametrize(
    ("stages", "order_by", "message"),
    [
        (
            pipeline().key_by(lambda row: row[1]).count().key_by(lambda row: row[1]).count(),
            "id",
            "keyed operator keyed_count, built at .* is the second one of the pipeline",
        ),
        (pipeline().take(3).key_by(lambda row: row[1]).count(), "id", "operator take, .* would start again"),
        (pipeline().key_by(lambda row: row[1]).count().buffer(2), "id", "operator buffer, .* would start again"),
        (pipeline().key_by(lambda row: row[1]).count(), "ids", "order_by names 'ids', but the columns are"),
    ],
)
def test_what_a_streaming_query_cannot_have_is_refused_when_built(
    folder: Folder, stages: Any, order_by: str, message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        apply(stages, folder.stream(), schema="key string, count bigint", as_="tuples", order_by=order_by)


def test_state_store_that_cannot_hold_the_state_is_refused(spark: Any, folder: Folder) -> None:
    option = "spark.sql.streaming.stateStore.providerClass"
    before = spark.conf.get(option)
    spark.conf.set(option, "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
    try:
        with pytest.raises(ArgumentError, match=r"needs the state store RocksDB, .*HDFSBacked.*session\.conf\.set"):
            apply(digests(), folder.stream(), schema=DIGEST, as_="tuples", order_by="id")
    finally:
        spark.conf.set(option, before)
