"""What a task sends to the buckets where rows may fail, without Spark."""

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from reactivestreams.spark.keyed.buckets import bucket_of
from reactivestreams.spark.keyed.keyed_step import KeyedStep
from reactivestreams.spark.keyed.router import FAILURES_BUCKET, RoutedBatch, Router
from reactivestreams.spark.on_error.row_results import FailedRow
from reactivestreams.spark.plan.pipeline_plan import cut_into_steps
from reactivestreams.spark.steps.step_results import RowsIn
from reactivestreams.spark.steps.tracked_rows import NumberedRows
from reactivestreams.stream import Pipeline, pipeline

pytestmark = pytest.mark.spark

ROWS = 40
BATCH_ROWS = 7
BUCKETS = 3


class Calls:
    """Counts the calls of functions that fail on some numbers."""

    def __init__(self) -> None:
        self.of: Counter[tuple[str, int]] = Counter()

    def check(self, name: str, row: Any) -> None:
        self.of[name, row[0]] += 1
        if row[0] % 10 == {"map": 3, "key": 4, "key that ends": 5, "time": 6}[name]:
            raise StopIteration if name == "key that ends" else ValueError(name)

    def mapped(self, row: Any) -> Any:
        self.check("map", row)
        return (row[0], "mapped")

    def key(self, row: Any) -> Any:
        self.check("key", row)
        self.check("key that ends", row)
        return row[0] % 5

    def time(self, row: Any) -> Any:
        self.check("time", row)
        return row[0]


def sent_by(stages: Pipeline[Any, Any], size: int) -> list[RoutedBatch]:
    from pyspark.sql.types import StructType

    step, behind = cut_into_steps(stages)
    source = RowsIn("tuples", StructType().add("number", "long"))
    starts = range(0, ROWS, BATCH_ROWS)
    batches = [pa.record_batch({"number": range(start, min(start + BATCH_ROWS, ROWS))}) for start in starts]
    rows = NumberedRows(batches, source.decoder())
    keyed = KeyedStep(step.pipeline, source, behind.pipeline.operators[0], BUCKETS, is_tolerant=True)
    return [*Router(keyed, rows).chunks(size)]


@pytest.mark.parametrize("size", [1, 8, 1000])
@pytest.mark.parametrize("has_operators", [False, True])
@pytest.mark.parametrize("has_times", [False, True])
def test_each_element_has_its_row_and_bucket_and_each_failure_takes_the_place_of_one(
    size: int, has_operators: bool, has_times: bool
) -> None:
    calls = Calls()
    keyed = (pipeline().map(calls.mapped) if has_operators else pipeline()).key_by(calls.key)
    stages = keyed.expire_after(5, event_time=calls.time).count() if has_times else keyed.count()

    chunks = sent_by(stages, size)

    name = "keyed" if has_times else "keyed_count"
    fails = {4: name, 5: name}
    if has_operators:
        fails[3] = "map"
    if has_times:
        fails[6] = name
    there = [place for sent in chunks for place in zip(sent.buckets, sent.numbers, sent.items, strict=True)]
    elements = [place for place in there if not isinstance(place[2], FailedRow)]
    good = [number for number in range(ROWS) if number % 10 not in fails]
    assert elements == [
        (bucket_of(n % 5, BUCKETS), n, (0, n, (n,), (n, "mapped") if has_operators else (n,))) for n in good
    ]
    assert [time for sent in chunks for time in sent.times] == ([n * 1_000_000 for n in good] if has_times else [])
    failures = {number: item for _, number, item in there if isinstance(item, FailedRow)}
    assert {number: failure.operator for number, failure in failures.items()} == {
        number: fails[number % 10] for number in range(ROWS) if number % 10 in fails
    }
    rows = {number: failure.rows.to_pylist() for number, failure in failures.items() if failure.rows is not None}
    assert rows == {number: [{"number": number}] for number in failures}
    assert {failure.partition for failure in failures.values()} == {0}
    assert {bucket for bucket, _, item in there if isinstance(item, FailedRow)} == {FAILURES_BUCKET}
    assert set(calls.of.values()) == {1}
    assert max(len(sent.items) for sent in chunks) == min(size, ROWS)
