"""Offers that meet a delivery: what was accepted comes to all that were there."""

from typing import Any

import pytest

from reactivestreams.subjects import (
    BroadcastSubject,
    OfferResult,
    buffer,
    drop_slow,
    lockstep,
)
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.subjects.calling_subscribers import Calling, in_another_thread, subscribed


def test_two_offers_at_once_do_not_both_take_the_same_demand() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    results: list[OfferResult] = []
    subject.subscribe(Calling(lambda: in_another_thread(lambda: results.append(subject.offer(2)))))
    second = subscribed(subject, first_request=1)
    results.append(subject.offer(1))
    assert results == [OfferResult.NO_DEMAND, OfferResult.ACCEPTED]
    assert second.outcome == ([1], "open")


@pytest.mark.parametrize("policy", [lockstep(), drop_slow(), buffer(3)], ids=lambda policy: policy.name)
def test_offer_inside_of_a_delivery_is_accepted_as_far_as_all_had_room_before(policy: Any) -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=policy)
    results: list[OfferResult] = []

    def offer() -> None:
        results.extend(subject.offer(number) for number in (2, 3, 4))

    subject.subscribe(Calling(offer))
    second = subscribed(subject, first_request=3)
    assert subject.offer(1) is OfferResult.ACCEPTED
    assert results == [OfferResult.ACCEPTED, OfferResult.ACCEPTED, OfferResult.NO_DEMAND]
    assert second.outcome == ([1, 2, 3], "open")


def test_pushed_element_takes_the_room_that_a_later_offer_would_need() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    results: list[OfferResult] = []

    def push_and_offer() -> None:
        subject.on_next(2)
        results.append(subject.offer(3))

    subject.subscribe(Calling(push_and_offer))
    second = subscribed(subject, first_request=2)
    subject.on_next(1)
    assert (results, second.outcome) == ([OfferResult.NO_DEMAND], ([1, 2], "open"))


def test_offer_beside_one_who_comes_does_not_fail_them() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    results: list[OfferResult] = []
    late = RecordingSubscriber()

    def come_and_offer() -> None:
        subject.subscribe(late)
        results.append(subject.offer(2))

    first = Calling(lambda: in_another_thread(come_and_offer))
    subject.subscribe(first)
    subject.on_next(1)
    assert (results, late.outcome, first.elements) == ([OfferResult.NO_DEMAND], ([], "open"), [1])


def test_accepted_offer_comes_before_an_end_that_comes_later() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    results: list[OfferResult] = []

    def offer_and_complete() -> None:
        results.append(subject.offer(2))
        subject.on_complete()
        results.append(subject.offer(3))

    subject.subscribe(Calling(offer_and_complete))
    second = subscribed(subject)
    subject.on_next(1)
    assert results == [OfferResult.ACCEPTED, OfferResult.TERMINATED]
    assert second.outcome == ([1, 2], "complete")
