"""Sinks write each batch once: repeated batches, kills between two steps, locks and bad input."""

import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import (
    FolderInUseError,
    Guarantee,
    PipelineError,
    for_each_batch,
    sink_guarantee,
    to_path,
    to_streaming_dataframe,
    to_table,
)
from reactivestreams.spark import to_path as to_path_function
from reactivestreams.spark.replay.folder_lock import FolderLock
from tests.spark.lock_holder import LockHolder
from tests.spark.stream_cases import SCHEMA, Counted

pytestmark = pytest.mark.spark

SOON = 60.0
TO_PATH = sys.modules[to_path_function.__module__]


def source(spark: Any, rows: int = 25) -> Any:
    return to_streaming_dataframe(Counted(rows), SCHEMA, session=spark, max_rows=10)


def found(frame: Any) -> list[tuple[int, int]]:
    return sorted((row.batch_id, row.id) for row in frame.collect())


EXPECTED = [(number // 10, number) for number in range(25)]


def test_folder_has_each_row_once_beside_its_batch(spark: Any, tmp_path: Path) -> None:
    with to_path(
        source(spark), tmp_path / "out", checkpoint=tmp_path / "checkpoint", trigger="available_now", name="folder"
    ) as query:
        assert query.await_end(SOON)
        assert query.name == "folder"
        assert query.progress.numInputRows == 5

    result = spark.read.parquet(str(tmp_path / "out"))
    assert found(result) == EXPECTED
    assert result.columns == ["id", "name", "batch_id"]
    assert (query.error, query.guarantee.guarantee) == (None, Guarantee.EXACTLY_ONCE)


@pytest.mark.parametrize("moment", ["before the rename", "after the rename"])
def test_batch_repeated_after_a_failure_counts_once(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def die(old: Any, new: Any) -> None:
        if moment == "after the rename":
            os.rename(old, new)
        raise OSError("pulled the plug")

    def query() -> Any:
        return to_path(source(spark), tmp_path / "out", checkpoint=tmp_path / "ck", trigger="available_now")

    with monkeypatch.context() as patch:
        patch.setattr(TO_PATH, "os", type("os", (), {"rename": staticmethod(die), "fsync": os.fsync}))
        with pytest.raises(PipelineError, match="to_path failed on batch 0: OSError: pulled the plug"):
            query().await_end(SOON)
    complete = [path.name for path in (tmp_path / "out").iterdir()]
    assert ("batch_id=0" in complete) == (moment == "after the rename")
    assert query().await_end(SOON)

    assert found(spark.read.parquet(str(tmp_path / "out"))) == EXPECTED
    assert list((tmp_path / "out" / "_unfinished").iterdir()) == []


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


def test_table_of_another_shape_is_refused(spark: Any, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE other_shape (id BIGINT, name STRING) USING parquet")
    try:
        with pytest.raises(ArgumentError, match=r"has the columns \['id', 'name'\] and the partitions \[\]"):
            to_table(source(spark), "other_shape", checkpoint=tmp_path)
    finally:
        spark.sql("DROP TABLE other_shape")


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
    with pytest.raises(FolderInUseError, match="in use in this process already"):
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


@pytest.mark.parametrize(("text", "owner"), [("{}", "process {}"), ("", "another process")])
def test_lock_of_another_jvm_is_waited_for_in_vain(spark: Any, tmp_path: Path, text: str, owner: str) -> None:
    with LockHolder(tmp_path, text) as holder:
        told = f"still in use by the Spark of {owner.format(holder.pid)} after 0.2 seconds"
        with pytest.raises(FolderInUseError, match=told):
            FolderLock.of_jvm(tmp_path, spark, what="checkpoint", timeout_seconds=0.2)
    lock = FolderLock.of_jvm(tmp_path, spark, what="checkpoint", timeout_seconds=0.2)
    assert lock is not None
    lock.release()


@pytest.mark.parametrize(
    ("sink", "arguments", "error", "complaint"),
    [
        (to_path, {"path": 5}, ArgumentTypeError, "path must be a path, got 5"),
        (to_path, {"path": ""}, ArgumentError, "path must be the path of a folder"),
        (to_path, {"path": "s3a://bucket/x"}, ArgumentError, "must be a folder of a file system that is mounted here"),
        (to_path, {"path": __file__}, ArgumentError, "which is a file"),
        (to_path, {"path": "checkpoint"}, ArgumentError, "path and checkpoint are the same folder"),
        (to_path, {"path": "x", "trigger": 5}, ArgumentTypeError, "trigger must be None or a str, got 5"),
        (to_path, {"path": "x", "trigger": "often"}, ArgumentError, "trigger must be None, 'available_now' or an int"),
        (to_path, {"path": "x", "name": 1}, ArgumentTypeError, "name must be None or a text, got 1"),
        (to_path, {"path": "x", "output_mode": "all"}, ArgumentError, "output_mode must be 'append', 'update' or 'com"),
        (to_path, {"path": "x", "df": "df"}, ArgumentTypeError, r"to_path\(df\) needs a streaming DataFrame, got 'df'"),
        (to_table, {"table": 5}, ArgumentTypeError, "table must be a str, got 5"),
        (to_table, {"table": "a..b"}, ArgumentError, "table must be a name"),
        (for_each_batch, {"function": 5}, ArgumentTypeError, r"for_each_batch\(function\) needs a callable, got 5"),
        (for_each_batch, {"function": print, "idempotent": 1}, ArgumentTypeError, "idempotent must be a bool, got 1"),
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


def test_batch_dataframe_is_refused(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="got a batch one, whose rows have no batch ids"):
        to_path(spark.range(3), tmp_path / "out", checkpoint=tmp_path / "checkpoint")


def test_column_of_the_sink_s_name_is_refused(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="adds the column 'batch_id', which df has already"):
        to_path(source(spark).selectExpr("id AS Batch_Id"), tmp_path / "out", checkpoint=tmp_path / "checkpoint")


def test_unknown_sink_has_no_guarantee() -> None:
    with pytest.raises(ArgumentError, match="sink must be one of to_path"):
        sink_guarantee("to_nowhere")
