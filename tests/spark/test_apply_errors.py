"""What goes wrong in a pipeline on Spark is told with operator, line and row, when built where that is possible."""

import os
import threading
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark import (
    NotSerializableError,
    PipelineError,
    apply,
    explain,
    from_dataframe,
    pipeline_errors,
)
from reactivestreams.stream import Pipeline, pipeline
from rs_core.operators.python_operator import PythonStage

pytestmark = pytest.mark.spark

LOCK = threading.Lock()


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    """Return numbers from 0 to 19 in two partitions."""
    return spark.range(0, 20, 1, 2).selectExpr("id AS number", "CAST(id % 3 AS STRING) AS key")


def inverse(row: Any) -> Any:
    """Return one part of a number's distance from 13."""
    return (1.0 / (row.number - 13),)


def error_of(stages: Pipeline[Any, Any], frame: Any, **arguments: Any) -> PipelineError:
    """Return the error by which a pipeline fails on the executors."""
    arguments = {"schema": "result double", "order_by": "number", **arguments}
    with pytest.raises(PipelineError) as caught, pipeline_errors():
        apply(stages, frame, **arguments).collect()
    return caught.value


def test_function_that_raises_is_told_with_operator_line_and_row(frame: Any) -> None:
    error = error_of(pipeline().filter(lambda row: row.number > 2).map(inverse), frame)

    assert error.operator == "map"
    assert "test_apply_errors.py:" in error.assembly
    assert error.assembly.endswith("in test_function_that_raises_is_told_with_operator_line_and_row")
    assert error.row == "Row(number=13, key='1')"
    assert error.cause == "ZeroDivisionError: float division by zero"
    assert (error.row_number, error.partition, error.key) == (3, 1, "")
    place = f"operator map, built at {error.assembly}, failed on row Row(number=13, key='1')"
    assert str(error).startswith(f"{place} (number 3 of partition 1): ")


def inverse_of_inverse(row: Any) -> Any:
    return inverse(row)


@pytest.mark.parametrize(
    "stages",
    [
        pipeline().map(inverse_of_inverse),
        pipeline().map(inverse_of_inverse).key_by(len).scan(max, ()),
        pipeline().key_by(inverse_of_inverse).scan(max, ()),
        pipeline().key_by(lambda row: row.key).scan(lambda state, row: inverse_of_inverse(row), ()),
        pipeline().key_by(lambda row: row.key).through(pipeline().map(inverse_of_inverse)),
    ],
    ids=["stateless", "before the key", "key", "keyed", "through"],
)
def test_frames_of_the_function_come_back_with_the_error(frame: Any, stages: Any) -> None:
    (note,) = error_of(stages, frame).__notes__

    heading, *lines = note.splitlines()
    assert heading == "Frames of the function on the executor (most recent call last):"
    assert [line.partition(", in ")[2] for line in lines if ", in " in line][-2:] == ["inverse_of_inverse", "inverse"]
    assert any("return (1.0 / (row.number - 13),)" in line for line in lines)
    assert not any("/pyspark/" in line or "/reactivestreams/" in line for line in lines)


def test_row_is_named_though_flat_map_has_read_further(frame: Any) -> None:
    stages = pipeline().flat_map(lambda row: [row, row]).map(lambda row: row).map(inverse)

    error = error_of(stages, frame)
    assert (error.row, error.row_number, error.partition) == ("Row(number=13, key='1')", 3, 1)


def test_spark_s_own_exception_holds_the_text_and_is_the_cause(frame: Any) -> None:
    from pyspark.errors import PythonException

    failing = apply(pipeline().map(inverse), frame, schema="result double")
    with pytest.raises(PythonException) as spark_s:
        failing.collect()
    with pytest.raises(PipelineError) as caught, pipeline_errors():
        failing.collect()

    assert str(caught.value) in str(spark_s.value)
    assert isinstance(caught.value.__cause__, PythonException)


def test_stream_of_the_result_fails_with_the_pipeline_error(frame: Any) -> None:
    failing = apply(pipeline().map(inverse), frame, schema="result double")

    with pytest.raises(PipelineError, match=r"operator map, built at .*: ZeroDivisionError"):
        from_dataframe(failing).run()


@pytest.mark.parametrize(
    ("stages", "cause"),
    [
        (pipeline().key_by(lambda row: object()).scan(max, 0), "UnsupportedKeyError: a key of type object has no hash"),
        (
            pipeline().key_by(lambda row: row.key).scan(lambda state, row: (1 / (row.number - 13),), 0),
            "ZeroDivisionError",
        ),
    ],
)
def test_keyed_operator_that_fails_is_named(frame: Any, stages: Any, cause: str) -> None:
    error = error_of(stages, frame)

    assert (error.operator, error.cause[: len(cause)]) == ("keyed_scan", cause)
    assert "test_apply_errors.py:" in error.assembly
    assert error.row.startswith("Row(number=")


def test_operator_of_one_s_own_before_a_key_is_refused_when_built(frame: Any) -> None:
    class Own(PythonStage):
        name = "tests/own"

    stages = pipeline().lift(Own).key_by(lambda row: row.key).scan(max, 0)

    with pytest.raises(
        ArgumentError, match=r"operator lift, built at .*test_apply_errors\.py.* before key_by on Spark"
    ):
        explain(stages, frame, order_by="number")


