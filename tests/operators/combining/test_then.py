"""then: another stream behind the completion of one."""

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


class TestThen(OperatorContract, StateContract):
    reads_ahead = 128  # its elements are read whatever the demand is
    # Upstream may send as many as it likes: each that is taken makes room for another.
    test_publisher_that_sends_without_demand_is_cancelled = None  # type: ignore[assignment]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().then([20, 21])

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [20, 21]

    def test_input_that_is_empty_needs_no_demand(self) -> None:
        """What follows an empty input is served on demand."""
        subscriber = RecordingSubscriber()
        self.subscribed([], subscriber)
        assert subscriber.outcome == ([], "open")
        self.request(subscriber, UNBOUNDED)
        assert subscriber.outcome == ([20, 21], "complete")


def test_ignored_elements_need_no_demand_and_the_others_do() -> None:
    first, second, subscriber = ManualPublisher(), ManualPublisher(), RecordingSubscriber()
    Stream.from_publisher(first).then(second).subscribe(subscriber)
    assert (first.requests, second.requests) == ([128], [])
    first.send(*range(100))
    assert first.requested == 228 - 4  # those that were taken when 75 % were are requested again
    subscriber.request(2)
    first.complete()
    assert second.requests == [2]
    second.send("a")
    second.complete()
    assert subscriber.outcome == (["a"], "complete")


@pytest.mark.parametrize("position", range(3))
def test_error_leaves_the_source_unused(position: int) -> None:
    unused, subscriber = CountedIterable([9]), RecordingSubscriber(first_request=UNBOUNDED)
    failing = CountedIterable([5, 6][:position], fails_with=OSError("disk full"))
    Stream.from_iterable(failing).then(unused).subscribe(subscriber)
    assert subscriber.outcome == ([], "OSError('disk full')")
    assert unused.taken == 0


def test_cancel_reaches_the_input_that_runs() -> None:
    first, second, subscriber = ManualPublisher(), ManualPublisher(), RecordingSubscriber(first_request=1)
    Stream.from_publisher(first).then(second).subscribe(subscriber)
    subscriber.cancel()
    assert (first.cancels, second.requests) == (1, [])


def test_state_is_loaded_at_each_element_of_the_source() -> None:
    resumes_everywhere(Stream.range(300).then([1, 2, 3]), [1, 2, 3])


def test_many_behind_each_other_do_not_nest() -> None:
    stream: Stream[Any] = Stream.just(0)
    for number in range(1_000):
        stream = stream.then([number])
    assert stream.to_list() == [999]


@pytest.mark.parametrize("source", [3, None, len])
def test_what_is_no_source_is_refused_when_the_stream_is_built(source: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"then\(source\) needs a stream"):
        Stream.just(1).then(source)
