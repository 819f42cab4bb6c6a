"""A subscriber of ours as a case for the compatibility kit."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reactivestreams import Stream
from reactivestreams.tck import SubscriberBlackboxVerification
from tests.tck.streams.publisher_case import Workers

END_SECONDS = 20
"""How long an end that blocks waits for its stream at most: longer than any check takes."""


@dataclass(frozen=True)
class SubscriberCase:
    """What the kit is given for one subscriber.

    Attributes:
        name: Of the case.
        covers: Names of what is under the kit here, as `test_subscribers` enumerates them.
        create: Makes a subscriber.
        create_limited: Makes one that wants so many elements, if there can be one.
        create_failing: Makes one whose own work fails in a signal, if there can be one.
        ignored: Checks that cannot be run on it, each with the reason.
    """

    name: str
    covers: tuple[str, ...]
    create: Callable[[Workers], Any]
    create_limited: Callable[[int, Workers], Any] = lambda elements, workers: None
    create_failing: Callable[[str, Workers], Any] = lambda signal, workers: None
    ignored: Mapping[str, str] = field(default_factory=dict)


class SubscriberCaseVerification(SubscriberBlackboxVerification):
    """Judge the subscribers of a case."""

    def __init__(self, case: SubscriberCase, workers: Workers) -> None:
        self._case = case
        self._workers = workers

    def create_subscriber(self) -> Any:
        return self._case.create(self._workers)

    def create_limited_subscriber(self, elements: int) -> Any:
        return self._case.create_limited(elements, self._workers)

    def create_failing_subscriber(self, signal: str) -> Any:
        return self._case.create_failing(signal, self._workers)

    def create_element(self, element: int) -> int:
        return element

    def ignored_checks(self) -> dict[str, str]:
        return dict(self._case.ignored)


class Inlet:
    """A publisher that hands out its subscriber, the source of a stream, so that the kit can be its publisher."""

    def __init__(self) -> None:
        self._subscribed = threading.Event()
        self._subscriber: Any = None

    def subscribe(self, subscriber: Any, /) -> None:
        self._subscriber = subscriber
        self._subscribed.set()

    @property
    def subscriber(self) -> Any:
        assert self._subscribed.wait(END_SECONDS)
        return self._subscriber


def source_of(consume: Callable[[Stream[int]], object], *, prefetch: int = 4) -> Any:
    """Return the subscriber by which a stream takes the elements of a publisher of other origin.

    Args:
        consume: Subscribes to the stream, at once or in a thread of its own.
        prefetch: How many elements the stream requests ahead.
    """
    inlet = Inlet()
    consume(Stream.from_publisher(inlet, prefetch=prefetch))
    return inlet.subscriber


def source_of_end(end: Callable[[Stream[int]], object]) -> Any:
    """Return the same for an end that blocks; it waits in a thread until its stream is over."""

    def wait(stream: Stream[int]) -> None:
        try:
            end(stream)
        except Exception as error:  # what the stream ended with; the kit sees what goes upstream
            endings.append(error)

    endings: list[Exception] = []
    return source_of(
        lambda stream: threading.Thread(target=wait, args=(stream,), name="waiting end", daemon=True).start()
    )
