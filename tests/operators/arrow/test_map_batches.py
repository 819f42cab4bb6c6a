"""map_batches: one batch out for each batch in."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.arrow_batches import numbered_batches
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.state_contract import SerializableContract, StateContract

pa = pytest.importorskip("pyarrow")


class TestMapBatches(OperatorContract, StateContract, SerializableContract):
    elements = numbered_batches()

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map_batches(lambda batch: batch.slice(1).select(["number"]))

    def passed_on(self, elements: list[Any]) -> list[Any]:
        schema = pa.schema([("number", pa.int64())])
        return [
            pa.RecordBatch.from_pylist([{"number": row["number"]} for row in batch.to_pylist()[1:]], schema=schema)
            for batch in elements
        ]


def batch(**columns: list[Any]) -> Any:
    return pa.RecordBatch.from_pydict(columns)


def test_error_of_the_function_names_operator_and_line() -> None:
    stream = Stream.just(batch(a=[1])).map_batches(lambda batch: batch.select(["b"]))
    with pytest.raises(KeyError) as raised:
        stream.run()
    (note,) = raised.value.__notes__
    assert note.startswith(f"in rx://operators/map_batches, assembled at {stream.assembly}, for element pyarrow")


def test_table_becomes_one_batch() -> None:
    chunks = pa.Table.from_batches([batch(a=[1], b=["x"]), batch(a=[2], b=["y"])])
    assert Stream.just(batch(a=[0])).map_batches(lambda batch: chunks).to_list() == [batch(a=[1, 2], b=["x", "y"])]
    (none,) = Stream.just(batch(a=[0])).map_batches(lambda batch: chunks.slice(2)).to_list()
    assert (none.num_rows, none.schema) == (0, chunks.schema)


def test_rows_of_a_batch_are_grouped() -> None:
    def sums(rows: Any) -> Any:
        return pa.Table.from_batches([rows]).group_by("key").aggregate([("number", "sum")])

    rows = batch(key=["a", "b", "a"], number=[1, 2, 3])
    (summed,) = Stream.just(rows).map_batches(sums).to_list()
    assert dict(zip(summed["key"].to_pylist(), summed["number_sum"].to_pylist(), strict=True)) == {"a": 4, "b": 2}


def test_dataframe_of_polars_becomes_a_batch() -> None:
    polars = pytest.importorskip("polars")
    names = polars.DataFrame({"key": ["a", "b"], "name": ["Ann", "Bob"]})

    def named(rows: Any) -> Any:
        return polars.from_arrow(rows).join(names, on="key").group_by("name").agg(polars.col("number").sum())

    rows = batch(key=["a", "b", "a"], number=[1, 2, 3])
    (summed,) = Stream.just(rows).map_batches(named).to_list()
    assert dict(zip(summed["name"].to_pylist(), summed["number"].to_pylist(), strict=True)) == {"Ann": 4, "Bob": 2}


@pytest.mark.parametrize("result", [None, 3, {"a": [1]}, [batch(a=[1])]])
def test_result_that_is_no_batch_ends_the_stream(result: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="needs a function that returns an Arrow batch, got "):
        Stream.just(batch(a=[1])).map_batches(lambda batch: result).run()


def test_element_that_is_no_batch_ends_the_stream() -> None:
    with pytest.raises(ArgumentTypeError, match="map_batches needs elements that are Arrow batches, got 3"):
        Stream.just(3).map_batches(lambda batch: batch).run()


def test_function_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"map_batches\(function\) needs a callable, got 3 \(int\)"):
        pipeline().map_batches(3)  # type: ignore[arg-type]


def test_description_shows_the_function() -> None:
    assert repr(pipeline().map_batches(len)) == "pipeline().map_batches(len)"  # type: ignore[arg-type]
