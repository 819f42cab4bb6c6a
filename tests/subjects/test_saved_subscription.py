"""The state of a subscription to a subject: what came and was not sent, and the end behind it."""

from typing import Any

import pytest

from reactivestreams.state import load_tree, save_tree
from reactivestreams.subjects import BroadcastSubject, ReplaySubject, SubjectPolicy, buffer, lockstep
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber

POLICIES = pytest.mark.parametrize("policy", [lockstep(), buffer(16)], ids=lambda policy: policy.name)


def bound(subject: Any, first_request: int) -> tuple[Any, RecordingSubscriber]:
    subscriber = RecordingSubscriber(first_request=first_request)
    handle = subject.bind(subscriber)
    handle.initialize()
    return handle, subscriber


def loaded(subject: Any, data: bytes, first_request: int = UNBOUNDED) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=first_request)
    handle = subject.bind(subscriber)
    load_tree(handle, data)
    assert save_tree(handle) == data
    handle.initialize()
    return subscriber


@POLICIES
@pytest.mark.parametrize("requested", range(6))
def test_what_was_not_sent_is_sent_after_loading_and_then_what_comes(policy: SubjectPolicy, requested: int) -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=policy)
    handle, before = bound(subject, requested)
    for number in range(5):
        subject.on_next(number)
    data = save_tree(handle)
    handle.cancel()
    again: BroadcastSubject[int] = BroadcastSubject(policy=policy)
    after = loaded(again, data)
    again.on_next(5)
    assert before.elements + after.elements == [0, 1, 2, 3, 4, 5]
    assert after.faults == []


@POLICIES
def test_saved_subscription_goes_on_in_the_order_of_its_elements(policy: SubjectPolicy) -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=policy)
    handle, subscriber = bound(subject, 1)
    for number in range(3):
        subject.on_next(number)
    data = save_tree(handle)
    assert save_tree(handle) == data
    subject.on_next(3)
    subscriber.request(2)
    subject.on_next(4)
    assert save_tree(handle) != data
    subscriber.request(9)
    assert subscriber.outcome == ([0, 1, 2, 3, 4], "open")


@pytest.mark.parametrize("error", [None, ValueError("broken")])
def test_end_that_waits_is_saved(error: ValueError | None) -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep())
    handle, _ = bound(subject, 1)
    subject.on_next(1)
    subject.on_next(2)
    if error is None:
        subject.on_complete()
    else:
        subject.on_error(error)
    again: BroadcastSubject[int] = BroadcastSubject(policy=lockstep())
    after = loaded(again, save_tree(handle))
    again.on_next(3)
    assert after.outcome == ([2], "complete" if error is None else repr(error))
    assert again.subscriber_count == 0


def test_subscription_that_was_cancelled_stays_so() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep())
    handle, _ = bound(subject, 0)
    subject.on_next(1)
    handle.cancel()
    again: BroadcastSubject[int] = BroadcastSubject(policy=lockstep())
    after = loaded(again, save_tree(handle))
    again.on_next(2)
    assert (after.outcome, again.subscriber_count) == (([], "open"), 0)


def test_loaded_subscription_gets_nothing_a_second_time_of_what_is_kept() -> None:
    subject: ReplaySubject[int] = ReplaySubject(3)
    handle, before = bound(subject, 1)
    for number in range(3):
        subject.on_next(number)
    after = loaded(subject, save_tree(handle))
    assert before.elements + after.elements == [0, 1, 2]


def test_demand_is_no_state() -> None:
    subject: BroadcastSubject[int] = BroadcastSubject()
    handle, subscriber = bound(subject, 0)
    data = save_tree(handle)
    for node in (handle, *handle.inputs):
        node.on_state_saved()
    subscriber.request(7)
    assert save_tree(handle) == data
