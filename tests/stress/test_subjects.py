"""Subjects under Python threads, in outcomes: offers, subscribers that come and go, and ends at once."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.subjects import BroadcastSubject, OfferResult, ReplaySubject, lockstep
from rs_core.dropped import set_hook
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.stress.outcomes import Action, Hesitate, Table, Verdict, judge, observe

ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN
ROUNDS = 150
WORK_LOOPS = 300

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _dropped() -> Iterator[None]:
    previous = set_hook(lambda signal, value, *, origin: None)
    yield
    set_hook(previous)


class Working(RecordingSubscriber):
    """Takes some time for an element, so that other threads find the subject busy."""

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        for _ in range(WORK_LOOPS):
            pass


def subscribed(subject: Any, first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = Working(first_request=first_request)
    subject.subscribe(subscriber)
    return subscriber


def two_offers_for_one_demand() -> list[Action]:
    subject: BroadcastSubject[int] = BroadcastSubject()
    first, second = subscribed(subject), subscribed(subject, 1)

    def offer(element: int) -> Action:
        return lambda hesitate: subject.offer(element).name

    def look(hesitate: Hesitate) -> Hashable:
        hesitate()
        return second.error is None and first.error is None

    return [offer(1), offer(2), look]


def an_offer_beside_an_end() -> list[Action]:
    subject: BroadcastSubject[int] = BroadcastSubject()
    subscriber = subscribed(subject, 1)

    def offer(hesitate: Hesitate) -> Hashable:
        return subject.offer(1) is OfferResult.ACCEPTED

    def end(hesitate: Hesitate) -> Hashable:
        subject.on_complete()
        return subscriber.is_complete or "later"

    def reckon(hesitate: Hesitate) -> Hashable:
        return subscriber.faults == []

    return [offer, end, reckon]


def who_comes_beside_elements_that_are_kept() -> list[Action]:
    subject: ReplaySubject[int] = ReplaySubject(100)
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)

    def push(hesitate: Hesitate) -> Hashable:
        for number in range(4):
            subject.on_next(number)
            hesitate()
        return None

    def come(hesitate: Hesitate) -> Hashable:
        subject.subscribe(subscriber)
        seen = list(subscriber.elements)
        return seen == list(range(len(seen))) and subscriber.faults == []

    return [push, come]


def a_bound_stream_beside_requests() -> list[Action]:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep(capacity=2))
    subscriber = RecordingSubscriber(first_request=1)
    Stream.from_publisher(subject, prefetch=2).subscribe(subscriber)

    def push(hesitate: Hesitate) -> Hashable:
        for number in range(2):
            subject.on_next(number)
            hesitate()
        return None

    def request(hesitate: Hesitate) -> Hashable:
        subscriber.request(1)
        return None

    def look(hesitate: Hesitate) -> Hashable:
        hesitate()
        seen = list(subscriber.elements)
        return seen == list(range(len(seen))) and subscriber.faults == []

    return [push, request, look]


def a_bound_stream_beside_its_cancellation() -> list[Action]:
    subject: BroadcastSubject[int] = BroadcastSubject()
    subscriber = Working(first_request=UNBOUNDED)
    Stream.from_publisher(subject).subscribe(subscriber)

    def push(hesitate: Hesitate) -> Hashable:
        for number in range(3):
            subject.on_next(number)
            hesitate()
        return subscriber.elements == list(range(len(subscriber.elements)))

    def cancel(hesitate: Hesitate) -> Hashable:
        subscriber.cancel()
        # §2.8: one may be on its way
        return [fault for fault in subscriber.faults if "after cancel" not in fault] == []

    return [push, cancel]


TABLES: dict[Callable[[], list[Action]], Table] = {
    two_offers_for_one_demand: {
        ("ACCEPTED", "NO_DEMAND", True): (ALLOWED, "the first came first"),
        ("NO_DEMAND", "ACCEPTED", True): (ALLOWED, "the second came first"),
        ("NO_DEMAND", "NO_DEMAND", True): (FORBIDDEN, "one of both finds the subject idle, or the other delivering"),
        ("ACCEPTED", "ACCEPTED", True): (FORBIDDEN, "both took the same demand"),
        ("ACCEPTED", "ACCEPTED", False): (FORBIDDEN, "both took the same demand, and a healthy subscriber failed"),
    },
    an_offer_beside_an_end: {
        (True, True, True): (ALLOWED, "the offer came first, or both were delivered by one thread"),
        (True, "later", True): (ALLOWED, "the thread that offered delivers the end"),
        (False, True, True): (ALLOWED, "the end came first"),
        (False, "later", True): (ALLOWED, "the end came first, and waits for the thread that offered"),
        (True, True, False): (FORBIDDEN, "signals overlapped, or came after the end"),
    },
    a_bound_stream_beside_requests: {
        (None, None, True): (ALLOWED, "each element came once, in order, and not before it was requested"),
        (None, None, False): (FORBIDDEN, "an element past the ring overtook one, or came twice or unrequested"),
    },
    a_bound_stream_beside_its_cancellation: {
        (True, True): (ALLOWED, "what came, came in order"),
        (True, False): (FORBIDDEN, "signals overlapped"),
        (False, True): (FORBIDDEN, "an element past the ring overtook one"),
    },
    who_comes_beside_elements_that_are_kept: {
        (None, True): (ALLOWED, "it has the elements from the first one on, without a gap"),
        (None, False): (FORBIDDEN, "it missed one, or got one twice"),
    },
}


@pytest.mark.parametrize("situation", TABLES, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen(situation: Callable[[], list[Action]]) -> None:
    judge(situation, observe(situation, rounds=ROUNDS), TABLES[situation], rounds=ROUNDS)


def test_who_goes_beside_its_start_is_in_no_subject_afterwards() -> None:
    subjects: list[BroadcastSubject[int]] = []

    def start_beside_cancel() -> list[Action]:
        subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep())
        handle: Any = subject.bind(RecordingSubscriber())
        subjects.append(subject)
        return [lambda hesitate: handle.initialize(), lambda hesitate: handle.cancel()]

    observed = observe(start_beside_cancel, rounds=ROUNDS)
    assert [subject.subscriber_count for subject in subjects] == [0] * ROUNDS
    judge(start_beside_cancel, observed, {(None, None): (ALLOWED, "neither raises")}, rounds=ROUNDS)
