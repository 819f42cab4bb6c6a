"""Pipeline: operators without a source, joined, cut and run."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators import Filter, KeyedScan, Map, Take
from reactivestreams.stream import Operator

PARTS: Pipeline[int, Any] = (
    pipeline().map(lambda element: element + 1).filter(lambda element: element % 2).key_by(bool).scan(max, 0).take(3)
)


def test_stream_through_a_pipeline_has_its_operators() -> None:
    assert Stream.range(10).through(PARTS).to_list() == [1, 3, 5]


def test_empty_pipeline_changes_nothing() -> None:
    assert Stream.range(3).through(pipeline()).to_list() == [0, 1, 2]
    assert pipeline().operators == ()


def test_pipeline_is_used_by_many_streams() -> None:
    assert [Stream.range(count).through(PARTS).to_list() for count in (1, 3, 5)] == [[1], [1, 3], [1, 3, 5]]


def test_operators_stand_in_the_order_in_which_an_element_meets_them() -> None:
    assert [operator.definition for operator in PARTS.operators] == [Map, Filter, KeyedScan, Take]
    assert PARTS.operators[-1].parameters == (3,)
    assert str(PARTS.operators[-1]) == f"rx://operators/take assembled at {PARTS.assembly}"
    assert all(isinstance(operator, Operator) for operator in PARTS.operators)


@pytest.mark.parametrize("cut", range(5))
def test_slices_joined_again_do_the_same(cut: int) -> None:
    joined = PARTS.slice(0, cut).through(PARTS.slice(cut))
    assert joined.operators == PARTS.operators
    assert Stream.range(10).through(PARTS.slice(0, cut)).through(PARTS.slice(cut)).to_list() == [1, 3, 5]


def test_slice_takes_positions_as_a_tuple_does() -> None:
    for start, stop in [(0, 2), (1, None), (-1, None), (2, 2), (3, 1), (0, 99)]:
        assert PARTS.slice(start, stop).operators == PARTS.operators[start:stop]


def test_joining_leaves_both_parts_as_they_were() -> None:
    first, second = pipeline().map(str), pipeline().take(2)
    assert [operator.definition for operator in first.through(second).operators] == [Map, Take]
    assert (len(first.operators), len(second.operators)) == (1, 1)


def test_operator_is_a_value() -> None:
    with pytest.raises(AttributeError):
        PARTS.operators[0].parameters = ()  # type: ignore[misc]
    assert PARTS.operators[0] == PARTS.slice(0, 1).operators[0]


@pytest.mark.parametrize("value", [None, 5, Stream.range(3), [pipeline()]])
@pytest.mark.parametrize("subject", [Stream.range(3), pipeline()], ids=["stream", "pipeline"])
def test_through_something_else_is_refused_with_a_remedy(subject: Any, value: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        subject.through(value)
    kind = type(subject).__name__
    assert str(raised.value) == (
        f"through(pipeline) needs a Pipeline or a function, got {value!r} ({type(value).__name__}); begin with "
        f"pipeline(), or pass a function from a {kind} to a {kind}"
    )
