"""limit_rate: elements are requested in portions of a fixed size."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


class TestLimitRate(OperatorContract, StateContract):
    reads_ahead = 4

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().limit_rate(4, 2)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


@pytest.mark.parametrize(
    ("high", "low", "demand", "expected"),
    [
        (4, 2, UNBOUNDED, [4, 2, 2, 2, 2, 2]),
        (4, None, UNBOUNDED, [4, 3, 3, 3]),
        (4, 4, UNBOUNDED, [4, 4, 4]),
        (4, 1, 3, [4, 1, 1, 1]),
        (100, 50, 3, [100]),
    ],
)
def test_portions_do_not_depend_on_demand(high: int, low: int | None, demand: int, expected: list[int]) -> None:
    requested: list[int] = []
    subscriber = RecordingSubscriber(first_request=demand)
    Stream.range(11).concat_with(Stream.never()).do(on_request=requested.append).limit_rate(high, low).subscribe(
        subscriber
    )
    assert requested == expected
    assert subscriber.elements == list(range(min(11, demand)))


def test_wrong_portions_are_refused_when_the_stream_is_built() -> None:
    for high, low in ((0, None), (2**25, None), (4, 0), (4, 5)):
        with pytest.raises(ArgumentError, match="limit_rate"):
            Stream.range(3).limit_rate(high, low)
    with pytest.raises(ArgumentTypeError, match="limit_rate"):
        Stream.range(3).limit_rate("4")  # type: ignore[arg-type]


def test_call_is_written_as_it_was_made() -> None:
    assert repr(pipeline().limit_rate(4).limit_rate(4, 2)) == "pipeline().limit_rate(4).limit_rate(4, 2)"
