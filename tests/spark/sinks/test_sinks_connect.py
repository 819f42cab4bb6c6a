"""Sinks through Spark Connect, where the functions of batches run in a process beside the server."""

import threading
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import (
    FolderInUseError,
    NotSerializableError,
    PipelineError,
    SparkJobError,
    for_each_batch,
    to_path,
    to_streaming_dataframe,
    to_table,
)
from tests.spark.in_process import SparkProcess
from tests.spark.stream_cases import SCHEMA, Counted

pytestmark = pytest.mark.spark

SOON = 60.0
EXPECTED = [[number // 10, number] for number in range(25)]


# --- these functions run in the process of the fixture `connect` ------------------------------------------------------


def source(spark: Any, rows: int = 25) -> Any:
    return to_streaming_dataframe(Counted(rows), SCHEMA, session=spark, max_rows=10)


def found(frame: Any) -> list[tuple[int, int]]:
    return sorted((row.batch_id, row.id) for row in frame.collect())


def written_folder(spark: Any, base: str) -> dict[str, Any]:
    """Write some batches, then as one that was killed before its last commit, and go on."""
    folder, checkpoint = Path(base) / "out", Path(base) / "checkpoint"

    def run(rows: int) -> Any:
        query = to_path(source(spark, rows), folder, checkpoint=checkpoint, trigger="available_now")
        return query, query.await_end(SOON)

    query, ended = run(20)
    seen = {"ended": ended, "repr": repr(query), "error": query.error, "active": query.is_active}
    (checkpoint / "commits" / "1").unlink()
    before = sorted((folder / "batch_id=1").iterdir())
    run(25)
    replaced = sorted((folder / "batch_id=1").iterdir()) != before
    return {**seen, "rows": found(spark.read.parquet(str(folder))), "replaced": replaced}


def written_table(spark: Any, base: str) -> list[Any]:
    """Write a table in two runs; the second repeats a batch that the first has written and not committed."""
    try:
        for rows in (20, 25):
            query = to_table(
                source(spark, rows),
                "connect_sink_test",
                checkpoint=Path(base) / "checkpoint",
                path=Path(base) / "table",
                trigger="available_now",
            )
            query.await_end(SOON)
            if rows == 20:
                (Path(base) / "checkpoint" / "commits" / "1").unlink()
        return found(spark.table("connect_sink_test"))
    finally:
        spark.sql("DROP TABLE IF EXISTS connect_sink_test")


def called_function(spark: Any, base: str) -> list[str]:
    def count(batch_id: int, batches: Any) -> None:
        rows = sum(batch.num_rows for batch in batches)
        (Path(base) / f"{batch_id}.txt").write_text(f"batch {batch_id} has {rows} rows")

    checkpoint = Path(base) / "checkpoint"
    for_each_batch(source(spark), count, checkpoint=checkpoint, trigger="available_now").await_end(SOON)
    return [path.read_text() for path in sorted(Path(base).glob("*.txt"))]


def failing_function(spark: Any, base: str) -> dict[str, Any]:
    def fail(batch_id: int, batches: Any) -> None:
        if batch_id == 1:
            raise LookupError("no such airport")

    query = for_each_batch(source(spark), fail, checkpoint=base, trigger="available_now")
    try:
        query.await_end(SOON)
    except PipelineError as error:
        return {"message": str(error), "row": error.row, "cause": error.cause, "again": str(query.error)}
    return {}


def refusals(spark: Any, base: str) -> dict[str, str]:
    lock, said = threading.Lock(), {}

    def hold(batch_id: int, batches: Any) -> None:
        with lock:
            pass

    try:
        for_each_batch(source(spark), hold, checkpoint=Path(base) / "a")
    except NotSerializableError as error:
        said["function"] = str(error)
    with to_path(source(spark), Path(base) / "out", checkpoint=Path(base) / "b"):
        try:
            to_path(source(spark), Path(base) / "out", checkpoint=Path(base) / "b")
        except FolderInUseError as error:
            said["checkpoint"] = str(error)
    # Free again, since the first one was stopped.
    to_path(source(spark), Path(base) / "out", checkpoint=Path(base) / "b", trigger="available_now").await_end(SOON)
    return said


def failing_query(spark: Any, base: str) -> list[str]:
    frame = source(spark).selectExpr("id", "assert_true(id < 15, 'too late in the year') AS a")
    query = to_path(frame, Path(base) / "out", checkpoint=Path(base) / "checkpoint", trigger="available_now")
    try:
        query.await_end(SOON)
    except (PipelineError, SparkJobError) as error:
        return [type(error).__name__, str(error)]
    return []


# --- the tests --------------------------------------------------------------------------------------------------------


def test_folder_has_each_row_once_through_connect(connect: SparkProcess, tmp_path: Path) -> None:
    result = connect.run(written_folder, str(tmp_path))

    assert result.pop("repr").startswith("RunningQuery(to_path, ended, exactly-once")
    assert result == {"ended": True, "error": None, "active": False, "rows": EXPECTED, "replaced": True}


def test_table_has_each_row_once_through_connect(connect: SparkProcess, tmp_path: Path) -> None:
    assert connect.run(written_table, str(tmp_path)) == EXPECTED


def test_function_gets_ids_and_batches_through_connect(connect: SparkProcess, tmp_path: Path) -> None:
    expected = ["batch 0 has 10 rows", "batch 1 has 10 rows", "batch 2 has 5 rows"]

    assert connect.run(called_function, str(tmp_path)) == expected


def test_error_of_a_function_comes_back_through_connect(connect: SparkProcess, tmp_path: Path) -> None:
    result = connect.run(failing_function, str(tmp_path))

    assert result["message"] == result["again"] == "for_each_batch failed on batch 1: LookupError: no such airport"
    assert (result["row"], result["cause"]) == ("batch 1", "LookupError: no such airport")


def test_error_of_spark_comes_back_through_connect(connect: SparkProcess, tmp_path: Path) -> None:
    kind, message = connect.run(failing_query, str(tmp_path))

    assert kind == "PipelineError"
    assert message.startswith("to_path failed on batch 1: ")
    assert "too late in the year" in message


def test_function_that_cannot_be_sent_and_checkpoint_in_use_are_refused(connect: SparkProcess, tmp_path: Path) -> None:
    said = connect.run(refusals, str(tmp_path))

    assert said["function"].startswith("for_each_batch through Spark Connect runs in a process of the server")
    assert "already in use by a query of the same session" in said["checkpoint"]
