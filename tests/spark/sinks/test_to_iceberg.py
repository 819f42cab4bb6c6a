"""Tables of Apache Iceberg as sinks: what PyIceberg reads is what the query wrote, each batch once."""

import os
import re
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import reactivestreams.spark
from reactivestreams import Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import PipelineError, SparkUnavailableError, apply, to_iceberg, to_streaming_dataframe
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.sinks import to_iceberg as module
from reactivestreams.spark.sinks.to_iceberg import IcebergTable, spark_uri
from tests.spark.in_process import ProcessFailureError, SparkProcess, run_in_process
from tests.spark.stream_cases import SCHEMA, Counted
from tests.spark.test_guide import BLOCK, DOCS

pyiceberg: Any = pytest.importorskip("pyiceberg.catalog", reason="needs the extra iceberg")
expressions: Any = pytest.importorskip("pyiceberg.expressions")

pytestmark = pytest.mark.spark

SOON = 60.0
WITH_ICEBERG = re.compile(
    r"^```python not-run: needs PyIceberg[^\n]*\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL
)
QUERY, BATCH = "spark.sql.streaming.queryId", "spark.sql.streaming.epochId"


def properties(base: Path | str) -> dict[str, str]:
    """Return the properties of a catalog in a folder, with the namespace `air`."""
    place = Path(base) / "ware house 50%"
    place.mkdir(exist_ok=True)
    found = {"name": "local", "type": "sql", "uri": f"sqlite:///{base}/catalog.db", "warehouse": f"file://{place}"}
    pyiceberg.load_catalog(**found).create_namespace_if_not_exists("air")
    return found


def table_of(base: Path | str, name: str = "air.t") -> Any:
    return pyiceberg.load_catalog(**properties(base)).load_table(name)


def rows_of(base: Path | str, name: str = "air.t") -> list[dict[str, Any]]:
    return sorted(table_of(base, name).scan().to_arrow().to_pylist(), key=lambda row: row["id"])


def batches_of(base: Path | str) -> list[int]:
    """Return the ids of the batches of the table's snapshots, in order."""
    summaries = [snapshot.summary.additional_properties for snapshot in table_of(base).metadata.snapshots]
    return [int(summary[BATCH]) for summary in summaries if BATCH in summary]


def write(spark: Any, base: Path | str, rows: int = 25, **arguments: Any) -> Any:
    """Write rows in batches of 10 to a table, and wait for the end."""
    df = arguments.pop("df", None)
    if df is None:
        df = to_streaming_dataframe(Counted(rows), SCHEMA, session=spark, max_rows=10)
    given = {"catalog": properties(base), "checkpoint": f"{base}/checkpoint", **arguments}
    query = to_iceberg(df, given.pop("table", "air.t"), trigger="available_now", **given)
    assert query.await_end(SOON)
    return query


def test_each_batch_is_a_commit_and_a_repeated_one_is_skipped(spark: Any, tmp_path: Path) -> None:
    query = write(spark, tmp_path, 20)
    files = sorted((tmp_path / "ware house 50%").rglob("*.parquet"))
    (tmp_path / "checkpoint" / "commits" / "1").unlink()
    write(spark, tmp_path, 20)

    assert sorted((tmp_path / "ware house 50%").rglob("*.parquet")) == files, "a skipped batch is not written"
    write(spark, tmp_path, 25)
    assert [row["id"] for row in rows_of(tmp_path)] == [*range(25)]
    assert batches_of(tmp_path) == [0, 1, 2]
    assert table_of(tmp_path).current_snapshot().summary.additional_properties["added-records"] == "5"
    assert repr(query).startswith("RunningQuery(to_iceberg, ended, exactly-once")


VALUES = (
    "id",
    "CAST(id AS TINYINT) AS tiny",
    "CAST(id AS SMALLINT) AS small",
    "CAST(id AS DECIMAL(20, 3)) AS number",
    "CAST(CAST(id AS STRING) AS BINARY) AS bytes",
    "DATE'2026-03-29' AS day",
    "TIMESTAMP'2026-03-29 00:30:00Z' AS moment",
    "TIMESTAMP_NTZ'2026-03-29 02:30:00' AS clock",
    "array(id, NULL) AS many",
    "map('a', id) AS named",
    "named_struct('x', id, 'y', array('z')) AS inside",
)


