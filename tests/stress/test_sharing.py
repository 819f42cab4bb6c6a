"""A shared stream whose last subscriber leaves while others come: how often it is connected, and who misses what."""

import threading
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.testing import TestScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.together import many_switches, run_together

ROUNDS = 100_000
THREADS = 4
LASTING_ROUNDS = 2_000
GRACE_ROUNDS = 100

pytestmark = pytest.mark.slow


class Counting:
    """A publisher that counts its subscriptions and how many are open, and sends one element to each."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.subscribed = self.cancelled = self.most_open = 0

    def subscribe(self, subscriber: Any) -> None:
        with self.lock:
            self.subscribed += 1
            self.most_open = max(self.most_open, self.subscribed - self.cancelled)
        subscriber.on_subscribe(_Counted(self))


class _Counted:
    def __init__(self, publisher: Counting) -> None:
        self.publisher = publisher
        self.is_cancelled = False

    def request(self, n: int) -> None:
        """Send nothing: it is about who is connected."""

    def cancel(self) -> None:
        with self.publisher.lock:
            assert not self.is_cancelled, "a connection was cancelled twice"
            self.is_cancelled = True
            self.publisher.cancelled += 1


def test_subscribers_that_come_while_the_last_leaves_get_one_connection_each_time() -> None:
    publisher = Counting()
    shared = Stream.from_publisher(publisher).share()  # type: ignore[arg-type]
    failed: list[RecordingSubscriber] = []

    def come_and_go() -> None:
        for _ in range(ROUNDS // THREADS):
            subscriber = RecordingSubscriber(first_request=1)
            shared.subscribe(subscriber)
            subscriber.cancel()
            if subscriber.has_ended or subscriber.faults:
                failed.append(subscriber)

    with many_switches():
        run_together(*[come_and_go] * THREADS)
    assert [each.outcome for each in failed] == []
    assert publisher.subscribed == publisher.cancelled <= ROUNDS
    # A subscription that replaces another begins before that is cancelled only where its threads overlap.
    assert publisher.most_open <= THREADS + 1
    last = RecordingSubscriber(first_request=1)
    before = publisher.subscribed
    shared.subscribe(last)
    assert publisher.subscribed == before + 1
    last.cancel()
    assert publisher.subscribed == publisher.cancelled


def test_who_comes_beside_the_leaving_last_gets_all_elements_of_its_connection() -> None:
    """Each run sends the same numbers; whoever stays gets an unbroken end of them, and the completion."""
    shared = Stream.range(20).share()
    wrong: list[tuple[list[int], str]] = []

    def stay_or_leave(leaves: bool) -> None:
        for round_ in range(LASTING_ROUNDS):
            subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=1 + round_ % 7 if leaves else None)
            shared.subscribe(subscriber)
            if leaves:
                continue
            assert subscriber.ended.wait(60)
            elements, end = subscriber.outcome
            if end != "complete" or elements != list(range(20))[20 - len(elements) :]:
                wrong.append((elements, end))

    with many_switches():
        run_together(*(lambda leaves=leaves: stay_or_leave(leaves) for leaves in (False, True, False, True)))
    assert wrong == []


def test_subscribers_that_come_within_the_grace_keep_the_only_connection() -> None:
    publisher = Counting()
    scheduler = TestScheduler()
    context = scheduler.create_context()
    shared = Stream.from_publisher(publisher).publish().ref_count(grace=0.001)  # type: ignore[arg-type]

    def come_and_go() -> None:
        for _ in range(GRACE_ROUNDS):
            handle: Any = shared.bind(RecordingSubscriber(first_request=1))
            handle.initialize(context)
            handle.cancel()

    with many_switches():
        run_together(*[come_and_go] * THREADS)
    assert (publisher.subscribed, publisher.cancelled) == (1, 0)
    scheduler.clock.start()
    assert (publisher.subscribed, publisher.cancelled) == (1, 1)
