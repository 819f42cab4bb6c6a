"""What comes while a subject delivers, from inside or from other threads: it waits, and has its place."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.subjects import (
    BroadcastSubject,
    OfferResult,
    ReplaySubject,
    SimpleSubject,
    buffer,
    lockstep,
)
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.subjects.calling_subscribers import Calling, in_another_thread, subscribed


@pytest.mark.parametrize("policy", [lockstep(), buffer()], ids=lambda policy: policy.name)
def test_all_subscribers_see_nested_elements_in_one_order(policy: Any) -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=policy)

    class Echoing(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            if element < 3:
                subject.on_next(element + 1)

    first = Echoing(first_request=UNBOUNDED)
    subject.subscribe(first)
    second = subscribed(subject)
    subject.on_next(0)
    assert (first.outcome, second.outcome) == (([0, 1, 2, 3], "open"), ([0, 1, 2, 3], "open"))


def test_nested_element_does_not_overtake_the_one_whose_demand_it_would_take() -> None:
    subject: BroadcastSubject[str] = BroadcastSubject()
    subject.subscribe(Calling(lambda: subject.on_next("inner"), first_request=2))
    second = subscribed(subject, first_request=2)
    subject.on_next("outer")
    assert second.outcome == (["outer", "inner"], "open")


def test_who_comes_inside_of_an_element_gets_what_waits_and_its_end() -> None:
    subject: SimpleSubject[int] = SimpleSubject(policy=buffer())
    late: list[RecordingSubscriber] = []

    def signal() -> None:
        subject.on_next(2)
        late.append(subscribed(subject))
        subject.on_next(3)
        subject.on_complete()
        late.append(subscribed(subject))
        subject.on_next(4)

    first = Calling(signal)
    subject.subscribe(first)
    subject.on_next(1)
    assert [each.outcome for each in (first, *late)] == [
        ([1, 2, 3], "complete"),
        ([2, 3], "complete"),
        ([2, 3], "complete"),
    ]


def test_elements_of_another_thread_wait_for_the_delivery_that_runs() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    seen: list[int] = []

    def signal() -> None:
        in_another_thread(lambda: [subject.on_next(number) for number in (2, 3)])
        seen.extend(second.elements)

    subject.subscribe(Calling(signal))
    second = subscribed(subject)
    subject.on_next(1)
    assert (seen, second.elements) == ([], [1, 2, 3])


def test_subscriber_of_another_thread_gets_what_comes_after_its_subscription() -> None:
    subject: ReplaySubject[int] = ReplaySubject(9)
    late = RecordingSubscriber(first_request=UNBOUNDED)

    def subscribe_and_push() -> None:
        subject.on_next(2)
        subject.subscribe(late)
        subject.on_next(3)

    subject.subscribe(Calling(lambda: in_another_thread(subscribe_and_push)))
    subject.on_next(1)
    assert late.outcome == ([1, 2, 3], "open")


def test_dispose_from_another_thread_comes_after_what_was_accepted() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()

    def push_and_dispose() -> None:
        subject.on_next(2)
        subject.dispose()
        assert subject.offer(3) is OfferResult.TERMINATED

    first = Calling(lambda: in_another_thread(push_and_dispose))
    subject.subscribe(first)
    subject.on_next(1)
    assert (first.elements, type(first.error).__name__) == ([1, 2], "SubjectDisposedError")


def test_blocking_end_inside_of_a_delivery_gets_what_is_kept() -> None:
    subject: ReplaySubject[int] = ReplaySubject(2)
    lists: list[list[int]] = []

    class Ending(RecordingSubscriber):
        def on_complete(self) -> None:
            super().on_complete()
            lists.append(Stream.from_publisher(subject).to_list())

    subject.subscribe(Ending(first_request=UNBOUNDED))
    subject.on_next(1)
    subject.on_complete()
    assert lists == [[1]]
