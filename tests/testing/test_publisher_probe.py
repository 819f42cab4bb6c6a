"""A probe in a stream: what it counts, and what its assertions say."""

import threading
from collections.abc import Callable

import pytest

from reactivestreams import Stream
from reactivestreams.testing import PublisherProbe, TestPublisher
from tests.contracts.recording_subscriber import RecordingSubscriber


def counts(probe: PublisherProbe[int]) -> tuple[int, bool, bool]:
    return probe.subscribe_count, probe.was_requested, probe.was_cancelled


def test_probe_sees_subscriptions_requests_and_cancellations() -> None:
    probe = PublisherProbe(Stream.range(5))
    assert counts(probe) == (0, False, False)
    assert probe.stream.to_list() == [0, 1, 2, 3, 4]
    assert counts(probe) == (1, True, False)
    assert probe.stream.take(2).to_list() == [0, 1]
    assert counts(probe) == (2, True, True)


def test_probe_without_a_publisher_is_empty() -> None:
    assert PublisherProbe().stream.to_list() == []


def test_probe_observes_any_publisher() -> None:
    source = TestPublisher[int]()
    probe = PublisherProbe(source)
    subscriber = RecordingSubscriber(first_request=9)
    probe.stream.subscribe(subscriber)
    source.emit(1, 2)
    assert subscriber.outcome == ([1, 2], "complete")
    assert counts(probe) == (1, True, False)


@pytest.mark.parametrize(
    ("use", "passing", "failing"),
    [
        (
            lambda stream: None,
            ["was_not_subscribed", "was_not_requested", "was_not_cancelled"],
            ["was_subscribed", "was_requested", "was_cancelled"],
        ),
        (
            lambda stream: stream.take(1).to_list(),
            ["was_subscribed", "was_requested", "was_cancelled"],
            ["was_not_subscribed", "was_not_requested", "was_not_cancelled"],
        ),
    ],
    ids=["unused", "used"],
)
def test_assertions_say_what_was_there(
    use: Callable[[Stream[int]], object], passing: list[str], failing: list[str]
) -> None:
    probe = PublisherProbe(Stream.range(5))
    use(probe.stream)
    for name in passing:
        getattr(probe, f"assert_{name}")()
    for name in failing:
        with pytest.raises(AssertionError, match=r"^expected .* of Stream\.range\(0, 5\)\.do\(.* there were \d subscr"):
            getattr(probe, f"assert_{name}")()


def test_subscriptions_of_several_threads_are_all_counted() -> None:
    probe = PublisherProbe(Stream.range(3))
    threads = [threading.Thread(target=lambda: [probe.stream.to_list() for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert probe.subscribe_count == 800
