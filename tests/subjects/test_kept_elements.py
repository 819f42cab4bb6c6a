"""Subjects that keep elements: for the one subscriber to come, or for all who come late."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, SourceUsedTwiceError
from reactivestreams.subjects import BroadcastSubject, ReplaySubject, UnicastSubject, lockstep
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


class Clock:
    """Stands still until it is set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def subscribed(subject: Any, first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    subject.subscribe(subscriber)
    return subscriber


def pushed(subject: Any, *elements: Any) -> Any:
    for element in elements:
        subject.on_next(element)
    return subject


# --- one subscriber -------------------------------------------------------------------------------------------------


def test_unicast_keeps_what_comes_before_its_subscriber() -> None:
    subject = pushed(UnicastSubject(), 1, 2)
    subscriber = subscribed(subject, first_request=1)
    pushed(subject, 3)
    assert subscriber.elements == [1]
    subscriber.request(2)
    subject.on_complete()
    assert subscriber.outcome == ([1, 2, 3], "complete")


@pytest.mark.parametrize("is_over", [False, True])
def test_unicast_refuses_a_second_subscriber(is_over: bool) -> None:
    subject: UnicastSubject[int] = UnicastSubject()
    first = subscribed(subject)
    if is_over:
        first.cancel()
    second = subscribed(subject)
    assert isinstance(second.error, SourceUsedTwiceError)
    assert str(second.error).startswith("§1.11: UnicastSubject has a subscriber, or had one, and serves only one")
    assert second.faults == []
    assert first.error is None


def test_unicast_ends_where_too_much_waits_for_its_subscriber() -> None:
    subject = pushed(UnicastSubject(capacity=2), 1, 2, 3)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    assert publisher.cancels == 1
    subscriber = subscribed(subject)
    assert subscriber.elements == [1, 2]
    assert isinstance(subscriber.error, CapacityError)
    assert str(subscriber.error) == (
        "UnicastSubject got one more element while 2 wait for its subscriber; subscribe first, raise capacity, or "
        "offer() elements and check the result"
    )


def test_unicast_cancels_its_upstream_when_its_subscriber_leaves() -> None:
    subject: UnicastSubject[int] = UnicastSubject(capacity=4)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    assert publisher.requests == []
    subscriber = subscribed(subject, first_request=0)
    assert publisher.requests == [4]
    subscriber.cancel()
    assert publisher.cancels == 1


def test_broadcast_keeps_its_upstream_when_everybody_has_left() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    subscribed(subject).cancel()
    assert publisher.cancels == 0
    again = subscribed(subject)
    publisher.send(1)
    assert again.outcome == ([1], "open")


# --- those who come late --------------------------------------------------------------------------------------------


def test_broadcast_tells_its_end_to_who_comes_late() -> None:
    error = RuntimeError("broken")
    completed, failed = BroadcastSubject[int](), BroadcastSubject[int]()
    completed.on_complete()
    failed.on_error(error)
    with recorded_drops() as drops:  # the first end counts
        completed.on_error(error)
        completed.on_next(1)
        completed.on_complete()
    assert drops == [("on_error", error, "BroadcastSubject"), ("on_next", 1, "BroadcastSubject")]
    assert subscribed(completed).outcome == ([], "complete")
    assert subscribed(failed).outcome == ([], repr(error))


def test_replay_gives_the_last_elements_then_what_comes() -> None:
    subject = pushed(ReplaySubject(2), 1, 2, 3)
    first = subscribed(subject)
    pushed(subject, 4)
    second = subscribed(subject, first_request=1)
    pushed(subject, 5)
    assert (first.elements, second.elements) == ([2, 3, 4, 5], [3])
    second.request(9)
    assert second.outcome == ([3, 4, 5], "open")


def test_replay_tells_the_end_after_the_last_elements() -> None:
    subject = pushed(ReplaySubject(2), 1, 2, 3)
    subject.on_complete()
    late = subscribed(subject, first_request=1)
    assert late.outcome == ([2], "open")
    late.request(1)
    assert late.outcome == ([2, 3], "complete")


def test_replay_forgets_what_is_too_old() -> None:
    clock: Any = Clock()
    subject: ReplaySubject[int] = ReplaySubject(9, max_age=timedelta(seconds=10), scheduler=clock)
    pushed(subject, 1)
    clock.advance(6)
    pushed(subject, 2)
    clock.advance(4)
    assert subscribed(subject).elements == [1, 2]  # just as old as it may be
    clock.advance(1)
    assert subscribed(subject).elements == [2]
    clock.advance(100)
    assert subscribed(subject).elements == []


def test_replay_in_lockstep_lets_late_ones_set_the_pace() -> None:
    subject: ReplaySubject[int] = ReplaySubject(3, policy=lockstep())
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    early = subscribed(subject, first_request=3)
    publisher.send(1, 2, 3)
    early.request(5)
    assert publisher.requested == 8
    publisher.send(4, 5, 6, 7, 8)
    late = subscribed(subject, first_request=2)
    early.request(5)
    assert (publisher.requested, late.elements) == (8, [6, 7])
    late.request(4)
    assert (publisher.requested, late.elements) == (11, [6, 7, 8])


def test_replay_subject_as_a_stream() -> None:
    subject: ReplaySubject[int] = ReplaySubject(3)
    subscriber = subscribed(subject)
    Stream.range(7).subscribe(subject)
    assert subscriber.outcome == ([0, 1, 2, 3, 4, 5, 6], "complete")
    assert Stream.from_publisher(subject).to_list() == [4, 5, 6]


def test_bad_bounds_of_a_replay_are_refused() -> None:
    with pytest.raises(ArgumentError, match="count"):
        ReplaySubject(0)
    with pytest.raises(ArgumentTypeError, match=r"ReplaySubject\(max_age\) needs a timedelta, got 3"):
        ReplaySubject(1, max_age=3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"needs an age above 0, got 0:00:00; pass None for any age"):
        ReplaySubject(1, max_age=timedelta())
