"""Rows that fail are skipped and counted, or collected with all that is known of them."""

import threading
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import (
    DeadLetterResult,
    NotSerializableError,
    SkippedRows,
    SkippingResult,
    apply,
    from_dataframe,
)
from reactivestreams.spark.on_error.error_policy import SKIP, ErrorPolicy
from reactivestreams.spark.on_error.tolerant_pipeline import TolerantStep
from reactivestreams.spark.rows.arrow_values import arrow_schema
from reactivestreams.spark.rows.row_encoding import ENCODED_BATCH_ROWS
from reactivestreams.spark.steps.step_results import RowsIn
from reactivestreams.stream import Pipeline, pipeline
from rs_core.operators.python_operator import PythonStage

pytestmark = pytest.mark.spark

LOCK = threading.Lock()
RESULT = "number bigint, part double"


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    """Return numbers from 0 to 19 in two partitions."""
    return spark.range(0, 20, 1, 2).selectExpr("id AS number", "CAST(id % 3 AS STRING) AS key")


def parts(row: Any) -> Any:
    """Fail on each number that 5 divides."""
    return (row.number, 1.0 / (row.number % 5))


def letters(result: DeadLetterResult) -> list[Any]:
    """Return the dead letters in the order of their rows."""
    return result.dead_letters.orderBy("partition", "row_number").collect()


@pytest.mark.smoke
def test_skip_leaves_failing_rows_out_and_counts_them(frame: Any) -> None:
    outcome = apply(pipeline().map(parts), frame, schema=RESULT, on_error="skip")

    assert isinstance(outcome, SkippingResult)
    assert outcome.skipped.count == 0
    assert [row.number for row in outcome.results.collect()] == [n for n in range(20) if n % 5]
    assert outcome.skipped.count == 4
    assert len(from_dataframe(outcome.results).to_list()) == 16
    assert outcome.skipped.count == 8
    assert repr(outcome.skipped) == f"SkippedRows({outcome.skipped.name!r}, 8 so far)"


@pytest.mark.parametrize(
    ("stages", "failing"),
    [
        (pipeline().starmap(lambda number, key: (number, 1.0 / (number % 5))), [0, 5, 10, 15]),
        (
            pipeline().map(lambda row: {"number": row[0], "part": 0.5} if row[0] % 5 else {}).pluck("number", "part"),
            [0, 5, 10, 15],
        ),
        (pipeline().map(lambda row: row if row[0] % 5 else 0).pluck_attr("number", "number"), [0, 5, 10, 15]),
    ],
    ids=["starmap", "pluck", "pluck_attr"],
)
def test_parts_of_a_row_that_fail_are_left_out(frame: Any, stages: Any, failing: list[int]) -> None:
    outcome = apply(stages.map(lambda pair: (pair[0], float(pair[1]))), frame, schema=RESULT, on_error="dead_letter")

    assert [row.number for row in outcome.results.collect()] == [n for n in range(20) if n not in failing]
    assert [letter.row.number for letter in letters(outcome)] == failing
    assert {letter.operator for letter in letters(outcome)} == {stages.operators[-1].definition.method}


def test_dead_letters_tell_row_error_operator_line_and_number(frame: Any) -> None:
    stages = pipeline().filter(lambda row: row.number > 3).map(lambda row: row).map(parts)

    outcome = apply(stages, frame, schema=RESULT, on_error="dead_letter")

    assert [row.number for row in outcome.results.collect()] == [n for n in range(4, 20) if n % 5]
    found = letters(outcome)
    assert [(letter.row.number, letter.partition, letter.row_number) for letter in found] == [
        (5, 0, 5),
        (10, 1, 0),
        (15, 1, 5),
    ]
    assert found[0].row.asDict() == {"number": 5, "key": "2"}
    assert found[0].element == "Row(number=5, key='2')"
    assert (found[0].error, found[0].message, found[0].operator) == (
        "ZeroDivisionError",
        "float division by zero",
        "map",
    )
    assert found[0].line == str(stages.operators[2].assembly)


def failing_on(number: int) -> Any:
    """Return a function that raises for one number."""

    def check(row: Any) -> bool:
        if row.number == number:
            raise ValueError(f"number {number}")
        return True

    return check


