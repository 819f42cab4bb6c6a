"""The key function or that of the event time fails on an executor: batch and stream tell the same of the row."""

import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reactivestreams.spark import PipelineError, apply, pipeline_errors
from reactivestreams.spark.keyed.keyed_batch import ShuffleTask, shuffled_schema
from reactivestreams.spark.keyed.keyed_step import KeyedStep
from reactivestreams.spark.keyed.shuffle_batches import EncodeTask
from reactivestreams.spark.operator_names import short_name
from reactivestreams.spark.plan.pipeline_plan import cut_into_steps
from reactivestreams.spark.steps.step_results import RowsIn
from reactivestreams.stream import Operator, Pipeline, pipeline
from tests.spark.keyed.test_keyed_streaming import drained

pytestmark = pytest.mark.spark

ROWS = 25_000
BAD = 24_001
RESULT = "key bigint, n bigint"


def remainder(row: Any) -> Any:
    return row[0] % 4


def failing(row: Any, bad: int = BAD) -> Any:
    return 1 // (row[0] - bad)


def without_end(row: Any) -> Any:
    return next(number for number in (1, 2) if row[0] != BAD)


def without_hash(row: Any) -> Any:
    return [row[0]] if row[0] == BAD else row[0] % 4


def failing_soon(row: Any) -> Any:
    """Fail on a row behind the bad one."""
    return failing(row, BAD + 2) + 3


def text(row: Any) -> Any:
    return (row[0], f"number {row[0]}")


def twice(row: Any) -> Any:
    return [row, row]


def with_lock(row: Any) -> Any:
    """Return an element that no process can send to another where the row is bad."""
    return (row[0], threading.Lock() if row[0] == BAD else None)


def timed(start: Pipeline[Any, Any], key: Any, time: Any) -> Pipeline[Any, Any]:
    """Return the count of each key that is over by the times of its elements."""
    return start.key_by(key).expire_after(5, event_time=time).count()


ZERO = "ZeroDivisionError: integer division or modulo by zero"
UNSENDABLE = "PicklingError: Could not serialize object: TypeError: cannot pickle '_thread.lock' object"
BEHIND_OPERATORS = pipeline().filter(lambda row: row[0] % 3 == 1).flat_map(twice).map(text)
CASES: dict[str, tuple[Pipeline[Any, Any], str, str]] = {
    "key": (pipeline().key_by(failing).count(), "", ZERO),
    "key behind operators": (BEHIND_OPERATORS.key_by(failing).count(), "", ZERO),
    "time": (timed(pipeline(), remainder, failing), "1", ZERO),
}
CASES_WITHOUT_SPARK: dict[str, tuple[Pipeline[Any, Any], str, str]] = {
    **CASES,
    "time behind operators": (timed(BEHIND_OPERATORS, remainder, failing), "1", ZERO),
    "key that ends an iteration": (pipeline().key_by(without_end).count(), "", "StopIteration: "),
    "time that ends an iteration": (timed(pipeline(), remainder, without_end), "1", "StopIteration: "),
    "key without a hash": (pipeline().key_by(without_hash).count(), "[24001]", "TypeError: unhashable type: 'list'"),
    "time before a key": (timed(pipeline(), failing_soon, failing), "2", ZERO),
    "key before a time": (timed(pipeline(), failing, failing_soon), "", ZERO),
    "element that cannot be moved": (pipeline().map(with_lock).key_by(remainder).count(), "1", UNSENDABLE),
    "key before an operator": (pipeline().filter(failing_soon).key_by(failing).count(), "", ZERO),
}


def keyed_in(stages: Pipeline[Any, Any]) -> Operator:
    """Return the keyed operator of a pipeline."""
    return next(operator for operator in stages.operators if operator.definition.keyed)


def check(error: PipelineError, keyed: Operator, key: str, cause: str, number: int, partition: int) -> None:
    """Check what an error tells."""
    assert (error.operator, error.assembly, error.cause) == (short_name(keyed), str(keyed.assembly), cause)
    assert (error.row, error.row_number, error.partition, error.key) == (f"({BAD},)", number, partition, key)
    of_key = f" of key {key}" if key else ""
    assert f"failed on row ({BAD},){of_key} (number {number} of partition {partition}): {cause};" in str(error)


def from_batch(spark: Any, tmp_path: Path, stages: Pipeline[Any, Any]) -> None:
    half = ROWS // 2
    numbers = spark.range(0, ROWS, 1, 2).selectExpr(f"id % {half} * 2 + id div {half} AS value")
    apply(stages, numbers, schema=RESULT, as_="tuples", order_by="value", buckets=2).collect()


def from_stream(spark: Any, tmp_path: Path, stages: Pipeline[Any, Any]) -> None:
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS).option("numPartitions", 2)
    numbers = source.load().select("value")
    result = apply(stages, numbers, schema=RESULT, as_="tuples", order_by="value", buckets=2)
    drained(result, tmp_path / "checkpoint", tmp_path / "out")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("run", [from_batch, from_stream])
def test_failure_before_the_move_tells_row_number_partition_and_key(
    spark: Any, tmp_path: Path, run: Any, name: str
) -> None:
    stages, key, cause = CASES[name]

    with pytest.raises(PipelineError) as failed, pipeline_errors():
        run(spark, tmp_path, stages)

    # One partition has the even numbers, the other one the odd ones; a batch has 10,000 rows.
    check(failed.value, keyed_in(stages), key, cause, number=12_000, partition=1)


def moving(step: KeyedStep) -> ShuffleTask:
    assert isinstance(step.source, RowsIn)
    return ShuffleTask(step, carried=["value"], schema=shuffled_schema(step.source.schema, ("value",), [step.keyed]))


def encoding(step: KeyedStep) -> EncodeTask:
    return EncodeTask(step, order_by=("value",))


def check_first_failure(task: Any, name: str, *, is_tolerant: bool) -> None:
    """Run a task over one partition without Spark, and check what it fails with."""
    from pyspark.sql.types import StructType

    stages, key, cause = CASES_WITHOUT_SPARK[name]
    before = cut_into_steps(stages)[0].pipeline
    source = RowsIn("tuples", StructType().add("value", "long"))
    batches = [pa.record_batch({"value": range(start, start + 5000)}) for start in range(0, ROWS, 5000)]

    with pytest.raises(PipelineError) as failed:
        list(task(KeyedStep(before, source, keyed_in(stages), 2, is_tolerant=is_tolerant))(batches))

    check(failed.value, keyed_in(stages), key, cause, number=BAD, partition=0)


@pytest.mark.parametrize("name", CASES_WITHOUT_SPARK)
@pytest.mark.parametrize("task", [moving, encoding])
def test_first_failure_of_a_task_is_told_whatever_fails(task: Any, name: str) -> None:
    check_first_failure(task, name, is_tolerant=False)


@pytest.mark.parametrize("task", [moving, encoding])
def test_element_that_cannot_be_moved_is_told_also_where_rows_may_fail(task: Any) -> None:
    check_first_failure(task, "element that cannot be moved", is_tolerant=True)
