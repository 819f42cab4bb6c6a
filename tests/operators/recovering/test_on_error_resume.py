"""on_error_resume: another stream where the stream fails."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract
from tests.operators.recovering.contracts import resumes_everywhere


class TestOnErrorResumeOfWhatDoesNotFail(StateContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().on_error_resume([20])

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class Failing:
    """An iterable that fails behind its elements, each time."""

    def __init__(self, *elements: int) -> None:
        self.elements = elements

    def __iter__(self) -> Any:
        yield from self.elements
        raise OSError("disk full")


@pytest.mark.parametrize("resume", [[8, 9], lambda error: [8, 9]])
@pytest.mark.parametrize("position", range(3))
def test_source_comes_behind_what_was_passed_on(position: int, resume: Any) -> None:
    elements = [5, 6][:position]
    assert Stream.from_iterable(Failing(*elements)).on_error_resume(resume).to_list() == [*elements, 8, 9]


def test_function_gets_the_error() -> None:
    error = OSError("x")
    assert Stream.error(error).on_error_resume(lambda given: [given]).to_list() == [error]


def test_error_of_the_source_is_passed_on() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.error(OSError("x")).on_error_resume(Failing(1)).subscribe(subscriber)
    assert subscriber.outcome == ([1], "OSError('disk full')")


def test_completion_leaves_the_source_unused() -> None:
    unused = CountedIterable([9])
    assert Stream.just(1).on_error_resume(unused).to_list() == [1]
    assert unused.taken == 0


def test_demand_is_carried_over_exactly() -> None:
    first, second, subscriber = ManualPublisher(), ManualPublisher(), RecordingSubscriber(first_request=3)
    Stream.from_publisher(first).on_error_resume(second).subscribe(subscriber)
    first.send(1)
    first.fail(OSError("x"))
    assert (first.requests, second.requests) == ([3], [2])
    subscriber.cancel()
    assert (first.cancels, second.cancels) == (0, 1)


def test_exception_of_the_function_has_the_error_as_its_context() -> None:
    error, subscriber = OSError("x"), RecordingSubscriber(first_request=1)
    Stream.error(error).on_error_resume(lambda _: [int("x")]).subscribe(subscriber)
    assert isinstance(subscriber.error, ValueError)
    assert subscriber.error.__context__ is error


def test_function_that_returns_no_source_fails_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.error(OSError("x")).on_error_resume(lambda _: 3).subscribe(subscriber)  # type: ignore[arg-type, return-value]
    assert isinstance(subscriber.error, ArgumentTypeError)
    assert "the function of on_error_resume(source) needs a stream" in str(subscriber.error)


def test_state_is_loaded_in_each_input() -> None:
    stream = Stream.from_iterable(Failing(1, 2), recovery="skips").on_error_resume(lambda error: [repr(error), 4])
    resumes_everywhere(stream, [1, 2, "OSError('disk full')", 4])


@pytest.mark.parametrize("source", [3, None])
def test_what_is_neither_source_nor_function_is_refused_when_the_stream_is_built(source: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"on_error_resume\(source\) needs a stream"):
        Stream.just(1).on_error_resume(source)
