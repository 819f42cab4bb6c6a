"""filter_batches: the rows of each batch for which a condition is true."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.arrow_batches import numbered_batches
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.state_contract import SerializableContract, StateContract

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")


class FilterBatchesSubject(OperatorContract, StateContract, SerializableContract):
    elements = numbered_batches()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [
            pa.RecordBatch.from_pylist(
                [row for row in batch.to_pylist() if row["text"] == "a" and row["number"] > 12], schema=batch.schema
            )
            for batch in elements
        ]


class TestFilterBatchesByExpression(FilterBatchesSubject):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().filter_batches((pc.field("text") == "a") & (pc.field("number") > 12))


class TestFilterBatchesByFunction(FilterBatchesSubject):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().filter_batches(
            lambda batch: pc.and_(pc.equal(batch["text"], "a"), pc.greater(batch["number"], 12))
        )


def batch(**columns: list[Any]) -> Any:
    return pa.RecordBatch.from_pydict(columns)


def test_null_counts_as_false() -> None:
    assert Stream.just(batch(a=[1, None, 3])).filter_batches(pc.field("a") > 0).first() == batch(a=[1, 3])


def test_batch_of_which_no_row_is_left_is_passed_on_without_rows() -> None:
    left = Stream.just(batch(a=[1]), batch(a=[5])).filter_batches(pc.field("a") > 2).to_list()
    assert [each.num_rows for each in left] == [0, 1]


def test_condition_may_be_a_constant() -> None:
    assert Stream.just(batch(a=[1, 2])).filter_batches(pc.scalar(True)).first().num_rows == 2


def test_chunked_array_of_a_function_is_taken() -> None:
    mask = pa.chunked_array([[True], [False]])
    assert Stream.just(batch(a=[1, 2])).filter_batches(lambda batch: mask).first() == batch(a=[1])


@pytest.mark.parametrize(
    ("predicate", "error", "complaint"),
    [
        (pc.field("a") + 1, ArgumentTypeError, "needs a boolean for each row, got int64; compare"),
        (pc.field("z") > 1, ArgumentError, "filter_batches names the column 'z', but the batch has a"),
        (lambda batch: True, ArgumentTypeError, "needs a boolean for each row, got bool; compare"),
        (lambda batch: pa.array([1]), ArgumentTypeError, "needs a boolean for each row, got int64"),
        (lambda batch: pa.array([True]), ArgumentError, "for each of the 2 rows, got 1"),
    ],
)
def test_condition_that_gives_no_boolean_for_each_row_ends_the_stream(
    predicate: Any, error: type[Exception], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        Stream.just(batch(a=[1, 2])).filter_batches(predicate).run()


def test_element_that_is_no_batch_ends_the_stream() -> None:
    with pytest.raises(ArgumentTypeError, match="filter_batches needs elements that are Arrow batches, got 3"):
        Stream.just(3).filter_batches(pc.field("a") > 1).run()


@pytest.mark.parametrize("predicate", ["a > 1", None, pa.array([True])])
def test_what_is_no_condition_is_refused_when_the_stream_is_built(predicate: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"needs an expression of .* or a function, got "):
        pipeline().filter_batches(predicate)


def test_description_shows_the_condition() -> None:
    assert repr(pipeline().filter_batches(pc.field("a") > 1)) == "pipeline().filter_batches((a > 1))"
    assert repr(pipeline().filter_batches(bool)) == "pipeline().filter_batches(bool)"
