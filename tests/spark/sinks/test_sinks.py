"""Sinks write each batch once: repeated batches, kills between two steps, other drivers and bad input."""

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import (
    CheckpointError,
    FolderInUseError,
    Guarantee,
    PipelineError,
    RunningQuery,
    SparkJobError,
    SparkUnavailableError,
    for_each_batch,
    from_query,
    sink_guarantee,
    to_path,
    to_streaming_dataframe,
    to_table,
)
from reactivestreams.spark import to_path as to_path_function
from reactivestreams.spark.sinks import running_query
from reactivestreams.spark.sinks.running_query import BatchFunction
from reactivestreams.spark.sinks.to_path import BatchFolder
from reactivestreams.spark.storage.checkpoint_folder import checkpoint_error, prepare_checkpoint
from reactivestreams.spark.storage.spark_path import spark_path
from tests.spark.stream_cases import SCHEMA, Counted

pytestmark = pytest.mark.spark

SOON = 60.0
TO_PATH = sys.modules[to_path_function.__module__]


def source(spark: Any, rows: int = 25) -> Any:
    return to_streaming_dataframe(Counted(rows), SCHEMA, session=spark, max_rows=10)


def found(frame: Any) -> list[tuple[int, int]]:
    return sorted((row.batch_id, row.id) for row in frame.collect())


EXPECTED = [(number // 10, number) for number in range(25)]


@pytest.mark.smoke
def test_folder_has_each_row_once_beside_its_batch(spark: Any, tmp_path: Path) -> None:
    with to_path(
        source(spark, 15), tmp_path / "out", checkpoint=tmp_path / "checkpoint", trigger="available_now", name="folder"
    ) as query:
        assert query.await_end(SOON)
        assert query.name == "folder"
        assert query.progress.numInputRows == 5

    result = spark.read.parquet(str(tmp_path / "out"))
    assert found(result) == EXPECTED[:15]
    assert result.columns == ["id", "name", "batch_id"]
    assert (query.error, query.guarantee.guarantee) == (None, Guarantee.EXACTLY_ONCE)


@pytest.mark.parametrize("moment", ["before the write", "after the write"])
def test_batch_repeated_after_a_failure_counts_once(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    write = TO_PATH.write_batch

    def die(*arguments: Any) -> None:
        if moment == "after the write":
            write(*arguments)
        raise OSError("pulled the plug")

    def query() -> Any:
        return to_path(source(spark), tmp_path / "out", checkpoint=tmp_path / "ck", trigger="available_now")

    with monkeypatch.context() as patch:
        patch.setattr(TO_PATH, "write_batch", die)
        with pytest.raises(PipelineError, match="to_path failed on batch 0: OSError: pulled the plug"):
            query().await_end(SOON)
    complete = [path.name for path in (tmp_path / "out").iterdir()]
    assert ("batch_id=0" in complete) == (moment == "after the write")
    assert query().await_end(SOON)

    assert found(spark.read.parquet(str(tmp_path / "out"))) == EXPECTED


def test_repeated_batch_replaces_what_another_driver_has_written(
    spark: Any, tmp_path: Path, batch_folder: BatchFolder
) -> None:
    batch_folder(spark.range(0, 100, 1, 3), 0)
    (tmp_path / "out" / ".spark-staging-of-a-killed-driver" / "batch_id=0").mkdir(parents=True)
    batch_folder(spark.range(0, 100, 1, 2), 0)

    assert sorted(row.id for row in spark.read.parquet(str(tmp_path / "out")).collect()) == list(range(100))
    assert len(list((tmp_path / "out" / "batch_id=0").glob("*.parquet"))) == 2


def test_reader_sees_all_of_a_batch_or_nothing(spark: Any, tmp_path: Path, batch_folder: BatchFolder) -> None:
    seen: set[int] = set()
    place = tmp_path / "out" / "batch_id=0"
    has_ended = threading.Event()

    def look() -> None:
        while not has_ended.is_set():
            try:
                seen.add(sum(name.endswith(".parquet") for name in os.listdir(place)))
            except FileNotFoundError:
                seen.add(0)

    reader = threading.Thread(target=look)
    reader.start()
    try:
        batch_folder(spark.range(0, 100, 1, 8), 0)
    finally:
        has_ended.set()
        reader.join()

    assert seen <= {0, 8}
    assert seen


def test_table_has_each_row_once_also_when_the_catalog_was_lost(spark: Any, tmp_path: Path) -> None:
    def query(rows: int) -> Any:
        return to_table(
            source(spark, rows),
            "sink_test",
            checkpoint=tmp_path / "checkpoint",
            path=tmp_path / "table",
            trigger="available_now",
        )

    try:
        assert query(12).await_end(SOON)
        assert spark.table("sink_test").count() == 12
        # A catalog in memory forgets the table; its files stay.
        spark.sql("ALTER TABLE sink_test SET TBLPROPERTIES ('external.table.purge'='false')")
        spark.sql("DROP TABLE sink_test")
        assert query(25).await_end(SOON)
        assert sorted(row.id for row in spark.table("sink_test").collect()) == list(range(25))
        assert spark.table("sink_test").columns == ["id", "name", "batch_id"]
    finally:
        spark.sql("DROP TABLE IF EXISTS sink_test")


NAMES = ["a b", "a%20b", "a'b", "ä+b"]


@pytest.mark.parametrize("name", NAMES)
def test_folders_lie_where_they_were_put_whatever_the_name(spark: Any, tmp_path: Path, name: str) -> None:
    query = to_path(source(spark), tmp_path / name, checkpoint=tmp_path / f"ck {name}", trigger="available_now")
    assert query.await_end(SOON)

    assert found(spark.read.parquet(str(tmp_path / name))) == EXPECTED
    assert (tmp_path / f"ck {name}" / "offsets" / "2").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, f"ck {name}"])


@pytest.mark.parametrize("name", NAMES)
def test_table_lies_where_it_was_put_whatever_the_name(spark: Any, tmp_path: Path, name: str) -> None:
    try:
        query = to_table(
            source(spark), "named", checkpoint=tmp_path / "ck", path=tmp_path / name, trigger="available_now"
        )
        assert query.await_end(SOON)
        assert spark.table("named").count() == 25
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["ck", name])
    finally:
        spark.sql("DROP TABLE IF EXISTS named")


