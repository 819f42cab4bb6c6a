"""An `on_error` that carries no exception: what it carries arrives, in an exception, at every end."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import AsyncBaseSubscriber, BaseProcessor, ImmediateScheduler, Stream
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.subjects import ReplaySubject, SimpleSubject, UnicastSubject
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

PAYLOADS: list[Any] = ["text", 42, ValueError, ("code", 7)]


class Failing(ManualPublisher):
    """Fails when it is asked for elements."""

    def __init__(self, payload: Any) -> None:
        super().__init__()
        self.during_request = [lambda: self.fail(payload)]


async def taken_in_async_for(stream: Stream[Any]) -> None:
    async for _ in stream:
        pass


ENDS: dict[str, Callable[[Stream[Any]], object]] = {
    "to_list": lambda stream: stream.to_list(),
    "for": list,
    "first": lambda stream: stream.first(),
    "run": lambda stream: stream.run(),
    "async for": lambda stream: asyncio.run(taken_in_async_for(stream)),
    "behind operators": lambda stream: stream.map(str).observe_on(ImmediateScheduler()).buffer(2).to_list(),
    "two publishers": lambda stream: Stream.from_publisher(stream).to_list(),
}


def is_about(error: Any, payload: Any) -> bool:
    return (
        type(error) is ArgumentTypeError
        and error.payload is payload
        and error.rule == "2.13"
        and f"§2.13: on_error({payload!r}): an exception is needed, got {type(payload).__name__}" in str(error)
    )


@pytest.mark.parametrize("payload", PAYLOADS, ids=repr)
@pytest.mark.parametrize("end", ENDS)
def test_payload_that_is_no_exception_reaches_the_end_of_the_stream(end: str, payload: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        ENDS[end](Stream.from_publisher(Failing(payload)))
    assert is_about(raised.value, payload)


@pytest.mark.parametrize("kind", [SimpleSubject, lambda: ReplaySubject(2), UnicastSubject])
def test_payload_reaches_the_subscribers_of_a_subject(kind: Any) -> None:
    subject, subscriber = kind(), RecordingSubscriber(first_request=UNBOUNDED)
    subject.subscribe(subscriber)
    subject.create_observer().on_error("text")
    assert is_about(subscriber.error, "text")


def test_payload_reaches_the_hooks_of_authors() -> None:
    errors: list[Any] = []

    class Through(BaseProcessor[Any, Any]):
        def hook_on_error(self, error: Exception) -> None:
            errors.append(error)

    class Last(AsyncBaseSubscriber[Any]):
        def hook_on_error(self, error: Exception) -> None:
            errors.append(error)

    through, publisher = Through(), ManualPublisher()
    publisher.subscribe(through)
    through.subscribe(Last(scheduler=ImmediateScheduler()))
    publisher.fail("text")  # type: ignore[arg-type]
    assert [is_about(error, "text") for error in errors] == [True, True]


def test_exception_arrives_as_it_is() -> None:
    error = KeyError("lost")
    with pytest.raises(KeyError) as raised:
        Stream.from_publisher(Failing(error)).to_list()
    assert raised.value is error