def test_values_of_all_types_come_back(spark: Any, tmp_path: Path) -> None:
    counted = to_streaming_dataframe(Counted(3), SCHEMA, session=spark, max_rows=10)
    before = spark.conf.get("spark.sql.parquet.outputTimestampType")

    write(spark, tmp_path, df=counted.selectExpr(*VALUES))

    row = rows_of(tmp_path)[2]
    assert (row["tiny"], row["small"], str(row["number"]), row["bytes"]) == (2, 2, "2.000", b"2")
    assert row["day"] == date(2026, 3, 29)
    assert row["moment"] == datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
    assert row["clock"] == datetime.fromisoformat("2026-03-29T02:30:00")
    assert (row["many"], row["named"], row["inside"]) == ([2, None], [("a", 2)], {"x": 2, "y": ["z"]})
    assert spark.conf.get("spark.sql.parquet.outputTimestampType") == before


PARTED = (
    "id",
    "IF(id % 5 = 0, NULL, concat(repeat('long ', 9), id % 3)) AS name",
    "timestamp_seconds(100000 * id * id - 3600) AS moment",
    "CAST(timestamp_seconds(3600 * id) AS TIMESTAMP_NTZ) AS clock",
    "date_add(DATE'2025-12-30', CAST(id AS INT)) AS day",
)


@pytest.mark.parametrize(
    "transforms",
    [
        {"name": "identity"},
        {"moment": "hour", "clock": "day", "day": "year"},
        {"moment": "day", "clock": "hour", "day": "month"},
        {"moment": "month"},
    ],
    ids=lambda transforms: "-".join(transforms.values()),
)
def test_each_file_has_rows_of_one_partition(spark: Any, tmp_path: Path, transforms: dict[str, str]) -> None:
    df = to_streaming_dataframe(Counted(25), SCHEMA, session=spark, max_rows=10).selectExpr(*PARTED)
    empty = pyiceberg.load_catalog(**properties(tmp_path)).create_table("air.t", arrow_schema(df.schema.toNullable()))
    with empty.update_spec() as spec:
        for column, transform in transforms.items():
            spec.add_field(column, transform)

    write(spark, tmp_path, df=df)

    table = table_of(tmp_path)
    expected = spark.range(25).selectExpr(*PARTED).orderBy("id").toArrow().to_pylist()
    assert rows_of(tmp_path) == expected
    assert len({str(row["partition"]) for row in table.inspect.partitions().to_pylist()}) > 1
    for column in transforms:
        wanted = expected[7]
        literal = wanted[column] if column == "name" else wanted[column].isoformat()
        assert wanted in table.scan(row_filter=expressions.EqualTo(column, literal)).to_arrow().to_pylist()


def test_table_may_have_other_columns_and_writers(spark: Any, tmp_path: Path) -> None:
    schema = pa.schema([("name", pa.string()), ("note", pa.string()), ("id", pa.int64()), ("tag", pa.uuid())])
    table = pyiceberg.load_catalog(**properties(tmp_path)).create_table("air.t", schema)
    with table.update_spec() as spec:
        spec.add_identity("note")
    known = schema.remove(3)
    table_of(tmp_path).append(pa.table([["a"], ["b"], [-1]], schema=known))

    write(spark, tmp_path, 12)
    table_of(tmp_path).append(pa.table([["c"], ["d"], [99]], schema=known))
    write(spark, tmp_path, 15)

    assert [(row["id"], row["note"]) for row in rows_of(tmp_path)] == [
        (-1, "b"),
        *((n, None) for n in range(15)),
        (99, "d"),
    ]


