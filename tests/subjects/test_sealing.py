"""Sealed subjects take no more subscribers, and dispose themselves when the last one has left."""

from typing import Any

import pytest

from reactivestreams.lifecycle import LifecycleError
from reactivestreams.subjects import (
    BroadcastSubject,
    GroupedSubject,
    MultiSubject,
    SimpleSubject,
    SubjectDisposedError,
    SubjectSealedError,
)
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


def subscribed(subject: Any) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    subject.subscribe(subscriber)
    return subscriber


def test_sealed_subject_refuses_subscribers_and_keeps_those_it_has() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    first = subscribed(subject)
    subject.seal()
    second = subscribed(subject)
    subject.on_next(1)
    assert first.outcome == ([1], "open")
    assert isinstance(second.error, SubjectSealedError)
    assert str(second.error) == "BroadcastSubject is sealed and accepts no more subscribers; subscribe before that"
    assert second.faults == []
    assert (subject.is_sealed, subject.is_disposed) == (True, False)


def test_handle_that_is_started_after_the_sealing_is_refused() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    subscribed(subject)
    subscriber = RecordingSubscriber(first_request=1)
    handle: Any = subject.bind(subscriber)
    subject.seal()
    handle.initialize()
    assert isinstance(subscriber.error, SubjectSealedError)


@pytest.mark.parametrize("leaving", ["cancel", "complete", "fail"])
def test_sealed_subject_disposes_itself_when_it_is_empty(leaving: str) -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    publisher = ManualPublisher()
    publisher.subscribe(subject)
    first, second = subscribed(subject), subscribed(subject)
    calls: list[str] = []
    subject.seal(on_empty=lambda: calls.append("empty"))
    subject.seal(on_empty=lambda: calls.append("again"))
    first.cancel()
    assert (subject.is_disposed, calls) == (False, [])
    if leaving == "cancel":
        second.cancel()
    elif leaving == "complete":
        publisher.complete()
    else:
        publisher.fail(ValueError())
    assert (subject.is_disposed, calls) == (True, ["empty"])
    assert publisher.cancels == (leaving == "cancel")


def test_subject_that_is_sealed_while_it_is_empty_disposes_itself_at_once() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    calls: list[str] = []
    subject.seal(on_empty=lambda: calls.append("empty"))
    assert (subject.is_disposed, calls) == (True, ["empty"])
    assert isinstance(subscribed(subject).error, SubjectDisposedError)


def test_disposing_a_sealed_subject_does_not_tell_that_it_is_empty() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subscribed(subject)
    calls: list[str] = []
    subject.seal(on_empty=lambda: calls.append("empty"))
    subject.dispose()
    assert calls == []


def test_grouped_subject_has_a_key_and_forwards_all_else() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    grouped = GroupedSubject("LHR", subject)
    subscriber = subscribed(grouped)
    grouped.create_observer().on_next(1)
    assert (grouped.key, subscriber.outcome) == ("LHR", ([1], "open"))
    assert GroupedSubject(None, subject).key is None
    grouped.seal()
    assert subject.is_sealed
    grouped.dispose()
    assert subject.is_disposed


def test_grouped_subject_of_one_that_cannot_be_sealed() -> None:
    plain: MultiSubject[int, int] = MultiSubject()
    with pytest.raises(LifecycleError, match=r"cannot be sealed; wrap a subject that has seal\(\)"):
        GroupedSubject(1, plain).seal()
