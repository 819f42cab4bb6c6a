"""Subjects that cancel their upstream when the last subscriber leaves, and those that pass errors at once."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.errors import StreamCancelledError
from reactivestreams.subjects import BroadcastSubject, ReplaySubject, SimpleSubject, buffer, lockstep
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.subjects.calling_subscribers import Calling, subscribed

KINDS: dict[str, Callable[..., Any]] = {
    "broadcast, lockstep": lambda **options: BroadcastSubject(policy=lockstep(), **options),
    "broadcast, buffer": lambda **options: BroadcastSubject(policy=buffer(), **options),
    "simple": lambda **options: SimpleSubject(policy=lockstep(), **options),
    "replay": lambda **options: ReplaySubject(2, **options),
}
EVERY_KIND = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())


@EVERY_KIND
def test_upstream_is_cancelled_once_when_the_last_has_left(make: Callable[..., Any]) -> None:
    subject = make(auto_cancel=True)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    assert publisher.cancels == 0  # nobody was there yet
    first, second = subscribed(subject), subscribed(subject)
    first.cancel()
    assert publisher.cancels == 0
    second.cancel()
    assert publisher.cancels == 1


@EVERY_KIND
def test_upstream_waits_for_who_cancels_before_the_start(make: Callable[..., Any]) -> None:
    subject = make(auto_cancel=True)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    handle: Any = subject.bind(RecordingSubscriber())
    handle.cancel()
    handle.initialize()
    assert publisher.cancels == 0


@EVERY_KIND
def test_another_upstream_and_other_subscribers_may_follow(make: Callable[..., Any]) -> None:
    subject = make(auto_cancel=True)
    first, second, third = ManualPublisher(), ManualPublisher(), ManualPublisher()
    first.subscribe(subject)
    subscribed(subject).cancel()
    second.subscribe(subject)
    third.subscribe(subject)
    again = subscribed(subject)
    second.send(7)
    assert (first.cancels, second.cancels, third.cancels) == (1, 0, 1)
    assert again.elements == [7]


@EVERY_KIND
def test_who_comes_when_the_upstream_was_cancelled_is_told_and_late_elements_are_let_go(
    make: Callable[..., Any],
) -> None:
    subject = make(auto_cancel=True)
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    subscribed(subject).cancel()
    with recorded_drops() as drops:
        publisher.send("late")
    late = subscribed(subject)
    assert isinstance(late.error, StreamCancelledError)
    assert "cancelled its upstream when its last subscriber left" in str(late.error)
    assert (late.elements, late.faults, drops) == ([], [], [])


@EVERY_KIND
def test_upstream_is_kept_unless_it_is_said(make: Callable[..., Any]) -> None:
    subject = make()
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    subscribed(subject).cancel()
    assert publisher.cancels == 0


@EVERY_KIND
def test_upstream_that_comes_while_the_one_before_is_cancelled_is_the_only_one(make: Callable[..., Any]) -> None:
    subject = make(auto_cancel=True)
    first, second, third = ManualPublisher(), ManualPublisher(), ManualPublisher()
    first.subscribe(subject)

    def change() -> None:
        leaving.cancel()
        first.complete()
        second.subscribe(subject)

    leaving = Calling(change)
    subject.subscribe(leaving)
    first.send(1)
    third.subscribe(subject)
    assert second.cancels + third.cancels >= 1


@EVERY_KIND
def test_error_passes_what_was_not_requested_and_that_goes_to_the_hook(make: Callable[..., Any]) -> None:
    subject = make(delay_error=False)
    slow, none = subscribed(subject, first_request=1), subscribed(subject, first_request=0)
    error = ValueError("broken")
    for element in (1, 2, 3):
        subject.on_next(element)
    with recorded_drops() as drops:
        subject.on_error(error)
    assert (slow.outcome, none.outcome) == (([1], repr(error)), ([], repr(error)))
    assert [(signal, value) for signal, value, _ in drops] == [("on_next", value) for value in (2, 3, 1, 2, 3)]
    assert slow.faults + none.faults == []


@EVERY_KIND
def test_completion_waits_behind_what_was_not_requested_all_the_same(make: Callable[..., Any]) -> None:
    subject = make(delay_error=False)
    slow = subscribed(subject, first_request=1)
    for element in (1, 2):
        subject.on_next(element)
    subject.on_complete()
    assert slow.outcome == ([1], "open")
    slow.request(1)
    assert slow.outcome == ([1, 2], "complete")


def test_error_comes_after_the_element_in_whose_delivery_it_was_made() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=buffer(), delay_error=False)
    error = ValueError("broken")
    failing = Calling(lambda: subject.on_error(error))
    subject.subscribe(failing)
    other = subscribed(subject)
    subject.on_next(1)
    assert (failing.outcome, other.outcome) == (([1], repr(error)), ([1], repr(error)))
