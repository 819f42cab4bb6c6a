"""Elements that a subject sends past the queues of its subscribers: in order, on demand, and each to all."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.subjects import (
    BroadcastSubject,
    OfferResult,
    ReplaySubject,
    SimpleSubject,
    buffer,
    drop_slow,
    lockstep,
)
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.subjects.calling_subscribers import Calling, subscribed

SUBJECTS: dict[str, Callable[[], Any]] = {
    "simple": SimpleSubject,
    "lockstep": lambda: BroadcastSubject(policy=lockstep()),
    "drop_slow": lambda: BroadcastSubject(policy=drop_slow()),
    "buffer": lambda: BroadcastSubject(policy=buffer(8)),
    "replay": lambda: ReplaySubject(8),
}


class RequestingOne(RecordingSubscriber):
    """Requests the next element inside of each."""

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        self.request(1)


@pytest.fixture(params=SUBJECTS)
def subject(request: pytest.FixtureRequest) -> Any:
    return SUBJECTS[request.param]()


def test_who_requests_inside_of_each_element_gets_every_element(subject: Any) -> None:
    subscribers = [RequestingOne(first_request=1) for _ in range(3)]
    for subscriber in subscribers:
        subject.subscribe(subscriber)
    for element in range(5):
        subject.on_next(element)
    assert [subscriber.outcome for subscriber in subscribers] == [([0, 1, 2, 3, 4], "open")] * 3


def test_demand_that_an_element_used_up_is_gone_for_the_next_offer(subject: Any) -> None:
    subscribed(subject)
    limited = subscribed(subject, first_request=2)
    results = [subject.offer(element) for element in range(2)]
    assert (results, limited.outcome) == ([OfferResult.ACCEPTED] * 2, ([0, 1], "open"))
    limited.request(1)
    assert subject.offer(2) is OfferResult.ACCEPTED
    assert limited.outcome == ([0, 1, 2], "open")


def test_offer_is_refused_when_elements_past_the_queue_have_used_up_the_demand() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep())
    limited = subscribed(subject, first_request=2)
    results = [subject.offer(element) for element in range(3)]
    assert results == [OfferResult.ACCEPTED, OfferResult.ACCEPTED, OfferResult.NO_DEMAND]
    assert limited.outcome == ([0, 1], "open")


def test_who_cancels_inside_of_an_element_gets_no_more_and_the_others_get_all(subject: Any) -> None:
    first, last = RecordingSubscriber(first_request=UNBOUNDED), RecordingSubscriber(first_request=UNBOUNDED)
    leaving = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=1)
    for subscriber in (first, leaving, last):
        subject.subscribe(subscriber)
    for element in range(3):
        subject.on_next(element)
    assert [each.elements for each in (first, leaving, last)] == [[0, 1, 2], [0], [0, 1, 2]]
    assert subject.subscriber_count == 2


def test_an_interrupt_of_one_subscriber_comes_after_the_others_have_the_element(subject: Any) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    first, last = RecordingSubscriber(first_request=UNBOUNDED), RecordingSubscriber(first_request=UNBOUNDED)
    for subscriber in (first, Calling(interrupt), last):
        subject.subscribe(subscriber)
    with pytest.raises(KeyboardInterrupt):
        subject.on_next(1)
    subject.on_next(2)
    assert (first.elements, last.elements) == ([1, 2], [1, 2])


def test_queues_below_several_subscriptions_are_drained_for_each_element() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=buffer(8))
    subscribers = [RecordingSubscriber(first_request=UNBOUNDED) for _ in range(3)]
    for subscriber in subscribers:
        doubled = Stream.from_publisher(subject).flat_map(lambda element: Stream.just(element, -element))
        doubled.subscribe(subscriber)
    for element in range(1, 4):
        subject.on_next(element)
        expected = [sign * each for each in range(1, element + 1) for sign in (1, -1)]
        assert [subscriber.elements for subscriber in subscribers] == [expected] * 3


def test_elements_pushed_inside_of_an_element_follow_it_to_all(subject: Any) -> None:
    def push() -> None:
        subject.on_next(1)
        subject.on_next(2)

    first, last = RecordingSubscriber(first_request=UNBOUNDED), RecordingSubscriber(first_request=UNBOUNDED)
    for subscriber in (first, Calling(push), last):
        subject.subscribe(subscriber)
    subject.on_next(0)
    assert (first.elements, last.elements) == ([0, 1, 2], [0, 1, 2])


def test_who_subscribes_and_cancels_between_elements_is_seen_by_the_next_one(subject: Any) -> None:
    first = subscribed(subject)
    subject.on_next(0)
    second = subscribed(subject)
    subject.on_next(1)
    first.cancel()
    subject.on_next(2)
    assert first.elements == [0, 1]
    assert second.elements[-2:] == [1, 2]
    assert subject.subscriber_count == 1


def test_an_upstream_is_asked_after_elements_past_the_queue() -> None:
    class Upstream:
        def __init__(self) -> None:
            self.asked: list[int] = []

        def request(self, n: int) -> None:
            self.asked.append(n)

        def cancel(self) -> None:
            self.asked.append(-1)

    upstream: Any = Upstream()
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep(capacity=4))
    subscriber = subscribed(subject, first_request=2)
    subject.on_subscribe(upstream)
    for element in range(2):
        subject.on_next(element)
    subscriber.request(3)
    subject.on_next(2)
    subscriber.cancel()
    assert upstream.asked == [2, 3]
    assert subscriber.elements == [0, 1, 2]


def test_a_subclass_that_defines_on_next_gets_the_elements_of_a_stream_there() -> None:
    class Doubling(BroadcastSubject[int]):
        def on_next(self, element: int, /) -> None:
            super().on_next(2 * element)

    subject, plain = Doubling(), BroadcastSubject[int]()
    doubled, passed = subscribed(subject), subscribed(plain)
    Stream.range(3).subscribe(subject)
    Stream.range(3).subscribe(plain)
    assert doubled.outcome == ([0, 2, 4], "complete")
    assert passed.outcome == ([0, 1, 2], "complete")


def test_a_subject_without_its_init_says_what_is_missing() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject.__new__(BroadcastSubject)
    with pytest.raises(AttributeError, match="call __init__ of its base"):
        subject.on_next(1)
