"""What joining and leaving a subject cost where there are many subscribers, and that both are safe anywhere."""

import random
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.subjects import BroadcastSubject, ReplaySubject, SimpleSubject, error_slow, lockstep
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.subjects.calling_subscribers import subscribed

FEW, MANY = 250, 4_000
SUBJECTS: dict[str, Callable[[], Any]] = {
    "simple": SimpleSubject,
    "broadcast": BroadcastSubject,
    "lockstep": lambda: BroadcastSubject(policy=lockstep()),
    "replay": lambda: ReplaySubject(2),
}


class Silent:
    """Requests everything, and does nothing with it."""

    subscription: Any = None

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription
        subscription.request(UNBOUNDED)

    def on_next(self, element: object) -> None:
        pass

    def on_error(self, error: Exception) -> None:
        pass

    def on_complete(self) -> None:
        pass


def allocated_at_most(action: Callable[[], object]) -> int:
    """Return how many bytes an action has allocated at once; it is done once before, so that caches are filled."""
    action()
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("has_upstream", [False, True])
@pytest.mark.parametrize("make", SUBJECTS.values(), ids=SUBJECTS.keys())
def test_who_comes_or_goes_allocates_as_much_beside_many_as_beside_few(
    make: Callable[[], Any], has_upstream: bool
) -> None:
    def allocated_beside(count: int) -> tuple[int, int]:
        subject = make()
        there = [Silent() for _ in range(count)]
        for each in there:
            subject.subscribe(each)
        if has_upstream:
            ManualPublisher().subscribe(subject)
        joining = allocated_at_most(lambda: subject.subscribe(Silent()))

        def leave() -> None:
            there.pop().subscription.cancel()

        leaving = allocated_at_most(leave)
        assert subject.subscriber_count == count
        return joining, leaving

    beside_few, beside_many = allocated_beside(FEW), allocated_beside(MANY)
    for few, many in zip(beside_few, beside_many, strict=True):
        assert many < few + 8 * FEW  # a copy would take 8 bytes for each


@pytest.mark.parametrize("leaving", ["first", "last", "random"])
def test_whoever_goes_of_many_the_others_stay_in_their_order(leaving: str) -> None:
    seen: list[int] = []

    class Named(Silent):
        def __init__(self, name: int) -> None:
            self.name = name

        def on_next(self, element: object) -> None:
            seen.append(self.name)

    subject: SimpleSubject[int] = SimpleSubject()
    there = [Named(name) for name in range(100)]
    for each in there:
        subject.subscribe(each)
    order = random.Random(7)
    coming = 100
    while there:
        position = {"first": 0, "last": len(there) - 1, "random": order.randrange(len(there))}[leaving]
        there.pop(position).subscription.cancel()
        if order.random() < 0.3:
            there.append(Named(coming))
            subject.subscribe(there[-1])
            coming += 1
        seen.clear()
        subject.on_next(1)
        assert (seen, subject.subscriber_count) == ([each.name for each in there], len(there))


@pytest.mark.parametrize("make", SUBJECTS.values(), ids=SUBJECTS.keys())
@pytest.mark.parametrize("seed", range(20))
def test_who_comes_and_goes_inside_of_a_delivery_gets_what_comes_between(make: Callable[[], Any], seed: int) -> None:
    order = random.Random(seed)
    subject = make()
    pushed: list[int] = []

    class Restless(RecordingSubscriber):
        since, until = -1, -1

        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            if element < 100:  # the last one changes nothing
                act()

    there: list[Restless] = []
    everybody: list[Restless] = []

    def join() -> None:
        each = Restless(first_request=UNBOUNDED)
        there.append(each)
        everybody.append(each)
        subject.subscribe(each)

    def act() -> None:
        if order.random() < 0.1 and len(everybody) < 200:
            join()
        if order.random() < 0.1 and len(there) > 1:
            there.pop(order.randrange(len(there))).cancel()

    for _ in range(10):
        join()
    for number in range(101):
        pushed.append(number)
        subject.on_next(number)
    assert subject.subscriber_count == len(there)
    for each in everybody:
        assert each.faults == []
        assert each.elements == pushed[each.elements[0] : each.elements[-1] + 1] if each.elements else True
    for each in there:
        assert each.elements[-1:] == [100]


def test_who_goes_while_elements_are_on_their_way_changes_nothing_for_who_sets_the_pace() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep(capacity=8))
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    slow, fast = subscribed(subject, first_request=1), subscribed(subject, first_request=5)
    assert publisher.requested == 1
    slow.cancel()
    assert publisher.requested == 5  # the others need not wait for who has left
    publisher.send(1, 2, 3, 4, 5)
    assert fast.elements == [1, 2, 3, 4, 5]


def test_the_fastest_is_asked_for_once_whoever_leaves() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=error_slow(capacity=8))
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    others = [subscribed(subject, first_request=2) for _ in range(5)]
    fast = subscribed(subject, first_request=4)
    assert publisher.requests == [2, 2]
    fast.cancel()
    for each in others[1:]:
        each.cancel()
    assert publisher.requests == [2, 2]
    publisher.send(1, 2)
    others[0].request(5)
    assert publisher.requested == 7
