"""The state of a subject itself: what it keeps for late subscribers, its end, whether it is sealed or disposed."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import SourceUsedTwiceError, StateError
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler
from reactivestreams.state import SnapshotReader, SnapshotWriter, load_record, load_tree, save_record, save_tree
from reactivestreams.subjects import (
    BroadcastSubject,
    ReplaySubject,
    SimpleSubject,
    SubjectSealedError,
    UnicastSubject,
)
from reactivestreams.subjects.in_memory_subject import InMemorySubject
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

Make = Callable[[], Any]

KINDS = pytest.mark.parametrize(
    "make",
    [BroadcastSubject, lambda: ReplaySubject(2), UnicastSubject],
    ids=["broadcast", "replay", "unicast"],
)


def saved(subject: InMemorySubject[Any]) -> bytes:
    snapshot = SnapshotWriter()
    save_record(subject, snapshot)
    return snapshot.finish()


def loaded(make: Make, data: bytes) -> Any:
    subject = make()
    snapshot = SnapshotReader(data)
    load_record(subject, snapshot)
    snapshot.finish()
    return subject


def recovered(make: Make, subject: InMemorySubject[Any]) -> Any:
    after = loaded(make, saved(subject))
    assert not after.state_changed
    assert saved(after) == saved(subject)
    return after


def late(subject: Any, first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    subject.subscribe(subscriber)
    return subscriber


@KINDS
def test_late_subscriber_of_a_recovered_subject_gets_its_completion(make: Make) -> None:
    subject = make()
    subject.on_complete()
    assert late(recovered(make, subject)).outcome == ([], "complete")


@KINDS
def test_late_subscriber_of_a_recovered_subject_gets_its_error(make: Make) -> None:
    subject = make()
    subject.on_error(ValueError("no more"))
    subscriber = late(recovered(make, subject))
    assert type(subscriber.error) is ValueError


def test_recovered_replay_subject_gives_what_it_keeps_and_then_what_comes() -> None:
    subject: ReplaySubject[int] = ReplaySubject(2)
    for number in range(4):
        subject.on_next(number)
    after = recovered(lambda: ReplaySubject(2), subject)
    subscriber = late(after)
    after.on_next(4)
    assert subscriber.elements == [2, 3, 4]


def test_recovered_replay_subject_forgets_what_is_too_old() -> None:
    clock = VirtualTime()

    def make() -> Any:
        return ReplaySubject(9, max_age=timedelta(microseconds=10), scheduler=VirtualTimeScheduler(clock))

    clock.sleep(100)
    subject = make()
    subject.on_next("old")
    clock.sleep(7)
    subject.on_next("young")
    after = recovered(make, subject)
    clock.sleep(7)
    assert late(after).elements == ["young"]


def test_recovered_unicast_subject_keeps_what_waits_for_its_subscriber() -> None:
    subject: UnicastSubject[int] = UnicastSubject()
    subject.on_next(1)
    after = recovered(UnicastSubject, subject)
    after.on_next(2)
    assert late(after).elements == [1, 2]


def test_recovered_unicast_subject_takes_its_subscriber_back_and_no_other() -> None:
    subject: UnicastSubject[int] = UnicastSubject()
    before = RecordingSubscriber(first_request=1)
    handle = subject.bind(before)
    handle.initialize()  # type: ignore[attr-defined]
    subject.on_next(1)
    subject.on_next(2)
    tree = save_tree(handle)
    after = recovered(UnicastSubject, subject)
    again = RecordingSubscriber(first_request=UNBOUNDED)
    back = after.bind(again)
    load_tree(back, tree)
    back.initialize()
    after.on_next(3)
    assert (before.elements, again.elements) == ([1], [2, 3])
    assert type(late(after).error) is SourceUsedTwiceError


def test_sealed_subject_takes_the_subscribers_back_that_it_had_and_no_others() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    handle = subject.bind(RecordingSubscriber(first_request=0))
    handle.initialize()  # type: ignore[attr-defined]
    subject.seal()
    tree = save_tree(handle)
    after = recovered(BroadcastSubject, subject)
    assert not after.is_disposed
    again = RecordingSubscriber(first_request=UNBOUNDED)
    back = after.bind(again)
    load_tree(back, tree)
    back.initialize()
    after.on_next(1)
    assert again.elements == [1]
    assert type(late(after).error) is SubjectSealedError
    back.cancel()
    assert after.is_disposed


def test_disposed_subject_is_disposed_when_it_is_recovered() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    subject.dispose()
    assert recovered(BroadcastSubject, subject).is_disposed


def test_simple_subject_remembers_no_end() -> None:
    subject: SimpleSubject[int] = SimpleSubject()
    subject.on_complete()
    assert late(recovered(SimpleSubject, subject)).outcome == ([], "open")


@KINDS
def test_only_what_late_subscribers_would_see_is_a_change(make: Make) -> None:
    subject = make()
    assert subject.state_changed
    token = subject.save_state(SnapshotWriter().create("x", (1, 0, 0, 0)))
    assert subject.state_changed
    subject.on_state_saved(token)
    assert not subject.state_changed
    subject.on_next(1)
    assert subject.state_changed == (not isinstance(subject, BroadcastSubject))
    subject.on_complete()
    assert subject.state_changed


def test_late_commit_of_an_older_snapshot_leaves_a_newer_one_pending() -> None:
    subject: ReplaySubject[int] = ReplaySubject(2)
    first = subject.save_state(SnapshotWriter().create("x", (1, 0, 0, 0)))
    subject.on_next(1)
    second = subject.save_state(SnapshotWriter().create("x", (1, 0, 0, 0)))
    subject.on_state_saved(first)
    assert subject.state_changed
    subject.on_state_saved(second)
    assert not subject.state_changed


def test_subject_that_was_used_is_not_loaded() -> None:
    subject: ReplaySubject[int] = ReplaySubject(2)
    subject.on_next(1)
    data = saved(subject)
    with pytest.raises(StateError, match="was already started"):
        load_record(subject, SnapshotReader(data))


def test_subject_that_keeps_less_than_was_saved_is_refused() -> None:
    subject: ReplaySubject[int] = ReplaySubject(3)
    for number in range(3):
        subject.on_next(number)
    with pytest.raises(StateError, match="retained 3 elements when it was saved, and retains at most 2 now"):
        loaded(lambda: ReplaySubject(2), saved(subject))


def test_subject_is_not_saved_inside_of_a_delivery() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    caught: list[StateError] = []

    def look(_: int) -> None:
        try:
            saved(subject)
        except StateError as error:
            caught.append(error)

    subscription = Stream.from_publisher(subject).subscribe(on_next=look)
    subject.on_next(1)
    assert ["while elements flow" in str(error) for error in caught] == [True]
    subscription.cancel()
