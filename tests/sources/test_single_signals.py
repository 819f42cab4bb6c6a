"""just, empty, error and never: the smallest sources."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

SMALLEST: list[Stream[Any]] = [Stream.just(1), Stream.empty(), Stream.error(ValueError("why")), Stream.never()]


def subscribed(stream: Stream[Any], first_request: int = 0) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    stream.subscribe(subscriber)
    return subscriber


def test_just_sends_its_arguments_for_demand() -> None:
    subscriber = subscribed(Stream.just(1, [2], "three"), first_request=2)
    assert subscriber.outcome == ([1, [2]], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([1, [2], "three"], "complete")


def test_just_without_arguments_is_empty() -> None:
    assert subscribed(Stream.just()).outcome == ([], "complete")


def test_just_does_not_read_an_iterable() -> None:
    assert Stream.just("ab").to_list() == ["ab"]
    assert Stream.just(range(2)).to_list() == [range(2)]


@pytest.mark.parametrize("first_request", [0, 1, UNBOUNDED])
def test_empty_completes_with_or_without_demand(first_request: int) -> None:
    assert subscribed(Stream.empty(), first_request).outcome == ([], "complete")


@pytest.mark.parametrize("first_request", [0, 1, UNBOUNDED])
def test_error_fails_with_or_without_demand(first_request: int) -> None:
    error = ValueError("why")
    subscriber = subscribed(Stream.error(error), first_request)
    assert subscriber.error is error
    assert subscriber.outcome == ([], "ValueError('why')")


@pytest.mark.parametrize("first_request", [0, 1, UNBOUNDED])
def test_never_stays_silent(first_request: int) -> None:
    subscriber = subscribed(Stream.never(), first_request)
    subscriber.request(5)
    assert subscriber.outcome == ([], "open")
    subscriber.cancel()
    subscriber.request(5)
    assert subscriber.outcome == ([], "open")


@pytest.mark.parametrize("stream", SMALLEST, ids=repr)
def test_cancel_inside_on_subscribe_leaves_silence(stream: Stream[Any]) -> None:
    subscriber = RecordingSubscriber(cancel_after=0)
    stream.subscribe(subscriber)
    assert subscriber.outcome == ([], "open")


@pytest.mark.parametrize("stream", SMALLEST, ids=repr)
def test_each_subscriber_is_served_alike(stream: Stream[Any]) -> None:
    assert subscribed(stream, UNBOUNDED).outcome == subscribed(stream, UNBOUNDED).outcome


@pytest.mark.parametrize("value", ["why", None, ValueError, KeyboardInterrupt()])
def test_what_is_no_exception_is_refused_when_the_stream_is_built(value: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"error\(error\) needs an exception instance, got .*; pass e\.g\. ValueError"
    ):
        Stream.error(value)