def doubled(row: Any) -> Any:
    """Give an element, and fail before the second one of 7."""
    yield row
    if row.number == 7:
        raise ValueError("no second seven")
    yield row


def test_each_operator_leaves_out_what_it_fails_on(frame: Any) -> None:
    stages = pipeline().filter(failing_on(3)).do(failing_on(4)).flat_map(doubled).map(lambda row: (row.number, 0.0))

    outcome = apply(stages, frame, schema=RESULT, on_error="dead_letter")

    expected = [n for n in range(20) for _ in range(1 if n == 7 else 2) if n not in (3, 4)]
    assert [row.number for row in outcome.results.collect()] == expected
    assert [(letter.row.number, letter.operator, letter.message) for letter in letters(outcome)] == [
        (3, "filter", "number 3"),
        (4, "do", "number 4"),
        (7, "flat_map", "no second seven"),
    ]


def test_result_that_does_not_fit_the_schema_is_a_failing_row(frame: Any) -> None:
    stages = pipeline().map(lambda row: (row.number, "half" if row.number in (2, 13) else 0.5))

    outcome = apply(stages, frame, schema=RESULT, on_error="dead_letter")

    assert outcome.results.count() == 18
    found = letters(outcome)
    assert [(letter.row.number, letter.operator, letter.error) for letter in found] == [
        (2, "apply", "RowEncodingError"),
        (13, "apply", "RowEncodingError"),
    ]
    assert found[0].element == "(2, 'half')"
    assert "column 'part' (double) cannot hold 'half'" in found[0].message
    assert found[0].line.endswith("in test_result_that_does_not_fit_the_schema_is_a_failing_row")


def test_expression_that_fails_costs_only_the_rows_it_fails_on(frame: Any) -> None:
    stages = pipeline().with_columns(part=pc.scalar(100) / pc.field("number"))
    stages = stages.filter_batches(pc.field("part") > 10)

    outcome = apply(stages, frame, on_error="dead_letter")

    assert [row.part for row in outcome.results.collect()] == [100, 50, 33, 25, 20, 16, 14, 12, 11]
    found = letters(outcome)
    assert [(letter.row.number, letter.row_number, letter.error) for letter in found] == [(0, 0, "ArrowInvalid")]
    assert (found[0].operator, found[0].message) == ("with_columns", "divide by zero")
    assert found[0].element == "{'number': 0, 'key': '0'}"


def strict(batch: Any) -> Any:
    """Refuse a batch with the number 12."""
    if pc.any(pc.equal(batch["number"], 12)).as_py():
        raise ValueError("twelve")
    return batch


def test_function_over_batches_that_fails_costs_only_the_rows_it_fails_on(frame: Any) -> None:
    outcome = apply(pipeline().map_batches(strict), frame, schema=frame.schema, on_error="skip")

    assert [row.number for row in outcome.results.collect()] == [n for n in range(20) if n != 12]
    assert outcome.skipped.count == 1


def test_all_rows_may_fail_and_none_may_be_there(spark: Any, frame: Any) -> None:
    failing = pipeline().map(lambda row: row.nothing)

    outcome = apply(failing, frame, schema=RESULT, on_error="dead_letter")

    assert outcome.results.collect() == []
    assert outcome.dead_letters.count() == 20
    empty = apply(failing, frame.limit(0), schema=RESULT, on_error="dead_letter")
    assert (empty.results.collect(), empty.dead_letters.collect()) == ([], [])


def test_combined_is_computed_once_and_split_afterwards(frame: Any) -> None:
    outcome = apply(pipeline().map(parts), frame, schema=RESULT, on_error="dead_letter")

    once = outcome.combined.persist()
    try:
        split = DeadLetterResult.split(once)
        assert (split.results.count(), split.dead_letters.count()) == (16, 4)
    finally:
        once.unpersist(blocking=True)
    with pytest.raises(ArgumentError, match="combined must have the columns result and dead_letter, got number, key"):
        DeadLetterResult.split(frame)


