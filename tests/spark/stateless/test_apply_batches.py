"""Operators over batches on executors, and pipelines on streaming DataFrames."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from reactivestreams.spark import PartitionStateWarning, PipelineError, apply, from_dataframe, pipeline_errors
from reactivestreams.stream import Pipeline, pipeline

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    """Return numbers from 0 to 19 in two partitions."""
    return spark.range(0, 20, 1, 2).selectExpr("id AS number", "CAST(id % 3 AS STRING) AS key")


def late() -> Pipeline[Any, Any]:
    """Return a pipeline of expressions."""
    return (
        pipeline()
        .filter_batches(pc.field("number") > 3)
        .with_columns(half=pc.field("number").cast("double") / 2, key=pc.field("key") == "1")
        .project("key", "half", twice=pc.field("number") * 2)
    )


def test_expressions_give_the_same_here_and_there_and_their_schema(frame: Any) -> None:
    there = apply(late(), frame)

    assert there.schema.simpleString() == "struct<key:boolean,half:double,twice:bigint>"
    here = from_dataframe(frame, as_="batches").through(late()).to_list()
    assert [row.asDict() for row in there.collect()] == pa.Table.from_batches(here).to_pylist()


def test_pipeline_that_only_filters_or_is_empty_keeps_the_schema(frame: Any) -> None:
    kept = apply(pipeline().filter_batches(pc.field("key") == "2").do(len), frame)

    assert kept.schema.simpleString() == frame.schema.simpleString()
    assert kept.count() == 6
    assert apply(pipeline(), frame).collect() == frame.collect()


@pytest.mark.smoke
def test_batches_become_rows_in_the_pipeline(frame: Any) -> None:
    stages = late().flat_map(lambda batch: batch.to_pylist()).filter(lambda row: row["key"])

    assert apply(stages, frame, schema="key boolean, half double, twice bigint").count() == 6


def test_function_over_batches_runs_on_executors(frame: Any) -> None:
    stages = pipeline().map_batches(lambda batch: batch.sort_by([("number", "descending")]).slice(0, 1))

    assert [row.number for row in apply(stages, frame, schema=frame.schema).collect()] == [9, 19]


def test_expression_that_fails_on_an_executor_is_told_with_operator_and_line(frame: Any) -> None:
    failing = apply(pipeline().project(part=pc.scalar(1) / pc.field("number")), frame)

    with pytest.raises(PipelineError, match="divide by zero") as caught, pipeline_errors():
        failing.collect()

    assert caught.value.operator == "project"
    assert "test_apply_batches.py:" in caught.value.assembly
    assert (caught.value.row_number, caught.value.partition) == (0, 0)


def streamed(result: Any, folder: Path) -> list[Any]:
    """Run a query over all that is there, and return the rows it has written."""
    query = result.writeStream.format("parquet").trigger(availableNow=True)
    running = query.option("checkpointLocation", str(folder / "checkpoint")).start(str(folder / "out"))
    try:
        assert running.awaitTermination(60)
    finally:
        running.stop()
    return sorted(result.sparkSession.read.schema(result.schema).parquet(str(folder / "out")).collect())


@pytest.fixture
def files(spark: Any, tmp_path: Path) -> Any:
    """Return a streaming DataFrame over two files, a micro-batch each."""
    (tmp_path / "in").mkdir()
    for part in range(2):
        lines = (f'{{"number": {number}, "key": "{number % 3}"}}\n' for number in range(10 * part, 10 * part + 10))
        (tmp_path / "in" / f"{part}.json").write_text("".join(lines), encoding="utf-8")
    return (
        spark.readStream.schema("number bigint, key string").option("maxFilesPerTrigger", 1).json(str(tmp_path / "in"))
    )


def test_streaming_dataframe_of_rows_gives_what_a_batch_one_gives(frame: Any, files: Any, tmp_path: Path) -> None:
    stages = pipeline().filter(lambda row: row.number % 2).flat_map(lambda row: [(row.key, row.number)] * 2)
    schema = "key string, number bigint"

    there = apply(stages, files, schema=schema)

    assert there.isStreaming
    assert streamed(there, tmp_path) == sorted(apply(stages, frame, schema=schema).collect())


def test_streaming_dataframe_of_batches_gives_what_a_batch_one_gives(frame: Any, files: Any, tmp_path: Path) -> None:
    assert streamed(apply(late(), files), tmp_path) == sorted(apply(late(), frame).collect())


def test_streaming_query_that_fails_tells_operator_and_row(files: Any, tmp_path: Path) -> None:
    failing = apply(pipeline().map(lambda row: (1 // (row.number - 13),)), files, schema="part bigint")

    with pytest.raises(PipelineError, match="operator map, built at") as caught, pipeline_errors():
        streamed(failing, tmp_path)

    assert caught.value.row == "Row(number=13, key='1')"


def test_state_without_a_key_warns_on_a_streaming_dataframe(files: Any) -> None:
    with pytest.warns(PartitionStateWarning, match="operator take"):
        apply(pipeline().take(1), files, schema=files.schema)
