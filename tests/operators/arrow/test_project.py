"""project: some columns of each batch, and computed ones."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.arrow_batches import numbered_batches
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.state_contract import SerializableContract, StateContract

pa = pytest.importorskip("pyarrow")
pc = pytest.importorskip("pyarrow.compute")


class TestProject(OperatorContract, StateContract, SerializableContract):
    elements = numbered_batches()

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().project("text", twice=pc.field("number") * 2)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        schema = pa.schema([("text", pa.string()), ("twice", pa.int64())])
        return [
            pa.RecordBatch.from_pylist(
                [{"text": row["text"], "twice": row["number"] * 2} for row in batch.to_pylist()], schema=schema
            )
            for batch in elements
        ]


def batch(**columns: list[Any]) -> Any:
    return pa.RecordBatch.from_pydict(columns)


def test_names_alone_choose_and_order_columns() -> None:
    assert Stream.just(batch(a=[1], b=[2], c=[3])).project("c", "a").first().schema.names == ["c", "a"]


def test_expression_over_more_rows_than_arrow_computes_at_a_time_gives_one_batch() -> None:
    many = batch(a=list(range(100_000)))
    assert Stream.just(many).project(b=pc.field("a") + 1).first() == batch(b=list(range(1, 100_001)))


def test_scalar_fills_a_column() -> None:
    assert Stream.just(batch(a=[1, 2])).project("a", b=pc.scalar("x")).first() == batch(a=[1, 2], b=["x", "x"])


def test_column_may_have_the_name_of_a_parameter() -> None:
    assert Stream.just(batch(self=[1])).project(self=pc.field("self") + 1).first() == batch(self=[2])


def test_unknown_column_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ArgumentError, match=r"project names the column 'z', but the batch has a, b"):
        Stream.just(batch(a=[1], b=[1])).project("z").run()
    with pytest.raises(ArgumentError, match=r"project names the column 'z', but the batch has a, b; name one of"):
        Stream.just(batch(a=[1], b=[1])).project(c=pc.field("z")).run()


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        (pc.field("a (b)"), r"'a \(b\)'"),
        (pc.field(9), r"FieldPath\(9\)"),
        (pc.field("a", "b"), r"Nested\(FieldRef.Name\(a\) FieldRef.Name\(b\)\)"),
    ],
)
def test_column_is_told_as_it_was_named(expression: Any, shown: str) -> None:
    with pytest.raises(ArgumentError, match=f"project names the column {shown}, but the batch has a; name one of"):
        Stream.just(batch(a=[1])).project(b=expression).run()


def test_column_that_is_there_twice_is_refused() -> None:
    twice = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    with pytest.raises(ArgumentError, match="project names the column 'a', but the batch has two of that name"):
        Stream.just(twice).project("a").run()
    with pytest.raises(ArgumentError, match="project names the column 'a', but the batch has two of that name; rename"):
        Stream.just(twice).project(b=pc.field("a") + 1).run()


def test_value_that_cannot_be_computed_is_arrow_s_own_error() -> None:
    with pytest.raises(pa.ArrowInvalid, match="divide by zero"):
        Stream.just(batch(a=[1])).project(b=pc.field("a") / 0).run()


def test_element_that_is_no_batch_ends_the_stream_with_operator_and_line() -> None:
    stream = Stream.just({"a": 1}).project("a")
    with pytest.raises(ArgumentTypeError, match=r"project needs elements that are Arrow batches, got \{'a': 1\}") as no:
        stream.run()
    assert no.value.__notes__ == [f"in rx://operators/project, assembled at {stream.assembly}, for element {{'a': 1}}"]


def test_type_that_does_not_fit_is_arrow_s_own_error() -> None:
    with pytest.raises(pa.ArrowNotImplementedError, match="no kernel matching"):
        Stream.just(batch(a=["x"])).project(b=pc.field("a") * 2).run()


@pytest.mark.parametrize(
    ("names", "computed", "error", "complaint"),
    [
        ((), {}, ArgumentError, "at least one column"),
        ((3,), {}, ArgumentTypeError, r"needs names of columns, got 3 \(int\)"),
        (("a", "a"), {}, ArgumentError, "names the column 'a' twice"),
        (("a",), {"a": pc.field("b")}, ArgumentError, "names the column 'a' twice; keep it or compute it"),
        ((), {"b": "a"}, ArgumentTypeError, r"project\(b\) needs an expression of pyarrow.compute, got 'a' \(str\)"),
        ((), {"b": lambda rows: rows}, ArgumentTypeError, r"project\(b\) needs an expression of pyarrow.compute"),
        ((pc.field("a"),), {}, ArgumentTypeError, "with the name of their column, as in new=expression"),
    ],
)
def test_bad_column_is_refused_when_the_stream_is_built(
    names: Any, computed: Any, error: type[Exception], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        pipeline().project(*names, **computed)


def test_description_shows_the_columns() -> None:
    assert repr(pipeline().project("a", b=pc.field("c") + 1)) == "pipeline().project('a', b=add_checked(c, 1))"
