"""on_error_map: another error."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract
from tests.operators.recovering.test_on_error_resume import Failing


class TestOnErrorMap(OperatorContract, StateContract):
    """An error that the function leaves as it is."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().on_error_map(lambda error: error)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


@pytest.mark.parametrize("position", range(3))
def test_error_of_the_function_is_signalled_with_the_cause(position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(Failing(*[5, 6][:position])).on_error_map(lambda _: ValueError("y")).subscribe(subscriber)
    assert subscriber.outcome == ([5, 6][:position], "ValueError('y')")
    assert isinstance(subscriber.error, ValueError)
    assert repr(subscriber.error.__cause__) == "OSError('disk full')"


def test_exception_of_the_function_takes_the_place_of_the_error() -> None:
    subscriber = RecordingSubscriber()
    Stream.error(OSError("x")).on_error_map(lambda _: OSError(int("x"))).subscribe(subscriber)
    assert isinstance(subscriber.error, ValueError)


def test_what_is_no_exception_fails_the_stream() -> None:
    subscriber = RecordingSubscriber()
    Stream.error(OSError("x")).on_error_map(lambda _: 3).subscribe(subscriber)  # type: ignore[arg-type, return-value]
    assert isinstance(subscriber.error, ArgumentTypeError)
    assert "returns an exception, got 3 (int)" in str(subscriber.error)


def test_what_is_no_function_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"on_error_map\(function\) needs a callable"):
        Stream.just(1).on_error_map(ValueError("y"))  # type: ignore[arg-type]
