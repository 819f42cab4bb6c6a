"""start_with: values and the elements of a stream."""

from typing import Any

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import ArgumentError
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start


def test_values_come_first() -> None:
    assert Stream.range(3).start_with(8, 9).start_with(7).to_list() == [7, 8, 9, 0, 1, 2]
    assert Stream.range(1).through(pipeline().start_with(5)).to_list() == [5, 0]


def test_none_is_an_ordinary_value() -> None:
    assert Stream.just(1).start_with("hello", None).to_list() == ["hello", None, 1]


def test_upstream_is_requested_what_is_left() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=1)
    Stream.from_publisher(publisher).start_with(8, 9).subscribe(subscriber)
    assert (subscriber.elements, publisher.requests) == ([8], [])
    subscriber.request(4)
    assert (subscriber.elements, publisher.requests) == ([8, 9], [3])
    publisher.send(1)
    publisher.complete()
    assert subscriber.outcome == ([8, 9, 1], "complete")


@pytest.mark.parametrize(
    ("source", "end"), [(Stream.empty(), "complete"), (Stream.error(OSError("x")), "OSError('x')")]
)
@pytest.mark.parametrize("passed", range(3))
def test_end_of_the_upstream_waits_for_the_values(source: Stream[Any], end: str, passed: int) -> None:
    stream = source.start_with(8, 9)
    before, after = RecordingSubscriber(), RecordingSubscriber()
    handle = stream.bind(before)
    handle.initialize()
    if passed:
        before.request(passed)
    assert before.outcome == ([8, 9][:passed], end if passed == 2 else "open")
    start(stream.bind(after), save(handle))
    if passed < 2:
        after.request(UNBOUNDED)
        assert after.outcome == ([8, 9][passed:], end)


@pytest.mark.parametrize("passed", range(6))
def test_state_is_loaded_in_each_input(passed: int) -> None:
    stream = Stream.range(3).start_with(8, 9)
    before, after = RecordingSubscriber(), RecordingSubscriber()
    handle = stream.bind(before)
    handle.initialize()
    if passed:
        before.request(passed)
    start(stream.bind(after), save(handle))
    if after.subscription is not None:
        after.request(UNBOUNDED)
    assert before.elements + after.elements == [8, 9, 0, 1, 2]


@pytest.mark.parametrize("passed", range(3))
def test_cancel_reaches_the_upstream(passed: int) -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=3)
    Stream.from_publisher(publisher).start_with(8).subscribe(subscriber)
    publisher.send(*range(passed))
    subscriber.cancel()
    assert (subscriber.outcome, publisher.cancels) == (([8, *range(passed)], "open"), 1)


def test_no_value_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"start_with\(\) needs at least one value"):
        Stream.just(1).start_with()