def test_columns_that_take_no_null_and_nested_ones_survive_in_dead_letters(spark: Any) -> None:
    frame = spark.sql(
        "SELECT id, timestamp'2013-07-01 12:00:00' AS t, array(1, 2) AS a, named_struct('x', id) AS s "
        "FROM range(0, 3, 1, 1)"
    )

    outcome = apply(
        pipeline().map(lambda row: (1 // row.id,)), frame, schema="r bigint NOT NULL", on_error="dead_letter"
    )

    assert [letter.row for letter in letters(outcome)] == [frame.first()]
    assert [row.r for row in outcome.results.collect()] == [1, 0]


@pytest.mark.parametrize("policy", ["skip", "dead_letter"])
def test_streaming_dataframe_keeps_the_policy(spark: Any, tmp_path: Any, policy: Any) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.json").write_text("".join(f'{{"number": {n}}}\n' for n in range(10)), encoding="utf-8")
    frame = spark.readStream.schema("number bigint").json(str(tmp_path / "in"))
    outcome = apply(pipeline().map(parts), frame, schema=RESULT, on_error=policy)
    counts: list[Any] = []

    def count(batch: Any, batch_id: int) -> None:
        if policy == "skip":
            counts.append(batch.count())
        else:
            split = DeadLetterResult.split(batch)
            counts.append((split.results.count(), sorted(row.row.number for row in split.dead_letters.collect())))

    written = outcome.results if isinstance(outcome, SkippingResult) else outcome.combined
    query = written.writeStream.foreachBatch(count).trigger(availableNow=True)
    running = query.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    assert running.awaitTermination(60)

    assert counts == ([8] if policy == "skip" else [(8, [0, 5])])
    if isinstance(outcome, SkippingResult):
        assert outcome.skipped.count == 2


class Own(PythonStage):
    """An operator of one's own."""

    name = "tests/own"


@pytest.mark.parametrize(
    ("stages", "complaint"),
    [
        (pipeline().map(len).take(3), "operator take, built at .*test_row_failures.*, which has a state"),
        (pipeline().lift(Own), "operator lift, built at"),
    ],
)
def test_operator_that_cannot_leave_a_row_out_is_refused(frame: Any, stages: Any, complaint: str) -> None:
    with pytest.raises(ArgumentError, match=f"on_error='skip' cannot go with .*{complaint}"):
        apply(stages, frame, schema=RESULT, on_error="skip")


def test_function_that_cannot_be_sent_is_refused(frame: Any) -> None:
    with pytest.raises(NotSerializableError, match="operator map, built at"):
        apply(pipeline().map(lambda row: (LOCK, row)), frame, schema=RESULT, on_error="skip")


def test_count_needs_a_progress_where_queries_count_for_themselves() -> None:
    skipped = SkippedRows("name")

    assert repr(skipped) == "SkippedRows('name')"
    with pytest.raises(ArgumentError, match=r"pass a query's progress to count_in\(progress\)"):
        _ = skipped.count
    assert skipped.count_in({"observedMetrics": {"name": {"skipped": 3}}}) == 3
    assert skipped.count_in({"observedMetrics": {"other": {"skipped": 3}}}) == 0
    with pytest.raises(ArgumentTypeError, match="needs the progress of a query, got None"):
        skipped.count_in(None)


def step_over(stages: Pipeline[Any, Any]) -> TolerantStep:
    """Return a step over rows of one number."""
    from pyspark.sql.types import StructType

    schema = StructType.fromDDL("number bigint")
    return TolerantStep(stages, RowsIn("tuples", schema), ErrorPolicy(SKIP, schema, schema, "here"))


def test_partition_is_held_in_bounded_pieces(spark: Any) -> None:
    stages = pipeline().filter(lambda row: row[0] % 1000 == 0).map(lambda row: (1 // (row[0] % 3000) * 0,))
    step = step_over(stages)
    batches = [
        pa.RecordBatch.from_pydict({"number": [*range(first, first + 500)]}, schema=arrow_schema(step.schema))
        for first in range(0, 50_000, 500)
    ]
    every = step_over(pipeline().map(lambda row: row[: 5 // (row[0] % 2)]))

    pieces = list(step.pieces(batches))
    assert [(sum(b.num_rows for b in results), len(failures)) for results, failures in pieces] == [(33, 17)]
    assert [f.rows.to_pylist()[0]["number"] for f in pieces[0][1] if f.rows] == [*range(0, 50_000, 3000)]
    sizes = [sum(b.num_rows for b in results) + len(failures) for results, failures in every.pieces(batches)]
    assert sizes == [ENCODED_BATCH_ROWS] * 5
