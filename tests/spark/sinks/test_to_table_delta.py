"""Tables of Delta Lake as sinks, with Delta's archives and the Spark that they are made for, in processes of their own.

For a newer Delta change its version and that of its Spark.
"""

import io
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

import pyspark
import pytest

import reactivestreams.spark
from reactivestreams import Stream, pipeline
from reactivestreams.spark import apply, to_streaming_dataframe, to_table
from reactivestreams.spark.failures import failure_summary
from reactivestreams.spark.sinks.to_table import DeltaTable
from tests.maven import fetch
from tests.packaging.installing import fetched
from tests.spark.in_process import ROOT, SESSIONS, ProcessFailureError, SparkProcess
from tests.spark.stream_cases import SCHEMA, Counted
from tests.spark.test_guide import BLOCK, DOCS

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(900)]

DELTA, SPARK = "4.4.0", "4.2.0"
JARS = ROOT / "build" / f"delta-{DELTA}"
ARTIFACTS = [f"io.delta:delta-spark_{SPARK[:3]}_2.13:{DELTA}", f"io.delta:delta-storage:{DELTA}"]
SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
FEW_TASKS = {"spark.databricks.delta.snapshotPartitions": "1"}
BUILD_SECONDS = 600
SOON, LONG = 150.0, 500.0
WITH_DELTA = re.compile(
    r"^```python not-run: needs Delta[^\n]*\n(.*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL
)


def process(kind: str, **config: str) -> SparkProcess:
    """Start a process with a session of a kind of the Spark that Delta is made for."""
    path = [str(ROOT / "src"), str(ROOT)]
    if pyspark.__version__ != SPARK:
        path.append(str(fetched(f"pyspark=={SPARK}", built="pyspark", seconds=BUILD_SECONDS)))
    arguments = SESSIONS[kind]
    session = {**arguments, "config": {**arguments["config"], **config}}
    return SparkProcess(kind, session=session, environment={"PYTHONPATH": os.pathsep.join(path)})


def with_delta(kind: str) -> SparkProcess:
    reason = fetch(JARS, ARTIFACTS, alone=True)
    if reason:
        pytest.skip(reason)
    return process(kind, **SETTINGS, **FEW_TASKS, **{"spark.jars": ",".join(map(str, JARS.iterdir()))})


def skip_at_the_gate(depth: Any) -> None:
    """Skip what takes long: the gate sees that a repeated batch is skipped, and no more of the processes."""
    if depth.name == "gate":
        pytest.skip("RS_TEST_DEPTH=full runs it: another Spark is started for it")


@pytest.fixture(scope="module")
def local() -> Iterator[SparkProcess]:
    with with_delta("local") as running:
        yield running


@pytest.fixture(scope="module", params=["local", "cluster", "connect"])
def each(request: pytest.FixtureRequest, depth: Any) -> Iterator[SparkProcess]:
    if request.param == "local":
        yield request.getfixturevalue("local")
        return
    skip_at_the_gate(depth)
    with with_delta(request.param) as running:
        yield running


# --- these functions run in those processes ---------------------------------------------------------------------------


def write(spark: Any, table: str, base: str, rows: int = 25, **arguments: Any) -> Any:
    """Write rows in batches of 10 to a table, and wait for the end."""
    df = to_streaming_dataframe(Counted(rows), SCHEMA, session=spark, max_rows=10)
    given = {"checkpoint": f"{base}/checkpoint", "path": f"{base}/table", "format": "delta", **arguments}
    query = to_table(df, table, trigger="available_now", **given)
    assert query.await_end(SOON)
    return query


def ids(spark: Any, table: str) -> list[int]:
    return sorted(row.id for row in spark.table(table).collect())


def versions(spark: Any, table: str) -> int:
    """Return how many transactions a table of Delta has had, its creation included."""
    return int(spark.sql(f"DESCRIBE HISTORY {table}").count())


def repeated_batch(spark: Any, base: str) -> list[Any]:
    """Write batches, then repeat one that was written and not committed, and go on."""
    query = write(spark, "repeated", base, 20)
    seen = [ids(spark, "repeated"), versions(spark, "repeated"), repr(query)]
    Path(base, "checkpoint", "commits", "1").unlink()
    write(spark, "repeated", base, 20)
    seen.append(versions(spark, "repeated"))
    write(spark, "repeated", base, 25)
    return [*seen, ids(spark, "repeated"), spark.table("repeated").columns]


