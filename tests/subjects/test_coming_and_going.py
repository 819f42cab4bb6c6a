"""Subscribers and upstreams that come and go beside a delivery."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.state import load_tree, save_tree
from reactivestreams.subjects import (
    BroadcastSubject,
    ReplaySubject,
    UnicastSubject,
    buffer,
    lockstep,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.subjects.calling_subscribers import Calling, in_another_thread, subscribed


def test_cancel_beside_the_start_leaves_nobody_in_the_subject() -> None:
    class Cancelling:
        """A clock that is asked while a source joins."""

        handle: Any = None

        @property
        def now(self) -> datetime:
            handle, self.handle = self.handle, None
            if handle is not None:
                handle.cancel()
            return datetime(2026, 1, 1, tzinfo=UTC)

    clock: Any = Cancelling()
    subject: ReplaySubject[int] = ReplaySubject(
        9, max_age=timedelta(seconds=1), scheduler=clock, policy=lockstep(capacity=4)
    )
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    handle: Any = subject.bind(RecordingSubscriber())
    clock.handle = handle
    handle.initialize()
    assert subject.subscriber_count == 0
    subscribed(subject)
    assert publisher.requests == [4]  # nobody else is waited for


def test_who_comes_and_goes_beside_a_delivery_is_not_counted() -> None:
    joining: BroadcastSubject[int] = BroadcastSubject(policy=lockstep())
    late: Any = joining.bind(RecordingSubscriber())

    def come_and_go() -> None:
        late.initialize()
        late.cancel()

    joining.subscribe(Calling(lambda: in_another_thread(come_and_go)))
    joining.on_next(1)
    assert joining.subscriber_count == 1


def test_loaded_subscription_of_a_unicast_subject_gets_what_came_before_its_start() -> None:
    before: UnicastSubject[int] = UnicastSubject()
    handle: Any = before.bind(RecordingSubscriber())
    handle.initialize()
    before.on_next(1)
    data = save_tree(handle)
    subject: UnicastSubject[int] = UnicastSubject()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    loaded: Any = subject.bind(subscriber)
    load_tree(loaded, data)
    subject.on_next(2)
    loaded.initialize()
    subject.on_next(3)
    assert subscriber.outcome == ([1, 2, 3], "open")


def test_one_who_has_failed_does_not_hold_the_others_up() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep(capacity=2))
    slow = subscribed(subject, first_request=0)
    fast = subscribed(subject)
    for number in range(3):
        subject.on_next(number)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    assert (publisher.requests, subject.subscriber_count) == ([2], 1)
    slow.request(9)
    assert (slow.elements, type(slow.error).__name__) == ([0, 1], "CapacityError")
    assert fast.outcome == ([0, 1, 2], "open")


# --- the upstream ---------------------------------------------------------------------------------------------------


def test_upstream_is_asked_once_after_each_element() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    first = Calling(lambda: first.request(5), first_request=1)
    subject.subscribe(first)
    second = RecordingSubscriber(first_request=1, then_request=9)
    subject.subscribe(second)
    publisher.send(1)
    assert publisher.requests == [1, 9]
    assert (first.outcome, second.outcome) == (([1], "open"), ([1], "open"))


def test_upstream_without_limit_that_sends_inside_of_request_is_delivered_there() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=buffer(2, on_overflow="drop_newest"))
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    subject.subscribe(subscriber)
    with recorded_drops() as drops:
        Stream.range(5000).subscribe(subject)
    assert (subscriber.outcome, drops) == ((list(range(5000)), "complete"), [])


def test_upstream_is_not_asked_before_who_comes_is_open() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=buffer(2, on_overflow="drop_newest"))
    Stream.range(5000).subscribe(subject)
    with recorded_drops() as drops:
        subscriber = subscribed(subject)
    assert (subscriber.elements[:2], len(subscriber.elements) + len(drops)) == ([0, 1], 5000)


def test_second_upstream_is_refused_at_once() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    first, second = ManualPublisher(), ManualPublisher()
    cancels: list[int] = []

    def bring() -> None:
        first.subscribe(subject)
        second.subscribe(subject)
        cancels.append(second.cancels)

    subject.subscribe(Calling(bring))
    subject.on_next(1)
    assert (cancels, first.cancels, first.requested) == ([1], 0, 256)


@contextmanager
def called_at_collection(number: int, function: Callable[[], object]) -> Iterator[list[int]]:
    """Call a function where the garbage collector would run a finalizer for the n-th time: wherever an object is made.

    What it yields holds how many such places there were.
    """
    places = [0]

    def at_start(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            places[0] += 1
            if places[0] == number:
                gc.disable()
                function()

    thresholds = gc.get_threshold()
    gc.callbacks.append(at_start)
    gc.set_threshold(1)
    try:
        yield places
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(at_start)
        gc.enable()


@pytest.mark.parametrize("number", range(1, 25))
def test_who_comes_while_the_full_queue_of_a_unicast_subject_fails_gets_every_element_or_the_error(number: int) -> None:
    subject: UnicastSubject[int] = UnicastSubject(capacity=2)
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    subject.on_next(1)
    subject.on_next(2)
    with recorded_drops() as drops:
        with called_at_collection(number, lambda: subject.subscribe(subscriber)) as places:
            subject.on_next(3)
        subject.on_next(4)
    if places[0] < number:
        subject.subscribe(subscriber)
    if subscriber.error is None:
        assert (subscriber.outcome, drops) == (([1, 2, 3, 4], "open"), [])
    else:
        assert "one more element while 2 wait" in str(subscriber.error)
        assert subscriber.elements == [1, 2]
        assert [(signal, value) for signal, value, _ in drops] == [("on_next", 3), ("on_next", 4)]