def test_checkpoint_among_the_files_of_a_table_is_refused(spark: Any, tmp_path: Path) -> None:
    spark.sql(
        f"CREATE TABLE held (id BIGINT, name STRING, batch_id BIGINT) USING parquet PARTITIONED BY (batch_id) "
        f"LOCATION '{tmp_path}/held'"
    )
    try:
        with pytest.raises(ArgumentError, match=r"is among the files in .*/held, whose readers would read it"):
            to_table(source(spark), "held", checkpoint=tmp_path / "held" / "checkpoint")
    finally:
        spark.sql("DROP TABLE held")


def test_table_of_another_shape_is_refused(spark: Any, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE other_shape (id BIGINT, name STRING) USING parquet")
    try:
        with pytest.raises(ArgumentError, match=r"has the columns \['id', 'name'\] and the partitions \[\]"):
            to_table(source(spark), "other_shape", checkpoint=tmp_path)
    finally:
        spark.sql("DROP TABLE other_shape")


def test_table_of_delta_is_refused_where_delta_is_not(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(SparkUnavailableError, match=r"cannot use the table lake of Delta: .*delta.*; start the sess"):
        to_table(source(spark), "lake", checkpoint=tmp_path / "ck", path=tmp_path / "lake", format="delta")
    assert not spark.catalog.tableExists("lake")

    spark.sql(f"CREATE TABLE lake (id BIGINT) USING parquet LOCATION '{tmp_path}/lake'")
    try:
        with pytest.raises(ArgumentError, match="the table lake is 'parquet', but to_table is to write delta; name"):
            to_table(source(spark), "lake", checkpoint=tmp_path / "ck", format="delta")
    finally:
        spark.sql("DROP TABLE lake")


@pytest.mark.parametrize("is_there", [False, True])
def test_table_that_ends_with_the_session_is_refused(spark: Any, tmp_path: Path, is_there: bool) -> None:
    if is_there:
        spark.sql(
            "CREATE TABLE fleeting (id BIGINT, name STRING, batch_id BIGINT) USING parquet PARTITIONED BY (batch_id)"
        )
    try:
        with pytest.raises(
            ArgumentError, match=r"the table fleeting is in .*, where the catalog puts it, .*; name a new ta"
        ):
            to_table(source(spark), "fleeting", checkpoint=tmp_path)
        assert spark.catalog.tableExists("fleeting") == is_there
    finally:
        spark.sql("DROP TABLE IF EXISTS fleeting")


@pytest.fixture
def batch_folder(spark: Any, tmp_path: Path) -> BatchFolder:
    return folder_of_query(spark, tmp_path, "checkpoint")


def folder_of_query(spark: Any, base: Path, checkpoint: str) -> BatchFolder:
    (base / checkpoint).mkdir()
    (base / checkpoint / "metadata").write_text(f'{{"id": "{checkpoint}"}}')
    return BatchFolder(spark_path(base / "out"), spark_path(base / checkpoint), spark)


@pytest.mark.parametrize("lost", [1, 2])
def test_batch_whose_rows_are_on_other_disks_does_not_count_as_done(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch_folder: BatchFolder, lost: int
) -> None:
    write = TO_PATH.write_batch

    def write_elsewhere(dataframe: Any, folder: str, batch_id: int) -> None:
        write(dataframe, folder, batch_id)
        for file in sorted((tmp_path / "out" / "batch_id=0").glob("*.parquet"))[:lost]:
            file.unlink()

    monkeypatch.setattr(TO_PATH, "write_batch", write_elsewhere)
    batch_folder.is_declared = True

    with pytest.raises(
        SparkJobError, match=f"wrote 100 rows of batch 0, but the files in .* contain {100 - 50 * lost}, "
    ):
        batch_folder(spark.range(0, 100, 1, 2), 0)


@pytest.mark.parametrize("is_declared", [False, True])
@pytest.mark.parametrize("partitions", [0, 3])
def test_batch_without_rows_counts_as_done(
    spark: Any, tmp_path: Path, batch_folder: BatchFolder, partitions: int, is_declared: bool
) -> None:
    rows = spark.sparkContext.parallelize([], partitions) if partitions else spark.sparkContext.emptyRDD()
    batch_folder.is_declared = is_declared

    assert batch_folder(spark.createDataFrame(rows, "id bigint"), 0)
    assert not (tmp_path / "out" / "batch_id=0").exists()


# --- whose folder -----------------------------------------------------------------------------------------------------


def folder_sink(df: Any, base: Path, checkpoint: str) -> RunningQuery:
    return to_path(df, base / "out", checkpoint=base / checkpoint, trigger="available_now")


def table_sink(df: Any, base: Path, checkpoint: str) -> RunningQuery:
    return to_table(df, "owned", checkpoint=base / checkpoint, path=base / "out", trigger="available_now")


@pytest.fixture(params=[folder_sink, table_sink])
def file_sink(spark: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Return each sink that writes files."""
    yield request.param
    spark.sql("DROP TABLE IF EXISTS owned")


def test_folder_of_another_query_is_refused(spark: Any, tmp_path: Path, file_sink: Any) -> None:
    assert file_sink(source(spark, 10), tmp_path, "first").await_end(SOON)

    with pytest.raises(
        CheckpointError, match=r"contains batches of another query than that of the checkpoint .*/second"
    ):
        file_sink(source(spark, 20), tmp_path, "second")
    # One that has begun elsewhere is another one, too.
    assert folder_sink(source(spark, 10), tmp_path / "elsewhere", "third").await_end(SOON)
    with pytest.raises(CheckpointError, match="pass the checkpoint that belongs to the folder, or another folder"):
        file_sink(source(spark, 20), tmp_path, "elsewhere/third")

    assert file_sink(source(spark, 20), tmp_path, "first").await_end(SOON)
    assert found(spark.read.parquet(str(tmp_path / "out"))) == EXPECTED[:20]


def test_folder_of_an_earlier_release_goes_to_the_query_with_its_checkpoint(spark: Any, tmp_path: Path) -> None:
    assert folder_sink(source(spark, 10), tmp_path, "first").await_end(SOON)
    (tmp_path / "out" / "_query.json").unlink()

    with pytest.raises(CheckpointError, match="contains batches of another query"):
        folder_sink(source(spark), tmp_path, "second")
    assert folder_sink(source(spark), tmp_path, "first").await_end(SOON)

    assert found(spark.read.parquet(str(tmp_path / "out"))) == EXPECTED
    assert (tmp_path / "out" / "_query.json").exists()


def test_folder_that_two_new_queries_begin_belongs_to_the_first_batch(spark: Any, tmp_path: Path) -> None:
    folders = {name: folder_of_query(spark, tmp_path, name) for name in ("first", "second")}
    for folder in folders.values():
        folder.require_own(spark)
    assert folders["first"](spark.range(3), 0)

    with pytest.raises(CheckpointError, match="contains batches of another query"):
        folders["second"](spark.range(3), 0)


def test_id_that_a_kill_left_empty_is_written_again(spark: Any, tmp_path: Path, batch_folder: BatchFolder) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "_query.json").touch()
    batch_folder(spark.range(3), 0)

    assert (tmp_path / "out" / "_query.json").read_text() == '{"id": "checkpoint"}'


@pytest.mark.parametrize("text", ["{", "[]", "{}", "7"])
def test_damaged_id_of_a_query_is_refused(spark: Any, tmp_path: Path, text: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "_query.json").write_text(text)

    with pytest.raises(CheckpointError, match=r"out/_query.json has no id of a query \(.*restore it with its folder"):
        folder_sink(source(spark), tmp_path, "checkpoint")


def test_checkpoint_that_cannot_be_seen_where_batches_are_written_is_refused(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(
        CheckpointError, match="has no file metadata on the machine that writes batches; put it on a file"
    ):
        BatchFolder(spark_path(tmp_path / "out"), spark_path(tmp_path / "nowhere"), spark)(spark.range(3), 0)


# --- a kill while the first offsets were written ----------------------------------------------------------------------

UNFINISHED = [
    ".0.cdeeacb7-18dd-4e60-8e99-d2f6bd53dcf9.tmp",
    "..0.cdeeacb7-18dd-4e60-8e99-d2f6bd53dcf9.tmp.crc",
]


def read_query(df: Any, base: Path) -> None:
    from_query(df, checkpoint=base / "checkpoint", trigger="available_now").run()


def write_folder(df: Any, base: Path) -> None:
    assert folder_sink(df, base, "checkpoint").await_end(SOON)


@pytest.mark.parametrize("run", [read_query, write_folder])
def test_offsets_that_were_not_finished_before_the_first_batch_are_removed(
    spark: Any, tmp_path: Path, run: Any
) -> None:
    offsets = tmp_path / "checkpoint" / "offsets"
    offsets.mkdir(parents=True)
    for name in UNFINISHED:
        (offsets / name).write_bytes(b"v1")

    run(source(spark), tmp_path)

    assert sorted(path.name for path in offsets.iterdir() if not path.name.startswith(".")) == ["0", "1", "2"]
    assert not any((offsets / name).exists() for name in UNFINISHED)


def test_other_files_among_the_offsets_are_left_alone(spark: Any, tmp_path: Path) -> None:
    offsets = tmp_path / "checkpoint" / "offsets"
    offsets.mkdir(parents=True)
    kept = [".0.crc", ".0.tmp", "0.cdeeacb7-18dd-4e60-8e99-d2f6bd53dcf9.tmp", "notes"]
    for name in kept:
        (offsets / name).touch()

    prepare_checkpoint(spark_path(tmp_path / "checkpoint"), spark)
    assert sorted(path.name for path in offsets.iterdir()) == sorted(kept)
    # Where a batch was planned Spark passes over the others.
    for name in (*UNFINISHED, "0"):
        (offsets / name).touch()
    prepare_checkpoint(spark_path(tmp_path / "checkpoint"), spark)
    assert sorted(path.name for path in offsets.iterdir()) == sorted([*kept, *UNFINISHED, "0"])


def test_function_gets_ids_and_batches_and_its_error_comes_back(spark: Any, tmp_path: Path) -> None:
    seen = []

    def take(batch_id: int, batches: Any) -> None:
        seen.append((batch_id, sum(batch.num_rows for batch in batches)))
        if batch_id == 1:
            raise KeyError("no such airport")

    query = for_each_batch(source(spark), take, checkpoint=tmp_path, trigger="available_now", idempotent=True)
    with pytest.raises(PipelineError, match="for_each_batch failed on batch 1: KeyError: 'no such airport'") as caught:
        query.await_end(SOON)

    assert isinstance(caught.value.__cause__, KeyError)
    assert query.error is caught.value
    assert seen == [(0, 10), (1, 10)]
    assert (query.is_active, query.guarantee) == (False, sink_guarantee("for_each_batch_idempotent"))
    assert "for_each_batch, ended, exactly-once" in repr(query)


def test_running_query_stops_and_frees_its_checkpoint(spark: Any, tmp_path: Path) -> None:
    query = for_each_batch(source(spark), lambda *_: None, checkpoint=tmp_path)
    assert not query.await_end(0.1)
    assert query.is_active
    with pytest.raises(FolderInUseError, match="already in use by a query of the same session"):
        for_each_batch(source(spark), lambda *_: None, checkpoint=tmp_path)
    query.stop()
    query.stop()
    assert not query.is_active

    again = for_each_batch(source(spark), lambda *_: None, checkpoint=tmp_path, trigger="available_now")
    assert again.await_end(SOON)


def test_checkpoint_of_an_ended_query_is_free_without_a_call(spark: Any, tmp_path: Path) -> None:
    first = for_each_batch(source(spark), lambda *_: None, checkpoint=tmp_path, trigger="available_now")
    deadline = time.monotonic() + SOON
    while first.is_active and time.monotonic() < deadline:
        time.sleep(0.02)

    assert for_each_batch(source(spark), lambda *_: None, checkpoint=tmp_path, trigger="available_now").await_end(SOON)


def test_query_that_another_driver_runs_is_stopped_by_the_log(spark: Any, tmp_path: Path) -> None:
    def plan_as_another_driver(batch_id: int, batches: Any) -> None:
        if batch_id == 1:
            shutil.copy(tmp_path / "offsets" / "1", tmp_path / "offsets" / "2")

    query = for_each_batch(source(spark), plan_as_another_driver, checkpoint=tmp_path, trigger="available_now")
    with pytest.raises(
        FolderInUseError, match=r"another driver runs a query with the checkpoint .*; stop one of the dr"
    ):
        query.await_end(SOON)


def test_driver_that_plans_a_batch_within_the_same_milliseconds_is_told_alike(spark: Any, tmp_path: Path) -> None:
    jvm = spark._jvm
    cause = jvm.org.apache.hadoop.fs.FileAlreadyExistsException("offsets/2")
    errors = jvm.org.apache.spark.sql.errors.QueryExecutionErrors
    raised = errors.multiStreamingQueriesUsingPathConcurrentlyError(str(tmp_path), cause)

    told = checkpoint_error(str(tmp_path), spark, SparkJobError(raised.toString()))

    assert isinstance(told, FolderInUseError)


def test_dataframe_of_a_batch_is_written_by_the_executors(spark: Any, tmp_path: Path) -> None:
    def write(batch: Any, batch_id: int) -> None:
        batch.write.mode("overwrite").json(str(tmp_path / "out" / f"batch_id={batch_id}"))

    query = for_each_batch(
        source(spark), write, checkpoint=tmp_path / "ck", as_="dataframe", trigger="available_now", idempotent=True
    )
    assert query.await_end(SOON)

    assert found(spark.read.json(str(tmp_path / "out"))) == EXPECTED


def test_dataframe_of_which_only_a_part_is_read_still_counts_in_the_state(spark: Any, tmp_path: Path) -> None:
    totals: list[Any] = []

    def look(batch: Any, batch_id: int) -> None:
        totals.append(batch.first() if batch_id < 2 else batch.orderBy("odd").collect())

    counts = source(spark).selectExpr("id % 2 AS odd").groupBy("odd").count().repartition(4)
    query = for_each_batch(
        counts, look, checkpoint=tmp_path, as_="dataframe", output_mode="complete", trigger="available_now"
    )
    assert query.await_end(SOON)

    assert [tuple(row) for row in totals[-1]] == [(0, 13), (1, 12)]


@pytest.mark.parametrize(
    ("sink", "arguments", "error", "complaint"),
    [
        (to_path, {"path": 5}, ArgumentTypeError, "path must be a path, got 5"),
        (to_path, {"path": ""}, ArgumentError, "path must be the path of a folder"),
        (
            to_path,
            {"path": "s4a://bucket/x"},
            ArgumentError,
            r"path must be on a file system that Spark reaches, got 's4a://bucket/x': .*No FileSystem for scheme",
        ),
        (for_each_batch, {"function": print, "checkpoint": "hdfs:///x"}, ArgumentError, "checkpoint must be on a file"),
        (
            for_each_batch,
            {"function": print, "as_": "rows"},
            ArgumentError,
            "as_ must be one of 'batches', 'dataframe'",
        ),
        (to_path, {"path": __file__}, ArgumentError, "which is a file"),
        (to_path, {"path": "checkpoint"}, ArgumentError, "files and checkpoint have the same folder"),
        (to_path, {"path": "x", "trigger": 5}, ArgumentTypeError, "trigger must be None or a str, got 5"),
        (to_path, {"path": "x", "trigger": "often"}, ArgumentError, "trigger must be None, 'available_now' or an int"),
        (to_path, {"path": "x", "name": 1}, ArgumentTypeError, "name must be None or a str, got 1"),
        (to_path, {"path": "x", "name": " "}, ArgumentError, "name must not be empty, got ' '; leave it out"),
        (
            to_path,
            {"path": "x", "output_mode": "all"},
            ArgumentError,
            "output_mode must be one of 'append', 'update', g",
        ),
        (to_path, {"path": "x", "output_mode": "complete"}, ArgumentError, "one of 'append', 'update', got 'complete'"),
        (to_path, {"path": ".", "checkpoint": "a/b"}, ArgumentError, "would read it as data; pass a folder next to"),
        (to_path, {"path": "x", "df": "df"}, ArgumentTypeError, r"to_path\(df\) needs a streaming DataFrame, got 'df'"),
        (to_table, {"table": 5}, ArgumentTypeError, "table must be a str, got 5"),
        (to_table, {"table": "a..b"}, ArgumentError, "table must be a name"),
        (to_table, {"table": "t", "format": "orc"}, ArgumentError, "one of 'parquet', 'delta', got 'orc'"),
        (for_each_batch, {"function": 5}, ArgumentTypeError, r"for_each_batch\(function\) needs a callable, got 5"),
        (for_each_batch, {"function": print, "idempotent": 1}, ArgumentTypeError, "idempotent must be a bool, got 1"),
        (
            to_table,
            {"table": "t", "output_mode": "complete"},
            ArgumentError,
            "one of 'append', 'update', got 'complete'",
        ),
        (to_table, {"table": "t", "path": "checkpoint"}, ArgumentError, "files and checkpoint have the same folder"),
        (for_each_batch, {"function": print, "output_mode": 1}, ArgumentTypeError, "output_mode must be a str, got 1"),
        (for_each_batch, {"function": print, "checkpoint": None}, ArgumentTypeError, "checkpoint must be a path"),
    ],
)
def test_bad_argument_is_refused(
    spark: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sink: Any,
    arguments: Any,
    error: type[Exception],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=complaint):
        sink(**{"df": source(spark), "checkpoint": "checkpoint", **arguments})


@pytest.mark.parametrize(
    "arguments", [{"trigger": "often"}, {"name": ""}, {"output_mode": "all"}, {"checkpoint": ""}, {"path": 5}], ids=str
)
def test_table_is_not_created_for_bad_arguments(spark: Any, tmp_path: Path, arguments: Any) -> None:
    with pytest.raises((ArgumentError, ArgumentTypeError)):
        to_table(source(spark), "never_made", **{"checkpoint": tmp_path / "checkpoint", **arguments})

    assert not spark.catalog.tableExists("never_made")


def test_checkpoint_among_the_files_is_taken_where_readers_pass_over_it(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with to_path(source(spark), folder, checkpoint=folder / "_checkpoint", trigger="available_now") as query:
        assert query.await_end(SOON)

    assert found(spark.read.parquet(str(folder))) == EXPECTED


class FakeQuery:
    """Spark's handle of a query that goes on after it was stopped, or that nobody can be asked about."""

    name = None

    def __init__(self, *, answers: bool) -> None:
        self.answers = answers
        self.stopped = 0

    @property
    def isActive(self) -> bool:  # noqa: N802 - the name is Spark's
        if not self.answers:
            raise ConnectionError("no server")
        return True

    def stop(self) -> None:
        self.stopped += 1


class FakeSession:
    is_stopped = False


def handle(query: FakeQuery, checkpoint: Path, session: FakeSession | None = None) -> RunningQuery:
    return RunningQuery(
        query,  # type: ignore[arg-type]
        session=session or FakeSession(),  # type: ignore[arg-type]
        function=BatchFunction("to_path", print, is_stateful=False),  # type: ignore[arg-type]
        checkpoint=spark_path(checkpoint),
        guarantee=sink_guarantee("to_path"),
    )


def test_query_that_does_not_end_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_query, "STOP_TIMEOUT_SECONDS", 0.1)
    query = FakeQuery(answers=True)
    with pytest.raises(SparkJobError, match=r"still runs 0\.1 seconds after Spark has stopped it.*call stop\(\) again"):
        handle(query, tmp_path).stop()
    assert query.stopped == 1


class ForgottenQuery(FakeQuery):
    """Spark's handle of a query that a server of Spark Connect has ended with its session, a moment ago."""

    def __init__(self, session: FakeSession) -> None:
        super().__init__(answers=True)
        self.session = session

    @property
    def isActive(self) -> bool:  # noqa: N802 - the name is Spark's
        return False

    def exception(self) -> Exception:
        self.session.is_stopped = True
        raise ConnectionError("the session was closed")


def test_end_with_a_session_that_is_just_being_stopped_is_told(tmp_path: Path) -> None:
    session = FakeSession()
    running = handle(ForgottenQuery(session), tmp_path / "checkpoint", session)

    with pytest.raises(SparkJobError, match="the query was stopped with its Spark session; start it again"):
        running.await_end()

    assert "the query was stopped with its Spark session" in str(running.error)


class ReleasedQuery:
    """A query that a server of Connect ended with its session, which does not know of it yet."""

    isActive = False  # noqa: N815 - the name is Spark's

    def exception(self) -> Exception:
        return RuntimeError("[INVALID_HANDLE.SESSION_CLOSED] The handle is invalid. Session was closed.")


def test_end_with_a_session_that_the_server_has_closed_is_told(tmp_path: Path) -> None:
    running = handle(ReleasedQuery(), tmp_path / "checkpoint", FakeSession())

    with pytest.raises(SparkJobError, match="its session was stopped, which may be the cause: start it again"):
        running.await_end()


def test_handle_can_be_shown_where_nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reactivestreams.spark.sessions.stopped_session.CLOSING_SECONDS", 0.0)
    running = handle(FakeQuery(answers=False), tmp_path / "checkpoint")

    assert repr(running).startswith("RunningQuery(to_path, unreachable, exactly-once, ")


def test_batch_dataframe_is_refused(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="got a batch DataFrame, whose rows have no batch ids"):
        to_path(spark.range(3), tmp_path / "out", checkpoint=tmp_path / "checkpoint")


def test_column_of_the_sink_s_name_is_refused(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="adds the column 'batch_id', but df already has it"):
        to_path(source(spark).selectExpr("id AS Batch_Id"), tmp_path / "out", checkpoint=tmp_path / "checkpoint")


def test_unknown_sink_has_no_guarantee() -> None:
    with pytest.raises(ArgumentError, match=r"sink must be one of 'to_path', .*, got 'to_nowhere'"):
        sink_guarantee("to_nowhere")
    with pytest.raises(ArgumentTypeError, match=r"sink must be a str, got \['to_path'\]"):
        sink_guarantee(["to_path"])  # type: ignore[arg-type]
