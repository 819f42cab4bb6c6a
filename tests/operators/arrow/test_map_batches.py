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


@pytest.mark.parametrize("result", [None, 3, {"a": [1]}, pa.table({"a": [1]})])
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
