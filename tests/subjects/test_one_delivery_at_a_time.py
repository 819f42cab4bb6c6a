"""What comes while a subject delivers, from inside or from other threads: it waits, has its place, and is answered."""

import gc
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.state import load_tree, save_tree
from reactivestreams.subjects import (
    BroadcastSubject,
    OfferResult,
    ReplaySubject,
    SimpleSubject,
    UnicastSubject,
    buffer,
    drop_slow,
    lockstep,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

WAIT_SECONDS = 10


class Calling(RecordingSubscriber):
    """Calls a function inside of its first element."""

    def __init__(self, function: Callable[[], object], *, first_request: int = UNBOUNDED) -> None:
        super().__init__(first_request=first_request)
        self.function: Callable[[], object] | None = function

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        function, self.function = self.function, None
        if function is not None:
            function()


def subscribed(subject: Any, *, first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    subject.subscribe(subscriber)
    return subscriber


def in_another_thread(function: Callable[[], object]) -> threading.Thread:
    """Start it, and return when it is done or waits for the delivery of this thread."""
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    thread.join(WAIT_SECONDS)
    return thread


# --- one order ------------------------------------------------------------------------------------------------------


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


def test_subscriber_of_another_thread_gets_what_comes_behind_its_subscription() -> None:
    subject: ReplaySubject[int] = ReplaySubject(9)
    late = RecordingSubscriber(first_request=UNBOUNDED)

    def subscribe_and_push() -> None:
        subject.on_next(2)
        subject.subscribe(late)
        subject.on_next(3)

    subject.subscribe(Calling(lambda: in_another_thread(subscribe_and_push)))
    subject.on_next(1)
    assert late.outcome == ([1, 2, 3], "open")


def test_dispose_from_another_thread_comes_behind_what_was_accepted() -> None:
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


# --- no lock --------------------------------------------------------------------------------------------------------


class Finalized:
    """Calls a function when it dies."""

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function

    def __del__(self) -> None:
        self.function()


def test_finalizers_of_elements_that_push_to_each_others_subjects_do_not_wait_for_each_other() -> None:
    subjects: tuple[ReplaySubject[Any], ...] = (ReplaySubject(1), ReplaySubject(1))
    both = threading.Barrier(2, timeout=WAIT_SECONDS)

    def push_to(other: int) -> Callable[[], None]:
        def finalize() -> None:
            both.wait()  # now both threads are inside of their subjects
            subjects[other].on_next("from a finalizer")

        return finalize

    def displace(number: int) -> None:
        subjects[number].on_next(Finalized(push_to(1 - number)))
        subjects[number].on_next("displacing")

    threads = [threading.Thread(target=displace, args=(number,), daemon=True) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert [thread.is_alive() for thread in threads] == [False, False]


def test_collection_that_pushes_while_a_source_joins_loses_nothing() -> None:
    # Up to Python 3.11 a collection, and with it any finalizer, runs wherever an object is made.
    subject: ReplaySubject[int] = ReplaySubject(1000)
    pushed: list[int] = []

    def push(phase: str, info: object) -> None:
        if phase == "start" and len(pushed) < 900:
            pushed.append(len(pushed))
            subject.on_next(pushed[-1])

    subscribers: list[RecordingSubscriber] = []
    threshold = gc.get_threshold()
    gc.callbacks.append(push)
    gc.set_threshold(1)
    try:
        subscribers.extend(subscribed(subject) for _ in range(10))
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(push)
    subject.on_complete()
    assert pushed
    assert [each.outcome for each in subscribers] == [(pushed, "complete")] * 10


def test_clock_that_raises_refuses_the_element_and_the_subject_goes_on() -> None:
    class Clock:
        def __init__(self) -> None:
            self.is_broken = False

        @property
        def now(self) -> datetime:
            if self.is_broken:
                raise ZeroDivisionError
            return datetime(2026, 1, 1, tzinfo=UTC)

    clock: Any = Clock()
    subject: ReplaySubject[int] = ReplaySubject(9, max_age=timedelta(seconds=1), scheduler=clock)
    subscriber = subscribed(subject)
    clock.is_broken = True
    with pytest.raises(ZeroDivisionError):
        subject.on_next(1)
    clock.is_broken = False
    subject.on_next(2)
    assert subscriber.outcome == ([2], "open")


# --- interrupts -----------------------------------------------------------------------------------------------------


class Interrupted(RecordingSubscriber):
    """Is interrupted by the signal that it is told."""

    def __init__(self, by: str) -> None:
        super().__init__(first_request=UNBOUNDED)
        self.by = by

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        if self.by == "on_next":
            raise KeyboardInterrupt

    def on_complete(self) -> None:
        super().on_complete()
        if self.by == "on_complete":
            raise KeyboardInterrupt


def test_interrupt_of_one_subscriber_leaves_no_other_without_the_element() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep(capacity=1))
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    interrupted = Interrupted("on_next")
    subject.subscribe(interrupted)
    other = subscribed(subject)
    assert publisher.requested == 1
    with pytest.raises(KeyboardInterrupt):
        publisher.send(1)
    assert publisher.requested == 2  # what was passed on is not in flight any more
    publisher.send(2)
    assert (other.outcome, interrupted.elements, subject.subscriber_count) == (([1, 2], "open"), [1], 1)


def test_interrupt_of_one_subscriber_leaves_no_other_without_the_end() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    empty: list[str] = []
    subject.subscribe(Interrupted("on_complete"))
    other = subscribed(subject)
    subject.seal(on_empty=lambda: empty.append("empty"))
    with pytest.raises(KeyboardInterrupt):
        subject.on_complete()
    assert (other.outcome, empty) == (([], "complete"), ["empty"])


def test_interrupt_inside_of_request_does_not_keep_the_upstream_from_being_asked() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    subscriber = subscribed(subject, first_request=0)

    def interrupt() -> None:
        raise KeyboardInterrupt

    publisher.during_request = [interrupt]
    with pytest.raises(KeyboardInterrupt):
        subscriber.request(1)
    subscriber.request(2)
    assert publisher.requests == [1, 2]


# --- offers ---------------------------------------------------------------------------------------------------------


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


# --- those who come and go --------------------------------------------------------------------------------------------


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


def test_upstream_is_asked_once_behind_each_element() -> None:
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


# --- the bound ------------------------------------------------------------------------------------------------------

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
        "less inside of on_next, or offer() elements and look at the result"
    )
    assert drops == [("on_next", MOST_WAITING + 2, "BroadcastSubject")]
    assert publisher.cancels == 1
    assert type(subscribed(subject).error).__name__ == "CapacityError"


def test_subject_that_forgets_its_end_goes_on_behind_one_element_too_many() -> None:
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