def test_state_of_a_skipped_batch_is_kept(spark: Any, tmp_path: Path) -> None:
    for rows in (10, 20):
        df = to_streaming_dataframe(Counted(rows), SCHEMA, session=spark, max_rows=10)
        counting = pipeline().key_by(lambda row: row[0] % 3).scan(lambda last, row: (row[0] % 3, last[1] + 1), (0, 0))
        counts = apply(counting, df, schema="id bigint, count bigint", as_="tuples", order_by="id", buckets=2)
        write(spark, tmp_path, df=counts)
        if rows == 10:
            (tmp_path / "checkpoint" / "commits" / "0").unlink()

    found = sorted((row["id"], row["count"]) for row in rows_of(tmp_path))
    assert found == sorted((number % 3, number // 3 + 1) for number in range(20))


@pytest.mark.parametrize("looks", [1, 2])
def test_one_of_two_attempts_at_a_batch_is_added(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    """A driver commits a batch after another one has looked for it, before it writes it, or just before it commits."""
    write(spark, tmp_path, 10)
    rows, found = spark.range(100, 110, 1, 1).selectExpr("id", "'late' AS name"), []
    first, second = (IcebergTable("air.t", properties(tmp_path), f"file://{tmp_path}/checkpoint") for _ in range(2))
    first.folder = second.folder = f"file://{tmp_path}/ware house 50%/air/t/data"
    has: Callable[..., bool] = IcebergTable.has
    looked: list[int] = []

    def second_between(driver: IcebergTable, table: Any, batch_id: int) -> bool:
        answer = has(driver, table, batch_id)
        if driver is first:
            looked.append(batch_id)
            if len(looked) == looks:
                found.append(second(rows, 7))
        return answer

    monkeypatch.setattr(IcebergTable, "has", second_between)
    found.append(first(rows, 7))

    assert [row["id"] for row in rows_of(tmp_path)] == [*range(10), *range(100, 110)]
    assert (found, batches_of(tmp_path), looked) == ([True, True], [0, 7], [7] * (looks + 1))


@pytest.mark.parametrize("others", [1, 3])
def test_commit_goes_on_top_of_what_others_have_committed(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    """Another writer commits between the look for the batch and its commit, which PyIceberg alone would not tell."""
    write(spark, tmp_path, 10)
    has: Callable[..., bool] = IcebergTable.has
    added: list[int] = []

    def other_writer(driver: IcebergTable, table: Any, batch_id: int) -> bool:
        answer = has(driver, table, batch_id)
        if len(added) < others + 1:  # the first look is that before the batch is written
            added.append(1000 + len(added))
            table_of(tmp_path).append(pa.table({"id": [added[-1]], "name": ["other"]}))
        return answer

    monkeypatch.setattr(IcebergTable, "has", other_writer)
    write(spark, tmp_path, 20)

    assert [row["id"] for row in rows_of(tmp_path)] == [*range(20), *added]
    assert batches_of(tmp_path) == [0, 1]


def test_batch_fails_where_others_always_come_first(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(spark, tmp_path, 10)
    has: Callable[..., bool] = IcebergTable.has
    looks: list[int] = []

    def busy(driver: IcebergTable, table: Any, batch_id: int) -> bool:
        looks.append(batch_id)
        table_of(tmp_path).append(pa.table({"id": [1000 + len(looks)], "name": ["other"]}))
        return has(driver, table, batch_id)

    monkeypatch.setattr(IcebergTable, "has", busy)
    monkeypatch.setattr(module, "COMMIT_ATTEMPTS", 3)
    with pytest.raises(PipelineError, match="to_iceberg failed on batch 1: CommitFailedException"):
        write(spark, tmp_path, 20)
    assert len(looks) == 4
    monkeypatch.undo()
    write(spark, tmp_path, 20)
    assert [row["id"] for row in rows_of(tmp_path) if row["id"] < 1000] == [*range(20)]


def test_what_does_not_fit_is_refused(spark: Any, tmp_path: Path) -> None:
    catalog = pyiceberg.load_catalog(**properties(tmp_path))
    catalog.create_table("air.narrow", pa.schema([("id", pa.int32()), ("name", pa.string())]))
    catalog.create_table("air.strict", pa.schema([pa.field("id", pa.int64(), nullable=False), ("name", pa.string())]))
    with catalog.create_table(
        "air.bucketed", pa.schema([("id", pa.int64()), ("name", pa.string())])
    ).update_spec() as it:
        it.add_field("id", "bucket[4]")
    wrong: Any = 3
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"table": "air.narrow"}, ArgumentError, r"the table air.narrow has .*'id': 'int'.* of the columns of the"),
        ({"table": "air.strict"}, ArgumentError, r"the table air.strict has columns that must not be NULL, \['id'\]"),
        ({"table": "air.bucketed"}, ArgumentError, r"partitioned by bucket\[4\]\(id\), but to_iceberg can write"),
        ({"table": "sea.t"}, ArgumentError, r"does not give the table 'sea.t': .*; correct the properties"),
        ({"table": "t"}, ArgumentError, r"does not give the table 't': "),
        ({"catalog": {"type": "nothing", "token": "secret"}}, ArgumentError, r"does not give .*'air.t': "),
        ({"catalog": "unknown"}, ArgumentError, r"does not give the table 'air.t': "),
        ({"catalog": wrong}, ArgumentTypeError, r"^catalog must be a dict or a str, got 3"),
        ({"table": wrong}, ArgumentTypeError, r"^table must be a str, got 3"),
        ({"checkpoint": ""}, ArgumentError, r"^checkpoint must be the path of a folder"),
    ]
    for arguments, kind, complaint in refused:
        with pytest.raises(kind, match=complaint) as failure:
            write(spark, tmp_path, **arguments)
        assert "secret" not in str(failure.value)
    assert not (tmp_path / "checkpoint").exists()


def test_missing_package_is_named(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = properties(tmp_path)
    monkeypatch.setitem(sys.modules, "pyiceberg.catalog", None)
    df = to_streaming_dataframe(Counted(1), SCHEMA, session=spark)

    with pytest.raises(SparkUnavailableError, match=r'pip install "reactive-streams-core\[spark,iceberg\]"'):
        to_iceberg(df, "air.t", catalog=given, checkpoint=tmp_path / "checkpoint")


def test_spark_has_its_own_name_for_s3() -> None:
    assert spark_uri("s3://bucket/a b/s3://x") == "s3a://bucket/a b/s3://x"
    assert [spark_uri(uri) for uri in ("hdfs://names/a", "/a", "s3a://b/c")] == ["hdfs://names/a", "/a", "s3a://b/c"]


# --- these functions run in processes of their own --------------------------------------------------------------------


def killed_after_a_commit(spark: Any, base: str) -> None:
    commit: Callable[..., None] = IcebergTable.commit

    def commit_and_die(table: IcebergTable, catalog: Any, files: list[str], batch_id: int) -> None:
        commit(table, catalog, files, batch_id)
        if batch_id == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    IcebergTable.commit = commit_and_die  # type: ignore[method-assign, assignment]
    write(spark, base)


def repeated_batch(spark: Any, base: str) -> list[int]:
    write(spark, base, 20)
    Path(base, "checkpoint", "commits", "1").unlink()
    write(spark, base, 25)
    return [row["id"] for row in rows_of(base)]


def test_batch_committed_before_a_kill_counts_once(spark: Any, tmp_path: Path) -> None:
    with suppress(ProcessFailureError):
        run_in_process(killed_after_a_commit, str(tmp_path), kind="local")
    assert max(os.listdir(tmp_path / "checkpoint" / "commits")) == "0"
    assert batches_of(tmp_path) == [0, 1]

    write(spark, tmp_path)

    assert [row["id"] for row in rows_of(tmp_path)] == [*range(25)]


def test_repeated_batch_is_skipped_through_connect(connect: SparkProcess, tmp_path: Path) -> None:
    assert connect.run(repeated_batch, str(tmp_path)) == [*range(25)]
    assert batches_of(tmp_path) == [0, 1, 2]


def test_guide_prints_what_it_shows(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "guides/spark-sinks.md").read_text(encoding="utf-8")
    (source,) = (block["code"] for block in BLOCK.finditer(page) if "def flights_from" in block["code"])
    ((code, shown),) = WITH_ICEBERG.findall(page)
    names: dict[str, Any] = {"session": spark, "spark": reactivestreams.spark, "Stream": Stream}
    exec(source, names)
    capsys.readouterr()
    exec(code, names)
    assert capsys.readouterr().out == shown
