"""Subjects between threads: a producer, subscribers that request in threads of their own, and some that come and go."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.subjects import BroadcastSubject, ReplaySubject, SubjectPolicy, buffer, lockstep
from tests.contracts.recording_subscriber import RecordingSubscriber

ELEMENTS = 3000
WAIT_SECONDS = 60


class Requesting(RecordingSubscriber):
    """Requests a few at a time in a thread of its own."""

    def __init__(self, at_once: int) -> None:
        super().__init__()
        self.at_once = at_once
        self.wanted = threading.Semaphore(0)
        self.thread = threading.Thread(target=self.ask, daemon=True)

    def on_subscribe(self, subscription: Any, /) -> None:
        super().on_subscribe(subscription)
        self.thread.start()
        self.wanted.release()

    def ask(self) -> None:
        while self.wanted.acquire(timeout=WAIT_SECONDS) and not self.has_ended:
            self.request(self.at_once)

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        if len(self.elements) % self.at_once == 0:
            self.wanted.release()

    def finish(self) -> None:
        assert self.ended.wait(WAIT_SECONDS)
        self.wanted.release()
        self.thread.join(WAIT_SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize("policy", [lockstep(capacity=64), buffer(ELEMENTS)], ids=lambda policy: policy.name)
def test_subscribers_with_threads_of_their_own_get_every_element_once(policy: SubjectPolicy) -> None:
    subject: BroadcastSubject[int] = BroadcastSubject(policy=policy)
    subscribers = [Requesting(at_once) for at_once in (1, 7, 100)]
    for subscriber in subscribers:
        subject.subscribe(subscriber)
    with WorkerScheduler() as worker:
        Stream.range(ELEMENTS).observe_on(worker, prefetch=16).subscribe(subject)
        for subscriber in subscribers:
            subscriber.finish()
    assert [each.outcome for each in subscribers] == [(list(range(ELEMENTS)), "complete")] * 3


@pytest.mark.slow
def test_who_comes_while_elements_come_misses_none_of_what_is_kept_and_gets_none_twice() -> None:
    subject: ReplaySubject[int] = ReplaySubject(ELEMENTS, policy=buffer(ELEMENTS))
    late: list[RecordingSubscriber] = []
    has_begun = threading.Event()

    def come(is_over: Callable[[], bool]) -> None:
        while not is_over():
            subscriber = RecordingSubscriber(first_request=ELEMENTS + 1)
            subject.subscribe(subscriber)
            late.append(subscriber)
            has_begun.set()
            if len(late) % 16 != 1:  # those that stay make each element dearer, and then more come beside it
                subscriber.cancel()

    over = threading.Event()
    thread = threading.Thread(target=come, args=(over.is_set,), daemon=True)
    thread.start()
    assert has_begun.wait(WAIT_SECONDS)
    for number in range(ELEMENTS):
        subject.on_next(number)
    over.set()
    thread.join(WAIT_SECONDS)
    subject.on_complete()
    stayed = [each for each in late if not each.is_cancelled]
    assert stayed
    for subscriber in stayed:
        assert subscriber.outcome == (list(range(ELEMENTS)), "complete")
    for subscriber in late:
        assert subscriber.elements == list(range(len(subscriber.elements)))


def test_requests_of_the_upstream_never_overlap() -> None:
    calls: list[str] = []
    subject: BroadcastSubject[int] = BroadcastSubject(policy=lockstep())
    first, second = RecordingSubscriber(first_request=1), RecordingSubscriber(first_request=1)

    class Upstream:
        def request(self, n: int) -> None:
            calls.append(f"request({n}) begins")
            if n == 1:
                # Another thread requests for both, while this call has not returned.
                thread = threading.Thread(target=lambda: (first.request(5), second.request(5)), daemon=True)
                thread.start()
                thread.join(WAIT_SECONDS)
                calls.append("both have requested" if not thread.is_alive() else "a request waits")
            calls.append(f"request({n}) ends")

        def cancel(self) -> None:
            calls.append("cancel")

    subject.subscribe(first)
    subject.subscribe(second)
    subject.on_subscribe(Upstream())
    assert calls == [
        "request(1) begins", "both have requested", "request(1) ends", "request(5) begins", "request(5) ends",
    ]  # fmt: skip