def table_of_others(spark: Any, base: str) -> list[Any]:
    """Write to a table that has other columns and partitions, and the rows of another writer."""
    spark.sql(
        f"CREATE TABLE others (name STRING, note STRING, id BIGINT) USING delta PARTITIONED BY (note) "
        f"LOCATION '{base}/others'"
    )
    spark.sql("INSERT INTO others VALUES ('a', 'b', -1)")
    write(spark, "others", base, 12, path=None, format=None)
    rows = spark.table("others").orderBy("id").collect()
    return [[row.id for row in rows], list(rows[0]), rows[1].note]


def counted_by_key(spark: Any, base: str) -> list[Any]:
    """Number the rows of each key, with state, in a query whose written batch is repeated."""
    for rows in (10, 20):
        df = to_streaming_dataframe(Counted(rows), SCHEMA, session=spark, max_rows=10)
        counting = pipeline().key_by(lambda row: row[0] % 3).scan(lambda last, row: (row[0] % 3, last[1] + 1), (0, 0))
        counts = apply(counting, df, schema="key bigint, count bigint", as_="tuples", order_by="id", buckets=2)
        given = {"checkpoint": f"{base}/checkpoint", "path": f"{base}/table", "format": "delta"}
        assert to_table(counts, "counted", trigger="available_now", **given).await_end(SOON)
        if rows == 10:
            Path(base, "checkpoint", "commits", "0").unlink()
    return sorted(map(list, spark.table("counted").collect()))


def refusals(spark: Any, base: str) -> dict[str, str]:
    spark.sql(f"CREATE TABLE plain (id BIGINT, name STRING) USING csv LOCATION '{base}/plain'")
    spark.sql(f"CREATE TABLE narrow (id INT, name STRING) USING delta LOCATION '{base}/narrow'")
    spark.sql(f"CREATE TABLE short (id BIGINT) USING delta LOCATION '{base}/short'")
    spark.sql(f"CREATE TABLE fitting (id BIGINT, name STRING) USING delta LOCATION '{base}/fitting'")
    cases: dict[str, tuple[str, dict[str, Any]]] = {
        "another format": ("plain", {"format": None}),
        "contradiction": ("narrow", {"format": "parquet"}),
        "another type": ("narrow", {}),
        "no such column": ("short", {"format": None}),
        "update": ("missing", {"output_mode": "update"}),
        "fleeting": ("missing", {"path": None}),
        "checkpoint": ("fitting", {"checkpoint": f"{base}/fitting/checkpoint"}),
        "not Delta's files": ("missing", {"path": f"{base}/checkpoint"}),
    }
    found = {}
    for name, (table, arguments) in cases.items():
        try:
            write(spark, table, base, **arguments)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
    assert not spark.catalog.tableExists("missing")
    return found


def killed_after_a_write(spark: Any, base: str) -> None:
    append: Callable[..., bool] = DeltaTable.__call__

    def append_and_die(table: DeltaTable, dataframe: Any, batch_id: int) -> bool:
        append(table, dataframe, batch_id)
        if batch_id == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return True

    DeltaTable.__call__ = append_and_die  # type: ignore[method-assign]
    write(spark, "killed", base)


def after_the_kill(spark: Any, base: str) -> list[int]:
    write(spark, "killed", base)
    return ids(spark, "killed")


def two_drivers(spark: Any, base: str) -> list[Any]:
    """Append the same batch as two drivers would: one while the other one is writing it."""
    from pyspark.sql.functions import udf

    def slowly(number: int) -> int:
        Path(base, "started").touch()
        while not Path(base, "go").exists():
            threading.Event().wait(0.05)
        return number

    write(spark, "raced", base, 10)
    errors = []

    def append(rows: Any) -> None:
        try:
            DeltaTable("raced", base, f"{base}/checkpoint", spark)(rows, 7)
        except Exception as error:
            errors.append(failure_summary(error))

    rows = spark.range(100, 110, 1, 1).selectExpr("id", "'late' AS name")
    first = threading.Thread(target=append, args=(rows.withColumn("id", udf(slowly, "bigint")("id")),))
    first.start()
    while not Path(base, "started").exists():
        threading.Event().wait(0.05)
    append(rows)
    Path(base, "go").touch()
    first.join()
    append(rows)
    return [ids(spark, "raced"), errors]


