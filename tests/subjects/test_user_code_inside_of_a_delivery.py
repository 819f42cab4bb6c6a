"""Finalizers, clocks and interrupts inside of a delivery: no subject waits for another, nobody misses a signal."""

import gc
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reactivestreams.subjects import (
    BroadcastSubject,
    ReplaySubject,
    lockstep,
)
from tests.conftest import has_gil
from tests.contracts.finalized import Finalized
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.subjects.calling_subscribers import WAIT_SECONDS, subscribed


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
    # Up to Python 3.11 a collection, and with it any finalizer, runs wherever an object is made; later versions run it
    # between two steps of Python code, and those without GIL when there are many more objects.
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
    assert pushed or not has_gil()
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
