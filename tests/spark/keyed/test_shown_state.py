"""The command `state show` on checkpoints that Spark has written."""

import json
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import pipeline
from reactivestreams.cli import ExitStatus, main
from reactivestreams.spark import apply
from reactivestreams.spark.keyed import checkpoint_state
from reactivestreams.stream import Pipeline

pytestmark = pytest.mark.spark

ROWS = [(row, "abc"[row % 3]) for row in range(9)]
DEADLINE_SECONDS = 60


def run_query(session: Any, stages: Pipeline[Any, Any] | None, folder: Path) -> str:
    """Run a streaming query over some rows, of a keyed pipeline or a query of Spark's own; return its checkpoint."""
    session.createDataFrame(ROWS, "id int, key string").coalesce(1).write.mode("append").parquet(str(folder / "in"))
    frame = session.readStream.schema("id int, key string").parquet(str(folder / "in"))
    if stages is None:
        result = frame.groupBy("key").count()
    else:
        result = apply(stages, frame, schema="value string", as_="tuples", order_by="id", buckets=2)
    checkpoint = str(folder / "checkpoint")
    writer = result.writeStream.format("noop").outputMode("append" if stages is not None else "update")
    query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
    assert query.awaitTermination(DEADLINE_SECONDS)
    return checkpoint


def test_accumulators_are_shown(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stages = pipeline().key_by(lambda row: row[1]).scan(lambda total, row: total + row[0], 0).map(lambda n: (str(n),))
    checkpoint = run_query(spark, stages, tmp_path)

    assert main(["state", "show", checkpoint, "--json"]) == ExitStatus.SUCCESS
    facts = json.loads(capsys.readouterr().out)

    assert facts["operators"] == [
        {"operator": "rx://operators/keyed_scan", "version": "1.0.0.0"},
        {"operator": "rx://operators/map", "version": "1.0.0.0"},
    ]
    assert facts["buckets"] == 2
    shown = [(entry["key"], entry["state"]) for state in facts["states"] for entry in state["sample"]]
    assert sorted(shown) == [("'a'", "9"), ("'b'", "12"), ("'c'", "15")]
    assert sum(state["keys"] for state in facts["states"]) == 3

    assert main(["state", "show", checkpoint, "--keys", "0"]) == ExitStatus.SUCCESS
    table = capsys.readouterr().out
    assert "rx://operators/keyed_scan  1.0.0.0" in table
    assert "3 keys in 2 buckets" in table
    assert "'a'" not in table


def test_operators_of_each_key_are_shown(
    spark: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    keyed = pipeline().key_by(lambda row: row[1])
    checkpoint = run_query(spark, keyed.through(pipeline().skip(1).buffer(9)).map(lambda rows: (str(rows),)), tmp_path)

    assert main(["state", "show", checkpoint, "--json"]) == ExitStatus.SUCCESS
    facts = json.loads(capsys.readouterr().out)
    shown = {entry["key"]: entry["state"] for state in facts["states"] for entry in state["sample"]}
    assert shown["'b'"] == "rx://operators/buffer: [(4, 'b'), (7, 'b')], 0; rx://operators/skip: 0"


def test_checkpoint_of_another_query_is_refused(
    spark: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    checkpoint = run_query(spark, None, tmp_path)
    assert main(["state", "show", checkpoint]) == ExitStatus.FAILURE
    assert "does not belong to a keyed pipeline of this package" in capsys.readouterr().err


def test_buckets_with_other_numbers_are_refused(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = run_query(spark, pipeline().key_by(lambda row: row[1]).count().map(lambda n: (str(n),)), tmp_path)
    monkeypatch.setattr(checkpoint_state, "grouping_number", int)
    assert main(["state", "show", checkpoint]) == ExitStatus.FAILURE
    assert "was written by this package before its first release" in capsys.readouterr().err
