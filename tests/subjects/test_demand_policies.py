"""Demand: each subscriber has its own, and the policy says what becomes of those that differ."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from reactivestreams.subjects import (
    BroadcastSubject,
    OfferResult,
    SubjectPolicy,
    UnicastSubject,
    buffer,
    drop_slow,
    error_slow,
    lockstep,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


def opened(policy: SubjectPolicy, *requests: int) -> tuple[Any, ManualPublisher, list[RecordingSubscriber]]:
    """Return a subject with an upstream and subscribers that have requested so much."""
    subject: BroadcastSubject[int] = BroadcastSubject(policy=policy)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    subscribers = [RecordingSubscriber(first_request=n) for n in requests]
    for subscriber in subscribers:
        subject.subscribe(subscriber)
    return subject, publisher, subscribers


def elements(subscribers: list[RecordingSubscriber]) -> list[list[Any]]:
    assert [each.faults for each in subscribers] == [[] for _ in subscribers]
    return [each.elements for each in subscribers]


# --- lockstep -------------------------------------------------------------------------------------------------------


def test_lockstep_asks_for_the_least_demand() -> None:
    _, publisher, (first, second) = opened(lockstep(), 0, 0)
    first.request(5)
    assert publisher.requests == []
    second.request(2)
    assert publisher.requests == [2]
    publisher.send(1, 2)
    second.request(1)
    assert publisher.requests == [2, 1]
    publisher.send(3)
    second.request(10)
    assert publisher.requested == 5
    publisher.send(4, 5)
    assert elements([first, second]) == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]


def test_lockstep_goes_on_when_the_slowest_leaves() -> None:
    _, publisher, (first, second) = opened(lockstep(), 5, 2)
    # The first came alone, so its demand was asked.
    assert publisher.requested == 5
    publisher.send(1, 2, 3)
    assert elements([first, second]) == [[1, 2, 3], [1, 2]]
    second.cancel()
    first.request(4)
    assert publisher.requested == 9


def test_lockstep_keeps_what_was_asked_before_for_who_has_not_requested_it() -> None:
    _, publisher, (first, second) = opened(lockstep(), 3, 0)
    publisher.send(1, 2, 3)
    publisher.complete()
    assert (first.outcome, second.outcome) == (([1, 2, 3], "complete"), ([], "open"))
    second.request(3)
    assert second.outcome == ([1, 2, 3], "complete")


def test_lockstep_asks_in_windows_of_its_capacity() -> None:
    _, publisher, (subscriber,) = opened(lockstep(capacity=8), UNBOUNDED)
    assert publisher.requests == [8]
    publisher.send(1)
    assert publisher.requests == [8]
    publisher.send(2)
    assert publisher.requests == [8, 2]
    publisher.send(*range(3, 9))
    assert publisher.requested == 16
    assert subscriber.elements == list(range(1, 9))


def test_lockstep_fails_who_is_pushed_beyond_its_capacity() -> None:
    subject, _, (slow, fast) = opened(lockstep(capacity=2), 0, UNBOUNDED)
    for number in range(3):
        subject.on_next(number)
    slow.request(9)
    assert slow.elements == [0, 1]
    assert isinstance(slow.error, CapacityError)
    assert fast.outcome == ([0, 1, 2], "open")


# --- error_slow -----------------------------------------------------------------------------------------------------


def test_error_slow_is_the_default() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    slow, fast = RecordingSubscriber(first_request=1), RecordingSubscriber(first_request=9)
    subject.subscribe(slow)
    subject.subscribe(fast)
    subject.on_next(1)
    subject.on_next(2)
    subject.on_next(3)
    assert slow.elements == [1]
    assert str(slow.error) == (
        "BroadcastSubject got 2, which this subscriber has not requested; request more or earlier, or give the subject "
        "the policy lockstep, drop_slow or buffer"
    )
    assert fast.outcome == ([1, 2, 3], "open")
    assert subject.subscriber_count == 1


def test_error_slow_asks_for_the_largest_demand() -> None:
    _, publisher, (slow, fast) = opened(error_slow(), 1, 3)
    assert publisher.requested == 3
    publisher.send(1, 2)
    assert isinstance(slow.error, CapacityError)
    fast.request(2)
    assert publisher.requested == 5
    assert fast.outcome == ([1, 2], "open")


def test_demand_is_counted_exactly_inside_of_an_element() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=error_slow())

    class Pushing(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            if element < 3:
                subject.on_next(element + 1)

    subscriber = Pushing(first_request=2)
    subject.subscribe(subscriber)
    subject.on_next(0)
    assert subscriber.elements == [0, 1]
    assert isinstance(subscriber.error, CapacityError)


# --- drop_slow ------------------------------------------------------------------------------------------------------


def test_drop_slow_lets_who_has_not_requested_miss_it() -> None:
    subject, _, (slow, fast) = opened(drop_slow(), 1, UNBOUNDED)
    with recorded_drops() as drops:
        for number in range(3):
            subject.on_next(number)
        slow.request(1)
        subject.on_next(3)
    assert elements([slow, fast]) == [[0, 3], [0, 1, 2, 3]]
    assert len(drops) == 2


# --- buffer ---------------------------------------------------------------------------------------------------------


def test_buffer_keeps_elements_for_each() -> None:
    _, publisher, (first, second) = opened(buffer(4), 0, 0)
    assert publisher.requested == 4
    publisher.send(1, 2, 3, 4)
    assert publisher.requested == 4
    first.request(1)
    second.request(3)
    assert elements([first, second]) == [[1], [1, 2, 3]]
    assert publisher.requested == 7  # as much as the fastest has room for
    second.request(9)
    publisher.send(5)
    assert first.error is None
    publisher.send(6)
    first.request(9)
    assert first.elements == [1, 2, 3, 4, 5]
    assert isinstance(first.error, CapacityError)
    assert second.outcome == ([1, 2, 3, 4, 5, 6], "open")


@pytest.mark.parametrize(
    ("on_overflow", "kept", "dropped"),
    [("drop_newest", [0, 1], [2, 3]), ("drop_oldest", [2, 3], [0, 1]), ("latest", [3], [0, 1, 2])],
)
def test_buffer_drops_as_it_is_configured(on_overflow: str, kept: list[int], dropped: list[int]) -> None:
    subject, publisher, (slow, fast) = opened(buffer(2, on_overflow=on_overflow), 0, UNBOUNDED)
    assert publisher.requests == [UNBOUNDED]
    with recorded_drops() as drops:
        for number in range(4):
            subject.on_next(number)
    slow.request(9)
    assert elements([slow, fast]) == [kept, [0, 1, 2, 3]]
    assert [element for _, element, _ in drops] == dropped


# --- offer ----------------------------------------------------------------------------------------------------------


def test_offer_gives_an_element_to_all_or_to_none() -> None:
    subject, _, (first, second) = opened(lockstep(), 2, 1)
    assert subject.offer(1) is OfferResult.ACCEPTED
    assert subject.offer(2) is OfferResult.NO_DEMAND
    second.request(1)
    assert subject.offer(3).is_accepted
    assert elements([first, second]) == [[1, 3], [1, 3]]
    assert BroadcastSubject[int]().offer(1) is OfferResult.NO_SUBSCRIBER
    subject.on_complete()
    assert subject.offer(4) is OfferResult.TERMINATED


def test_offer_fills_the_room_of_a_buffer() -> None:
    subject, _, (slow,) = opened(buffer(2), 0)
    assert [subject.offer(n) for n in range(3)] == [OfferResult.ACCEPTED, OfferResult.ACCEPTED, OfferResult.NO_DEMAND]
    slow.request(UNBOUNDED)
    assert slow.outcome == ([0, 1], "open")


def test_offer_fills_what_waits_for_the_one_subscriber() -> None:
    subject: UnicastSubject[int] = UnicastSubject(capacity=2)
    assert [subject.offer(n) for n in range(3)] == [OfferResult.ACCEPTED, OfferResult.ACCEPTED, OfferResult.NO_DEMAND]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    subject.subscribe(subscriber)
    assert subscriber.outcome == ([0, 1], "open")


# --- the upstream ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", [lockstep(), error_slow(), drop_slow(), buffer()], ids=lambda policy: policy.name)
def test_nothing_is_requested_while_nobody_is_there(policy: SubjectPolicy) -> None:
    subject, publisher, _ = opened(policy)
    assert publisher.requests == []
    subject.subscribe(RecordingSubscriber(first_request=1))
    assert publisher.requested >= 1


@pytest.mark.parametrize(
    "policy", [lockstep(capacity=4), error_slow(capacity=4), buffer(4)], ids=lambda each: each.name
)
def test_upstream_that_sends_inside_of_request_needs_no_stack(policy: SubjectPolicy) -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=policy)
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    subject.subscribe(subscriber)
    Stream.range(5000).subscribe(subject)
    assert subscriber.outcome == (list(range(5000)), "complete")


def test_upstream_that_breaks_its_rules_is_made_known() -> None:
    class Broken:
        def request(self, n: int) -> None:
            raise ZeroDivisionError("request")

        def cancel(self) -> None:
            raise ZeroDivisionError("cancel")

    subject: UnicastSubject[int] = UnicastSubject()
    with recorded_drops() as drops:
        subject.on_subscribe(Broken())
        subscriber = RecordingSubscriber(first_request=1)
        subject.subscribe(subscriber)
        subscriber.cancel()
    assert [(signal, str(error)) for signal, error, _ in drops] == [("request", "request"), ("cancel", "cancel")]


def test_bad_request_fails_one_subscriber_alone() -> None:
    subject, _, (bad, good) = opened(lockstep(), 1, 1)
    bad.subscription.request(0)
    subject.on_next(1)
    assert str(bad.error).startswith("§3.9")
    assert good.outcome == ([1], "open")


# --- arguments ------------------------------------------------------------------------------------------------------


def test_bad_policies_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"cannot be 'block': waiting for one subscriber would stop all"):
        buffer(3, on_overflow="block")
    with pytest.raises(ArgumentError, match="capacity"):
        lockstep(capacity=0)
    with pytest.raises(ArgumentTypeError, match="capacity"):
        drop_slow(capacity=1.5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match=r"BroadcastSubject\(policy\) needs a SubjectPolicy, got 'lockstep'"):
        BroadcastSubject(policy="lockstep")  # type: ignore[arg-type]
