"""switch_if_empty: another stream where there is no element."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract
from tests.operators.recovering.contracts import resumes_everywhere


class TestSwitchIfEmpty(OperatorContract, StateContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().switch_if_empty([20, 21])

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [] if elements else [20, 21]

    def test_input_that_is_empty_needs_no_demand(self) -> None:
        """What follows an empty input is served on demand."""
        subscriber = RecordingSubscriber()
        self.subscribed([], subscriber)
        assert subscriber.outcome == ([], "open")
        self.request(subscriber, UNBOUNDED)
        assert subscriber.outcome == ([20, 21], "complete")


def test_demand_is_carried_over_exactly() -> None:
    first, second, subscriber = ManualPublisher(), ManualPublisher(), RecordingSubscriber(first_request=2)
    Stream.from_publisher(first).switch_if_empty(second).subscribe(subscriber)
    first.complete()
    assert (first.requests, second.requests) == ([2], [2])
    subscriber.cancel()
    assert (first.cancels, second.cancels) == (0, 1)


@pytest.mark.parametrize("position", range(3))
def test_error_is_passed_on_and_the_source_unused(position: int) -> None:
    unused, subscriber = CountedIterable([9]), RecordingSubscriber(first_request=UNBOUNDED)
    failing = CountedIterable([5, 6][:position], fails_with=OSError("disk full"))
    Stream.from_iterable(failing).switch_if_empty(unused).subscribe(subscriber)
    assert subscriber.outcome == ([5, 6][:position], "OSError('disk full')")
    assert unused.taken == 0


def test_state_is_loaded_in_the_source() -> None:
    resumes_everywhere(Stream.empty().switch_if_empty(Stream.empty().switch_if_empty([1, 2, 3])), [1, 2, 3])


def test_what_is_no_source_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"switch_if_empty\(source\) needs a stream"):
        Stream.just(1).switch_if_empty(3)  # type: ignore[arg-type]
