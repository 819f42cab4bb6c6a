"""Streams of create whose emitter the test holds."""

from collections.abc import Callable
from typing import Any

from reactivestreams import Stream, StreamEmitter
from tests.contracts.recording_subscriber import RecordingSubscriber


class Pushed:
    """A callback that keeps the emitters it got, so that the test can emit."""

    def __init__(self) -> None:
        self.emitters: list[StreamEmitter[Any]] = []

    def __call__(self, emitter: StreamEmitter[Any]) -> None:
        self.emitters.append(emitter)

    @property
    def emitter(self) -> StreamEmitter[Any]:
        (emitter,) = self.emitters
        return emitter


def subscribed(
    callback: Callable[[StreamEmitter[Any]], object], subscriber: RecordingSubscriber, **options: Any
) -> RecordingSubscriber:
    Stream.create(callback, **{"on_overflow": "error", **options}).subscribe(subscriber)
    return subscriber


def pushed(first_request: int = 0, **options: Any) -> tuple[StreamEmitter[Any], RecordingSubscriber]:
    callback = Pushed()
    subscriber = subscribed(callback, RecordingSubscriber(first_request=first_request), **options)
    return callback.emitter, subscriber
