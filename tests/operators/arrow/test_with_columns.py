"""with_columns: computed columns beside those of each batch."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.arrow_batches import numbered_batches
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.state_contract import SerializableContract, StateContract

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")


class TestWithColumns(OperatorContract, StateContract, SerializableContract):
    elements = numbered_batches()

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().with_columns(number=pc.field("number") + 1, before=pc.field("number"))

    def passed_on(self, elements: list[Any]) -> list[Any]:
        schema = pa.schema([("number", pa.int64()), ("text", pa.string()), ("before", pa.int64())])
        return [
            pa.RecordBatch.from_pylist(
                [{**row, "number": row["number"] + 1, "before": row["number"]} for row in batch.to_pylist()],
                schema=schema,
            )
            for batch in elements
        ]


def batch(**columns: list[Any]) -> Any:
    return pa.RecordBatch.from_pydict(columns)


def test_expressions_see_the_columns_as_they_came() -> None:
    swapped = Stream.just(batch(a=[1], b=[2])).with_columns(a=pc.field("b"), b=pc.field("a")).first()
    assert swapped == batch(a=[2], b=[1])


def test_replaced_column_may_change_its_type() -> None:
    assert Stream.just(batch(a=[1], b=[2])).with_columns(a=pc.field("b") > 1).first() == batch(a=[True], b=[2])


def test_two_columns_of_the_replaced_name_are_refused() -> None:
    twice = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    with pytest.raises(ArgumentError, match="replaces the column 'a', but the batch has two of that name"):
        Stream.just(twice).with_columns(a=pc.scalar(1)).run()
    with pytest.raises(ArgumentError, match="with_columns names the column 'a', but the batch has two of that name"):
        Stream.just(twice).with_columns(b=pc.field("a")).run()


def test_unknown_column_and_element_that_is_no_batch_are_refused() -> None:
    with pytest.raises(ArgumentError, match="with_columns names the column 'c', but the batch has a; name"):
        Stream.just(batch(a=[1])).with_columns(b=pc.field("c")).run()
    with pytest.raises(ArgumentTypeError, match="with_columns needs elements that are Arrow batches, got 3"):
        Stream.just(3).with_columns(b=pc.field("c")).run()


def test_bad_column_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentError, match="at least one column"):
        pipeline().with_columns()
    with pytest.raises(ArgumentTypeError, match=r"with_columns\(a\) needs an expression of pyarrow.compute, got 3"):
        pipeline().with_columns(a=3)  # type: ignore[arg-type]