def run_guide(spark: Any, base: str) -> list[str]:
    """Run the block of the guide on Delta, after the one that it uses, and return what it prints and shows."""
    os.chdir(base)
    page = (DOCS / "guides/spark-sinks.md").read_text(encoding="utf-8")
    (source,) = (block["code"] for block in BLOCK.finditer(page) if "def flights_from" in block["code"])
    ((code, shown),) = WITH_DELTA.findall(page)
    names: dict[str, Any] = {"session": spark, "spark": reactivestreams.spark, "Stream": Stream}
    exec(source, names)
    output = io.StringIO()
    with redirect_stdout(output):
        exec(code, names)
    return [output.getvalue(), shown]


def bare(spark: Any, base: str) -> str:
    try:
        write(spark, "bare", base)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


# --- tests ------------------------------------------------------------------------------------------------------------


def test_repeated_batch_is_skipped(each: SparkProcess, tmp_path: Path) -> None:
    first, before, shown, after, last, columns = each.run(repeated_batch, str(tmp_path), timeout_seconds=LONG)

    assert (first, last) == ([*range(20)], [*range(25)])
    assert (before, after) == (3, 3)
    assert columns == ["id", "name"]
    assert shown.startswith("RunningQuery(to_table, ended, exactly-once")


def test_table_may_have_other_columns_partitions_and_writers(each: SparkProcess, tmp_path: Path) -> None:
    found, other, note = each.run(table_of_others, str(tmp_path), timeout_seconds=LONG)

    assert (found, other, note) == ([-1, *range(12)], ["a", "b", -1], None)


def test_state_of_a_skipped_batch_is_kept(each: SparkProcess, tmp_path: Path) -> None:
    counts = [[number % 3, number // 3 + 1] for number in range(20)]

    assert each.run(counted_by_key, str(tmp_path), timeout_seconds=LONG) == sorted(counts)


def test_batch_written_before_a_kill_counts_once(tmp_path: Path, depth: Any) -> None:
    skip_at_the_gate(depth)
    with with_delta("local") as first, suppress(ProcessFailureError):
        first.run(killed_after_a_write, str(tmp_path), timeout_seconds=LONG)
    assert max(os.listdir(tmp_path / "checkpoint" / "commits")) == "0"

    with with_delta("local") as second:  # its catalog has lost the table
        assert second.run(after_the_kill, str(tmp_path), timeout_seconds=LONG) == [*range(25)]


def test_one_of_two_drivers_writes_a_batch(local: SparkProcess, tmp_path: Path, depth: Any) -> None:
    skip_at_the_gate(depth)
    found, errors = local.run(two_drivers, str(tmp_path), timeout_seconds=LONG)

    assert found == [*range(10), *range(100, 110)]
    (error,) = errors
    assert "ConcurrentTransactionException" in error


def test_what_does_not_fit_is_refused(local: SparkProcess, tmp_path: Path) -> None:
    found = local.run(refusals, str(tmp_path), timeout_seconds=LONG)

    complaints = {
        "another format": r"the format of the table plain is 'csv', but to_table is to write parquet or delta; name an",
        "contradiction": "the format of the table narrow is 'delta', but to_table is to write parquet",
        "another type": r"the table narrow has the columns .*'id': 'int'.*, but the query has .*'id': 'bigint'",
        "no such column": r"the table short has the columns {'id': 'bigint'}, but the query has .*; rename and cast",
        "update": "output_mode must be 'append' for a table of Delta, got 'update'",
        "fleeting": "the table missing is in .*, where the catalog puts it, and ends with Spark's session",
        "checkpoint": "the checkpoint .*/fitting/checkpoint is among the files in .*/fitting",
        "not Delta's files": "files and checkpoint have the same folder",
    }
    assert found.keys() == complaints.keys()
    for name, complaint in complaints.items():
        assert re.search(f"ArgumentError: {complaint}", found[name]), (name, found[name])


def test_guide_prints_what_it_shows(local: SparkProcess, tmp_path: Path) -> None:
    printed, shown = local.run(run_guide, str(tmp_path), timeout_seconds=LONG)

    assert printed == shown


def test_session_without_the_archive_is_refused(tmp_path: Path) -> None:
    with process("local", **SETTINGS) as running:
        assert re.search(
            rf"SparkUnavailableError: Spark {SPARK} cannot use the table bare of Delta: .*DeltaCatalog; start the "
            "session with the archive of Delta for this Spark, such as spark.jars.packages=io.delta",
            running.run(bare, str(tmp_path), timeout_seconds=LONG),
        )
