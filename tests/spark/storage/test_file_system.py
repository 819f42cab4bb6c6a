"""Small files on Spark's file systems: the same operations by the JVM, by paths and through Spark Connect."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError
from reactivestreams.spark import for_each_batch, from_query, to_path, to_streaming_dataframe, to_table
from reactivestreams.spark.storage.file_system import ConnectFiles, JvmFiles, LocalFiles, file_system
from reactivestreams.spark.storage.spark_path import local_path, spark_path
from tests.spark.in_process import SparkProcess
from tests.spark.stream_cases import SCHEMA, Counted

pytestmark = pytest.mark.spark

SOON = 60.0
PLACE = "viewfs://{}/mounted"
"""A folder on a file system with a scheme of its own, which Hadoop's client has: other folders are mounted there."""

EXPECTED = [[number // 10, number] for number in range(25)]


@pytest.fixture(params=[JvmFiles, LocalFiles])
def files(spark: Any, request: pytest.FixtureRequest) -> JvmFiles | LocalFiles:
    """Return the operations that do everything."""
    return JvmFiles(spark) if request.param is JvmFiles else LocalFiles()


def test_file_is_created_once_and_read_again(files: Any, tmp_path: Path) -> None:
    uri = spark_path(tmp_path / "a folder" / "50% ä")

    assert files.read(uri) is None
    assert [files.create(uri, b"first"), files.create(uri, b"second")] == [True, False]
    assert files.read(uri) == b"first"
    files.delete(uri)
    files.delete(uri)
    assert files.read(uri) is None


def test_file_is_written_in_place_of_another(spark: Any, files: Any, tmp_path: Path) -> None:
    uri = spark_path(tmp_path / "outer" / "file")

    for content in (b"first", b"2"):
        for other in (files, JvmFiles(spark), LocalFiles()):
            files.write(uri, content)
            assert other.read(uri) == content
            other.write(uri, b"of another")
    files.delete(uri)
    assert files.read(uri) is None


def test_folders_are_listed(files: Any, tmp_path: Path) -> None:
    uri = spark_path(tmp_path / "outer")

    assert files.names(uri) == []
    for name in ("1", ".2"):
        (tmp_path / "outer" / name).mkdir(parents=True)
    assert sorted(files.names(uri)) == [".2", "1"]
    files.delete(f"{uri}/1")
    assert files.names(uri) == [".2"]


def test_file_takes_the_place_of_a_folder_that_spark_wrote(spark: Any, tmp_path: Path) -> None:
    spark.createDataFrame([("text",)], "value string").coalesce(1).write.text(str(tmp_path / "written"))

    JvmFiles(spark).write(spark_path(tmp_path / "written"), b"other")

    assert JvmFiles(spark).read(spark_path(tmp_path / "written")) == b"other"


def test_file_that_spark_wrote_into_a_folder_is_read(spark: Any, tmp_path: Path) -> None:
    spark.createDataFrame([("text",)], "value string").coalesce(1).write.text(str(tmp_path / "written"))

    assert JvmFiles(spark).read(spark_path(tmp_path / "written")) == b"text\n"


def test_failure_names_the_file_and_the_cause(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    calls: list[Callable[[], object]] = [
        lambda: JvmFiles(spark).write(spark_path(tmp_path / "file" / "inside"), b""),
        lambda: JvmFiles(spark).read("ftq://nowhere/file"),
    ]
    for call in calls:
        with pytest.raises(OSError, match=r"^(file|ftq):\S+ cannot be reached: \S+Exception: "):
            call()


def test_path_of_this_machine_comes_back(tmp_path: Path) -> None:
    assert local_path(spark_path(tmp_path / "a b%20")) == tmp_path / "a b%20"


# --- these functions run in a classic session and in one of Spark Connect ---------------------------------------------


def mounted(spark: Any, base: str, name: str) -> str:
    """Mount a folder of this machine, and return its URI."""
    spark.conf.set(f"fs.viewfs.mounttable.{name}.link./mounted", f"file://{base}")
    return PLACE.format(name)


def sinks(spark: Any, base: str) -> dict[str, Any]:
    """Write through each sink to a mounted folder, the first batches by a query that another one continues."""
    place = mounted(spark, base, "sinks")

    def source(rows: int) -> Any:
        return to_streaming_dataframe(Counted(rows), SCHEMA, session=spark, max_rows=10)

    def write(batch: Any, batch_id: int) -> None:
        batch.write.mode("overwrite").json(f"{place}/frames/batch_id={batch_id}")

    for rows in (20, 25):
        options: dict[str, Any] = {"trigger": "available_now"}
        queries = [
            to_path(source(rows), f"{place}/out", checkpoint=f"{place}/c1", **options),
            for_each_batch(source(rows), write, checkpoint=f"{place}/c2", as_="dataframe", **options),
        ]
        assert all(query.await_end(SOON) for query in queries)
    found: dict[str, Any] = {}
    for name, frame in (
        ("to_path", spark.read.parquet(f"{place}/out")),
        ("for_each_batch", spark.read.json(f"{place}/frames")),
    ):
        found[name] = sorted([row.batch_id, row.id] for row in frame.collect())
    try:
        to_path(source(25), f"{place}/out", checkpoint=f"{place}/c3")
    except ValueError as error:
        found["foreign"] = str(error).partition(" than")[0]
    return found


def connect_files(spark: Any, base: str) -> dict[str, Any]:
    place = mounted(spark, base, "files")
    files = file_system(place, spark)
    assert isinstance(files, ConnectFiles)
    found: dict[str, Any] = {"before": [files.read(f"{place}/_id"), files.names(place)]}
    found["created"] = [files.create(f"{place}/_id", text) for text in (b"first", b"second")]
    content = files.read(f"{place}/_id")
    found["content"] = content.decode() if content else None
    (Path(base) / "folder" / "inside").mkdir(parents=True)
    (Path(base) / "folder" / "inside" / "file").write_text("text")
    found["names"] = files.names(f"{place}/folder")
    for text in (b"third\n", b"fourth\n"):
        files.write(f"{place}/written", text)
    found["written"] = str(files.read(f"{place}/written"))
    try:
        files.delete(f"{place}/x")
    except ArgumentError as error:
        found["delete"] = str(error)
    return found


def read_batches(spark: Any, base: str, rows: int) -> list[Any]:
    """Read what is left of some rows, in batches of ten, with a checkpoint in a mounted folder."""
    place = mounted(spark, base, "query")
    source = to_streaming_dataframe(Counted(rows), SCHEMA, session=spark, max_rows=10)
    batches = from_query(source, checkpoint=f"{place}/c", as_="micro_batches", trigger="available_now")
    return batches.map(lambda batch: [batch.batch_id, [row.id for row in batch.read()]]).to_list()


# --- the tests --------------------------------------------------------------------------------------------------------


def require_sinks(found: dict[str, Any]) -> None:
    foreign = f"the folder {PLACE.format('sinks')}/out contains batches of another query"
    assert found == {"to_path": EXPECTED, "for_each_batch": EXPECTED, "foreign": foreign}


def test_sinks_write_to_a_file_system_of_another_scheme(spark: Any, tmp_path: Path) -> None:
    require_sinks(sinks(spark, str(tmp_path)))


def test_sinks_write_to_a_file_system_of_another_scheme_through_connect(connect: SparkProcess, tmp_path: Path) -> None:
    require_sinks(connect.run(sinks, str(tmp_path)))


def test_table_and_record_are_on_a_file_system_of_another_scheme(spark: Any, tmp_path: Path) -> None:
    place = mounted(spark, str(tmp_path), "table")
    options: dict[str, Any] = {"trigger": "available_now"}
    try:
        source = to_streaming_dataframe(Counted(25), SCHEMA, session=spark, max_rows=10)
        query = to_table(source, "mounted", path=f"{place}/table", checkpoint=f"{place}/c1", **options)
        assert query.await_end(SOON)
        assert sorted(row.id for row in spark.table("mounted").collect()) == list(range(25))
    finally:
        spark.sql("DROP TABLE IF EXISTS mounted")
    rows = from_query(source, checkpoint=f"{place}/c2", as_="tuples", **options)
    assert sorted(row[0] for row in rows) == list(range(25))
    assert rows.to_list() == []


def test_connect_reads_and_creates_by_public_functions(connect: SparkProcess, tmp_path: Path) -> None:
    found = connect.run(connect_files, str(tmp_path))

    assert "cannot be deleted through Spark Connect" in found.pop("delete")
    assert found == {
        "before": [None, []],
        "created": [True, False],
        "content": "first\n",
        "names": ["inside"],
        "written": "b'fourth\\n'",
    }


def test_record_written_through_connect_is_continued_by_a_classic_session(
    spark: Any, connect: SparkProcess, tmp_path: Path
) -> None:
    runs = [connect.run(read_batches, str(tmp_path), 20), connect.run(read_batches, str(tmp_path), 30)]
    runs += [read_batches(spark, str(tmp_path), rows) for rows in (50, 60)]

    ids = [[[0, 1], [2], [3, 4], [5]][run] for run in range(4)]
    assert runs == [[[id_, [*range(id_ * 10, id_ * 10 + 10)]] for id_ in run] for run in ids]
