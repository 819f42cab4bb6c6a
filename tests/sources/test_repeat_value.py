"""repeat_value: one value, a number of times or without end."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start


@pytest.mark.parametrize("times", [0, 1, 2, 1023, 1024, 1025])
def test_value_comes_as_often_as_stated(times: int) -> None:
    assert Stream.repeat_value("x", times).to_list() == ["x"] * times


def test_without_times_it_has_no_end() -> None:
    assert Stream.repeat_value("x").take(3000).count() == 3000


def test_it_is_the_same_object_each_time() -> None:
    value: list[int] = []
    assert all(each is value for each in Stream.repeat_value(value, 3))


def test_no_times_complete_without_demand() -> None:
    subscriber = RecordingSubscriber()
    Stream.repeat_value("x", 0).subscribe(subscriber)
    assert subscriber.outcome == ([], "complete")


def test_end_comes_with_the_last_one() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.repeat_value("x", 2).subscribe(subscriber)
    assert subscriber.outcome == (["x"], "open")
    subscriber.request(1)
    assert subscriber.outcome == (["x", "x"], "complete")


@pytest.mark.parametrize("position", range(1, 4))
def test_cancel_at_any_position_leaves_silence(position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=position)
    Stream.repeat_value("x", 4).subscribe(subscriber)
    assert subscriber.outcome == (["x"] * position, "open")


@pytest.mark.parametrize("position", range(5))
def test_recovered_stream_goes_on_exactly(position: int) -> None:
    before, after = RecordingSubscriber(first_request=position), RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.repeat_value("x", 5)
    handle = stream.bind(before)
    handle.initialize()
    start(stream.bind(after), save(handle))
    assert len(before.elements + after.elements) == 5


def test_state_of_a_longer_one_is_refused() -> None:
    handle = Stream.repeat_value("x", 9).bind(RecordingSubscriber(first_request=1))
    handle.initialize()
    with pytest.raises(StateError):
        start(Stream.repeat_value("x", 3).bind(RecordingSubscriber()), save(handle))


@pytest.mark.parametrize("times", [-1, 2**63])
def test_times_out_of_bounds_are_refused(times: int) -> None:
    with pytest.raises(ArgumentError, match=rf"repeat_value\(times\) needs a count from 0 to .*, got {times}"):
        Stream.repeat_value("x", times)


@pytest.mark.parametrize("times", [1.0, "3", True])
def test_times_that_are_no_integer_are_refused(times: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"repeat_value\(times\) needs an integer, got "):
        Stream.repeat_value("x", times)


def test_call_is_shown_as_it_was_written() -> None:
    assert repr(Stream.repeat_value("x")) == "Stream.repeat_value('x')"
    assert repr(Stream.repeat_value("x", 3)) == "Stream.repeat_value('x', 3)"