def test_too_many_keys_in_a_bucket_are_told(frame: Any) -> None:
    stages = pipeline().key_by(lambda row: row.number, max_keys=5).scan(lambda state, row: state, (0.0,))

    assert error_of(stages, frame, buckets=1).cause.startswith("CapacityError: ")


def test_row_that_does_not_fit_the_schema_is_told_with_its_column(frame: Any) -> None:
    halves = pipeline().map(lambda row: (row.number / 2, row.key))
    error = error_of(halves, frame.coalesce(1), schema="half bigint, key string")

    assert error.operator == "apply"
    assert error.assembly.endswith("in error_of")
    assert error.row == "(0.0, '0')"
    assert str(error).startswith("column 'half' (bigint) cannot hold 0.0 of type float: it takes int; row: (0.0, '0')")


def test_other_exceptions_pass_through_unchanged(spark: Any) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises(AnalysisException), pipeline_errors():
        spark.sql("SELECT * FROM nowhere")


def test_exception_of_spark_inside_the_partition_is_not_blamed_on_an_operator(spark: Any) -> None:
    broken = spark.range(3).selectExpr("assert_true(id < 0, 'broken source') AS a", "id")

    with pytest.raises(Exception, match="broken source") as caught, pipeline_errors():
        apply(pipeline().map(lambda row: (row.id,)), broken, schema="id bigint").collect()

    assert not isinstance(caught.value, PipelineError)


@pytest.mark.parametrize("value", [threading.Lock(), iter([1, 2])])
def test_function_that_cannot_be_sent_is_refused_when_built(frame: Any, value: object) -> None:
    with pytest.raises(NotSerializableError, match=r"operator map, built at .*test_apply_errors.py:\d+ in"):
        apply(pipeline().map(lambda row: (value, row)), frame, schema="number bigint")


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"schema": "number lang"}, ArgumentError, "schema 'number lang' cannot be used: .*LANG"),
        ({"schema": "number bigint, number string"}, ArgumentError, "names 'number' twice"),
        ({"schema": "bigint"}, ArgumentError, "schema"),
        ({"schema": ""}, ArgumentError, "schema '' has no column"),
        ({"schema": ["number"]}, ArgumentTypeError, r"schema must be a DDL text.*, got \['number'\]"),
        ({"as_": "dict"}, ArgumentError, "did you mean 'dicts'?"),
        (
            {"as_": "batches"},
            ArgumentError,
            "cannot go with the keyed operator keyed_scan, built at .*test_apply_errors",
        ),
        ({"order_by": "Number"}, ArgumentError, "order_by names 'Number', but the columns are number, key"),
        ({"order_by": 1}, ArgumentTypeError, "order_by must be the name of a column or several, got 1"),
        ({"order_by": [1]}, ArgumentTypeError, "order_by must contain names of columns, got 1"),
        ({"buckets": 0}, ArgumentError, "buckets must be from 1 to 4096, got 0"),
        ({"buckets": 2.0}, ArgumentTypeError, "buckets must be an int, got 2.0"),
    ],
)
def test_bad_argument_is_refused_when_built(frame: Any, arguments: Any, error: type[Exception], complaint: str) -> None:
    stages = pipeline().key_by(lambda row: row.key).scan(lambda state, row: row, None)

    with pytest.raises(error, match=complaint):
        apply(stages, frame, **{"schema": "number bigint", "order_by": "number", **arguments})


def test_what_is_no_pipeline_or_no_plain_dataframe_is_refused(spark: Any, frame: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="apply needs a pipeline, got <function"):
        apply(lambda row: row, frame, schema="number bigint")
    with pytest.raises(ArgumentTypeError, match="df must be a Spark DataFrame"):
        apply(pipeline(), [1], schema="number bigint")
    with pytest.raises(ArgumentError, match="two columns 'id'"):
        apply(pipeline(), spark.range(1).selectExpr("id", "id"), schema="number bigint")
    with pytest.raises(ArgumentError, match="values of type map<string,int> cannot be compared"):
        apply(pipeline(), spark.sql("SELECT map('a', 1) AS m"), schema="m int", order_by="m")


def test_error_of_a_keyed_operator_tells_the_key(frame: Any) -> None:
    stages = pipeline().key_by(lambda row: row.key).scan(lambda state, row: inverse(row), (0.0,))

    error = error_of(stages, frame)

    assert (error.key, error.row) == ("'1'", "Row(number=13, key='1')")
    assert " of key '1' (number " in str(error)


def test_function_that_ends_its_worker_is_told(frame: Any) -> None:
    error = error_of(pipeline().map(lambda row: os._exit(3)), frame)

    assert str(error).startswith("a Python worker ended while it ran a pipeline")
    assert "os._exit" in str(error)


def test_stream_of_a_result_whose_worker_ends_fails_with_the_pipeline_error(frame: Any) -> None:
    ending = apply(pipeline().map(lambda row: os._exit(3)), frame, schema="number bigint")

    with pytest.raises(PipelineError, match="a Python worker ended"):
        from_dataframe(ending).run()


@pytest.mark.parametrize(
    "stages",
    [
        pipeline().map_batches(lambda batch: (LOCK, batch)[1]),
        pipeline().filter_batches(lambda batch: LOCK),
    ],
)
def test_function_over_batches_that_cannot_be_sent_is_refused_when_built(frame: Any, stages: Any) -> None:
    with pytest.raises(NotSerializableError, match=r"operator \w+_batches, built at .*test_apply_errors.py:\d+ in"):
        apply(stages, frame, schema="number bigint")
