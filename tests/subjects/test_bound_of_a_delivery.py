"""How many elements may wait for the thread that delivers, and what becomes of one more."""

from typing import Any

import pytest

from reactivestreams.subjects import (
    BroadcastSubject,
    OfferResult,
    SimpleSubject,
    buffer,
    drop_slow,
    lockstep,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.subjects.calling_subscribers import Calling, subscribed

MOST_WAITING = 1024


def pushing(subject: Any, count: int) -> RecordingSubscriber:
    """Push 0, and inside of it 1 to count; return a subscriber that came later than who pushed."""
    subject.subscribe(Calling(lambda: [subject.on_next(number) for number in range(1, count + 1)]))
    second = subscribed(subject)
    subject.on_next(0)
    return second


@pytest.mark.parametrize("policy", [lockstep(), buffer()], ids=lambda policy: policy.name)
def test_one_element_too_many_ends_the_subject_with_an_error_that_names_it(policy: Any) -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=policy)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    with recorded_drops() as drops:
        second = pushing(subject, MOST_WAITING + 2)
    assert second.elements == list(range(MOST_WAITING + 1))
    assert str(second.error) == (
        "BroadcastSubject got 1025 while 1024 elements wait for the thread that delivers; push from fewer threads or "
        "less inside on_next, or offer() elements and check the result"
    )
    assert drops == [("on_next", MOST_WAITING + 2, "BroadcastSubject")]
    assert publisher.cancels == 1
    assert type(subscribed(subject).error).__name__ == "CapacityError"


def test_subject_that_forgets_its_end_goes_on_after_one_element_too_many() -> None:
    subject: SimpleSubject[int] = SimpleSubject(policy=lockstep())
    publisher, again = ManualPublisher(), ManualPublisher()
    publisher.subscribe(subject)
    with recorded_drops() as drops:
        second = pushing(subject, MOST_WAITING + 2)
    assert (len(second.elements), type(second.error).__name__) == (MOST_WAITING + 1, "CapacityError")
    assert drops == [("on_next", MOST_WAITING + 2, "SimpleSubject")]
    late = subscribed(subject)
    again.subscribe(subject)
    again.send(1)
    assert (publisher.cancels, again.cancels, late.outcome) == (1, 0, ([1], "open"))


@pytest.mark.parametrize(
    ("policy", "missed"),
    [
        (drop_slow(), [1025, 1026]),
        (buffer(9, on_overflow="drop_newest"), [1025, 1026]),
        (buffer(9, on_overflow="drop_oldest"), [1, 2]),
        (buffer(on_overflow="latest"), [1, 2]),
    ],
    ids=lambda value: str(getattr(value, "on_overflow", "")),
)
def test_elements_too_many_are_dropped_as_the_policy_says(policy: Any, missed: list[int]) -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=policy)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    with recorded_drops() as drops:
        second = pushing(subject, MOST_WAITING + 2)
    assert drops == [("on_next", number, "BroadcastSubject") for number in missed]
    assert second.outcome == ([number for number in range(MOST_WAITING + 3) if number not in missed], "open")


def test_elements_that_find_no_place_are_not_in_flight_any_more() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=drop_slow(capacity=MOST_WAITING))
    publisher = ManualPublisher()
    publisher.subscribe(subject)

    def fill() -> None:
        for number in range(MOST_WAITING):  # offers were not requested of the upstream
            subject.offer(number)
        publisher.send(*range(600))

    subject.subscribe(Calling(fill))
    with recorded_drops() as drops:
        subject.offer(-1)
    assert (publisher.requests, len(drops)) == ([MOST_WAITING, 599], 599)


def test_bound_is_not_below_what_is_requested_of_the_upstream() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep(capacity=5000))
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    subject.subscribe(Calling(lambda: publisher.send(*range(1, 5000))))
    second = subscribed(subject)
    assert publisher.requested == 5000
    publisher.send(0)
    assert second.outcome == (list(range(5000)), "open")


def test_offers_inside_of_a_delivery_are_accepted_up_to_the_room() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=buffer(4096))
    results: list[OfferResult] = []
    subject.subscribe(Calling(lambda: results.extend(subject.offer(number) for number in range(1, 5000))))
    second = subscribed(subject)
    subject.on_next(0)
    assert results == [OfferResult.ACCEPTED] * 4095 + [OfferResult.NO_DEMAND] * 904
    assert second.outcome == (list(range(4096)), "open")
