"""concat_with: one stream after the other."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start
from tests.contracts.state_contract import StateContract


class TestConcatWith(OperatorContract, StateContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().concat_with([20, 21])

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [20, 21]

    def test_input_that_is_empty_needs_no_demand(self) -> None:
        """What follows an empty input is served on demand."""
        subscriber = RecordingSubscriber()
        self.subscribed([], subscriber)
        assert subscriber.outcome == ([], "open")
        self.request(subscriber, UNBOUNDED)
        assert subscriber.outcome == (self.left_over([]), "complete")


class TestConcatWithOfConcatWith(TestConcatWith):
    # In virtual time four sources need more ticks than lie between two elements of a hot input.
    test_run_over_hot_ticks_resumes_at_every_tick = None  # type: ignore[assignment]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().concat_with(Stream.just(20).concat_with([]), ()).concat_with([21])

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [20, 21]


def test_demand_is_carried_over_exactly() -> None:
    first, second, subscriber = ManualPublisher(), ManualPublisher(), RecordingSubscriber()
    Stream.from_publisher(first).concat_with(second).subscribe(subscriber)
    subscriber.request(5)
    first.send(1, 2)
    assert (first.requests, second.requests) == ([5], [])
    first.complete()
    assert second.requests == [3]
    second.send(3, 4, 5)
    assert second.requests == [3]
    subscriber.request(1)
    assert second.requests == [3, 1]
    second.complete()
    assert subscriber.outcome == ([1, 2, 3, 4, 5], "complete")


@pytest.mark.parametrize("position", range(4))
def test_error_of_an_input_ends_the_stream(position: int) -> None:
    unused = CountedIterable([9])
    failing = CountedIterable([5, 6, 7][:position], fails_with=OSError("disk full"))
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1).concat_with(failing, unused).subscribe(subscriber)
    assert subscriber.outcome == ([1, *[5, 6, 7][:position]], "OSError('disk full')")
    assert unused.taken == 0


@pytest.mark.parametrize("position", range(3))
def test_cancel_reaches_the_active_input_alone(position: int) -> None:
    publishers, subscriber = [ManualPublisher() for _ in range(3)], RecordingSubscriber(first_request=3)
    Stream.from_publisher(publishers[0]).concat_with(*publishers[1:]).subscribe(subscriber)
    for publisher in publishers[:position]:
        publisher.complete()
    subscriber.cancel()
    assert [publisher.cancels for publisher in publishers[: position + 1]] == [0] * position + [1]
    assert [publisher.requests for publisher in publishers[position + 1 :]] == [[]] * (2 - position)


@pytest.mark.parametrize("passed", range(7))
def test_state_is_loaded_in_each_input(passed: int) -> None:
    stream = Stream.range(2).concat_with([10, 11], Stream.range(2))
    expected = [0, 1, 10, 11, 0, 1]
    before, after = RecordingSubscriber(), RecordingSubscriber()
    handle = stream.bind(before)
    handle.initialize()
    if passed:
        before.request(passed)
    state = save(handle)
    start(stream.bind(after), state)
    if after.subscription is not None:
        after.request(UNBOUNDED)
    assert before.elements + after.elements == expected


def test_many_empty_sources_do_not_nest() -> None:
    assert Stream.empty().concat_with(*[()] * 10_000, [1]).to_list() == [1]


def test_no_source_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"concat_with\(\) needs at least one source"):
        Stream.just(1).concat_with()


@pytest.mark.parametrize("source", [3, None, pipeline()])
def test_what_is_no_source_is_refused_when_the_stream_is_built(source: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"concat_with\(source 2\) needs a stream"):
        Stream.just(1).concat_with([1], source)


@pytest.mark.parametrize("passed", range(5))
def test_state_of_a_cancelled_stream_is_loaded_as_such(passed: int) -> None:
    stream = Stream.range(2).concat_with([10, 11], [12])
    before, after = RecordingSubscriber(), RecordingSubscriber()
    handle = stream.bind(before)
    handle.initialize()
    if passed:
        before.request(passed)
    before.cancel()
    loaded = stream.bind(after)
    start(loaded, save(handle))
    assert loaded.is_disposed
    assert after.elements == []
