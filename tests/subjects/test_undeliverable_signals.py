"""What comes to a subject that can deliver nothing any more, or has an upstream already; each kind in turn."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.subjects import (
    BroadcastSubject,
    ConvertingSubject,
    GroupedSubject,
    MultiSubject,
    ReplaySubject,
    SimpleSubject,
    UnicastSubject,
    buffer,
    drop_slow,
    error_slow,
    lockstep,
    typed_subject,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.subjects.calling_subscribers import subscribed

Make = Callable[[], MultiSubject[Any, Any]]

POLICIES = [lockstep(), error_slow(), drop_slow(), buffer()] + [
    buffer(4, on_overflow=policy) for policy in ("drop_newest", "drop_oldest", "latest")
]


def converted() -> MultiSubject[Any, Any]:
    subject = ConvertingSubject(BroadcastSubject[Any](), stored="element", conversions={})
    return typed_subject(subject, accepts="element", sends="element")


REMEMBERING: dict[str, Make] = {
    **{
        f"broadcast, {policy.name} {policy.on_overflow.value}": _make
        for policy in POLICIES
        for _make in [lambda policy=policy: BroadcastSubject[Any](policy=policy)]
    },
    "replay": lambda: ReplaySubject[Any](2),
    "unicast": UnicastSubject,
    "grouped": lambda: GroupedSubject("key", BroadcastSubject[Any]()),
    "converted": converted,
}
EVERY: dict[str, Make] = {**REMEMBERING, "simple": SimpleSubject}


def each_of(kinds: dict[str, Make]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("make", kinds.values(), ids=kinds.keys())


@each_of(REMEMBERING)
@pytest.mark.parametrize("ends", [[], [ValueError("first")]], ids=["completed", "failed"])
@pytest.mark.parametrize("has_subscriber", [False, True])
def test_signals_after_the_end_of_a_subject_go_to_the_hook(
    make: Make, ends: list[Exception], has_subscriber: bool
) -> None:
    subject = make()
    if has_subscriber:
        subscribed(subject)
    observer = subject.create_observer()
    late = KeyError("late")
    with recorded_drops() as drops:
        observer.on_error(*ends) if ends else observer.on_complete()
        observer.on_next("after the end")
        observer.on_error(late)
    assert [(signal, value) for signal, value, _ in drops] == [("on_next", "after the end"), ("on_error", late)]


@each_of(EVERY)
def test_second_publisher_is_cancelled_and_the_first_goes_on(make: Make) -> None:
    subject = make()
    subscriber = subscribed(subject)
    first, second = ManualPublisher(), ManualPublisher()
    first.subscribe(subject.create_observer())
    second.subscribe(subject.create_observer())
    assert (first.cancels, second.cancels, second.requests) == (0, 1, [])
    first.send(1)
    assert subscriber.elements == [1]


@each_of(REMEMBERING)
def test_publisher_of_a_subject_that_has_ended_is_cancelled(make: Make) -> None:
    subject = make()
    subject.create_observer().on_complete()
    publisher = ManualPublisher()
    publisher.subscribe(subject.create_observer())
    assert (publisher.cancels, publisher.requests) == (1, [])


@pytest.mark.parametrize("leaving", ["cancel", "overflow"])
def test_elements_of_a_unicast_subject_whose_only_subscriber_has_left_go_to_the_hook(leaving: str) -> None:
    subject: UnicastSubject[Any] = UnicastSubject(capacity=1)
    subscriber = subscribed(subject, first_request=0)
    if leaving == "cancel":
        subscriber.cancel()
    else:
        subject.on_next("waits")
        subject.on_next("too much")
    with recorded_drops() as drops:
        subject.on_next("for nobody")
    assert drops == [("on_next", "for nobody", "UnicastSubject")]
