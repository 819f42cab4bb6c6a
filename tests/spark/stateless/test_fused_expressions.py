"""Operators of expressions as one plan: the batches and the errors of the operators one after the other."""

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Stream, pipeline
from reactivestreams.spark.operator_names import failed_operator
from reactivestreams.spark.stateless.fused_expressions import FusedExpressions, with_fused_expressions
from reactivestreams.stream import Pipeline

Stage = Callable[[Pipeline[Any, Any]], Pipeline[Any, Any]]

FIELD = pc.field
STAGES: dict[str, Stage] = {
    "keep large": lambda stages: stages.filter_batches(FIELD("a") > 3),
    "keep, with nulls": lambda stages: stages.filter_batches(FIELD("b") < 0.5),
    "keep all": lambda stages: stages.filter_batches(pc.scalar(value=True)),
    "keep by a number": lambda stages: stages.filter_batches(FIELD("a")),
    "choose": lambda stages: stages.project("c", "a"),
    "compute": lambda stages: stages.project("a", b=FIELD("b") * 2, d=FIELD("a") + 1),
    "replace": lambda stages: stages.with_columns(a=FIELD("a") + 1, b=FIELD("a").cast("double")),
    "add": lambda stages: stages.with_columns(d=pc.if_else(FIELD("a") > 2, FIELD("a"), 0), e=pc.scalar("x")),
    "divide": lambda stages: stages.with_columns(a=pc.divide(FIELD("a"), FIELD("d"))),
    "swap": lambda stages: stages.with_columns(a=FIELD("b"), b=FIELD("a")),
    "no batch": lambda stages: stages.map(lambda batch: batch.num_rows),
    "function": lambda stages: stages.filter_batches(lambda batch: pc.is_valid(batch.column(0))),
}


def batch_of(numbers: list[int | None], *, has_two: bool = False) -> pa.RecordBatch:
    """Return a batch of three columns, or four of which two have one name."""
    a = pa.array(numbers, pa.int64())
    b = pa.array([None if number is None else number / 10 for number in numbers], pa.float64())
    c = pa.array([f"t{number}" for number in numbers], pa.string()).dictionary_encode()
    return pa.RecordBatch.from_arrays([a, b, c, a][: 4 if has_two else 3], ["a", "b", "c", "c"][: 4 if has_two else 3])


def outcome(stages: Pipeline[Any, Any], batch: pa.RecordBatch) -> Any:
    """Return the batch, or the error with the operator that failed."""
    try:
        return Stream.just(batch).through(stages).first()
    except Exception as error:
        found = failed_operator(error)
        return type(error), str(error), found and found.name


@given(
    st.lists(st.sampled_from(list(STAGES)), min_size=1, max_size=5),
    st.lists(st.one_of(st.none(), st.integers(-9, 9)), max_size=20),
    st.booleans(),
)
def test_one_plan_gives_what_the_operators_give(names: list[str], numbers: list[int | None], has_two: bool) -> None:
    stages = pipeline()
    for name in names:
        stages = STAGES[name](stages)
    batch = batch_of(numbers, has_two=has_two)

    there, expected = outcome(with_fused_expressions(stages), batch), outcome(stages, batch)

    if isinstance(expected, pa.RecordBatch):
        assert there.schema.names == expected.schema.names
        assert there.schema.types == expected.schema.types
        columns, wanted = ([column.to_pylist() for column in found.columns] for found in (there, expected))
        assert repr(columns) == repr(wanted)  # NaN is not equal to itself
    else:
        assert there == expected


def test_neighbors_become_one_plan_and_functions_stay() -> None:
    stages = pipeline()
    for name in ("keep large", "add", "function", "choose", "swap"):
        stages = STAGES[name](stages)

    fused = with_fused_expressions(stages).operators

    assert [operator.definition.method for operator in fused] == ["map", "filter_batches", "map"]


def test_batches_of_other_columns_are_planned_anew() -> None:
    stages = pipeline().filter_batches(FIELD("a") > 0).with_columns(b=FIELD("a") * 2)
    fused = FusedExpressions(stages)
    for columns in ({"a": [1, -1]}, {"b": ["x", "y"], "a": [3, 4]}, {"a": [2]}):
        batch = pa.RecordBatch.from_pydict(columns)
        assert fused(batch).equals(Stream.just(batch).through(stages).first())


def test_large_batch_is_one_batch_in_order() -> None:
    numbers = [*range(100_000)]
    random.Random(7).shuffle(numbers)
    batch = pa.RecordBatch.from_pydict({"a": numbers})
    fused = FusedExpressions(pipeline().filter_batches(FIELD("a") > 9).project("a"))
    assert fused(batch).column(0).to_pylist() == [number for number in numbers if number > 9]


@pytest.mark.parametrize("stage", ["keep large", "function"])
def test_pipeline_without_neighbors_stays(stage: str) -> None:
    stages = STAGES[stage](pipeline())
    assert [operator.definition for operator in with_fused_expressions(stages).operators] == [
        operator.definition for operator in stages.operators
    ]
