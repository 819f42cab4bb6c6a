"""The publisher that breaks a named rule breaks that one: the kit sees it, and our streams stand it."""

import threading
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, DemandExceededError, NullElementError
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import Edition, PublisherVerification, run
from reactivestreams.tck.probes.misbehaving_publisher import LATE_ELEMENTS
from reactivestreams.testing import BROKEN_RULES, MisbehavingPublisher
from tests.rs_core.recording_subscriber import RecordingSubscriber
from tests.tck.settings import short_environment

ATTEMPTS = 5
"""Whether two signals that begin together overlap is up to the system: §1.3 is judged by a stochastic check."""


def checks_of(rule: str) -> list[str]:
    return [check.name for check in PublisherVerification.catalog.chosen(None, Edition.JVM) if rule in check.rules]


@pytest.mark.parametrize("rule", BROKEN_RULES)
def test_kit_sees_the_rule_that_is_broken(rule: str) -> None:
    class Misbehaving(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            return MisbehavingPublisher(rule, elements=elements)

        def create_failed_publisher(self) -> Any:
            return MisbehavingPublisher(rule)

    for _ in range(ATTEMPTS):
        report = run(Misbehaving, short_environment(), names=checks_of(rule))
        if report.failed:
            break
    assert report.failed != ()
    assert all(rule in verdict.rules for verdict in report.failed)


@pytest.mark.parametrize("rule", [rule for rule in BROKEN_RULES if rule not in {"1.1", "1.4", "2.13"}])
def test_stream_gets_the_elements_all_the_same(rule: str) -> None:
    publisher = MisbehavingPublisher(rule, elements=5)
    elements = Stream.from_publisher(publisher, prefetch=2).take(4).to_list()
    assert sorted(elements) == ([] if rule == "1.9" else [0, 1, 2, 3])


def test_element_too_many_ends_a_stream_and_names_the_rule() -> None:
    with pytest.raises(DemandExceededError, match=r"§1\.1"):
        Stream.from_publisher(MisbehavingPublisher("1.1", elements=5), prefetch=2).to_list()


def test_rules_and_numbers_are_checked() -> None:
    with pytest.raises(ArgumentError, match=r"cannot break '3.17'; pass one of 1.1, "):
        MisbehavingPublisher("3.17")
    with pytest.raises(ArgumentError, match="needs 0 or more, got -1"):
        MisbehavingPublisher("1.1", elements=-1)
    with pytest.raises(NullElementError):
        MisbehavingPublisher("1.1").subscribe(None)


def test_none_in_place_of_an_element_is_refused_to_the_publishers_face(caplog: pytest.LogCaptureFixture) -> None:
    subscriber = RecordingSubscriber(demand=2)
    Stream.from_publisher(MisbehavingPublisher("2.13"), prefetch=2).subscribe(subscriber)
    assert [signal[0] for signal in subscriber.signals] == ["on_subscribe"]
    assert "§2.13: on_next(None): None cannot be an element" in caplog.text


def test_none_comes_first_also_where_it_is_requested_inside_on_subscribe() -> None:
    subscriber = RecordingSubscriber(demand=2)
    MisbehavingPublisher("2.13").subscribe(subscriber)
    assert subscriber.elements == [None, 1, 2]
    assert subscriber.is_complete


def test_none_in_place_of_the_first_element_leaves_an_empty_stream_empty() -> None:
    subscriber = RecordingSubscriber(demand=2)
    MisbehavingPublisher("2.13", elements=0).subscribe(subscriber)
    assert subscriber.names == ["on_subscribe", "on_complete"]


def test_overlapping_signals_do_not_nest_where_elements_are_requested_one_by_one() -> None:
    subscriber = RecordingSubscriber(demand=1)
    MisbehavingPublisher("1.3", elements=2000).subscribe(subscriber)
    assert subscriber.elements == list(range(2000))
    assert subscriber.names.count("on_complete") == 1


def test_signal_that_meets_no_other_comes_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    class BrokenBarrier(threading.Barrier):
        def __init__(self, parties: int, *, timeout: float) -> None:
            super().__init__(parties, timeout=timeout)
            self.abort()

    monkeypatch.setattr(threading, "Barrier", BrokenBarrier)
    subscriber = RecordingSubscriber()
    MisbehavingPublisher("1.3", elements=5).subscribe(subscriber)
    assert sorted(subscriber.elements) == [0, 1, 2, 3, 4]
    assert sorted(subscriber.names) == ["on_complete", *["on_next"] * 5, "on_subscribe"]


def test_element_after_the_end_is_made_without_a_lock() -> None:
    subscriber = RecordingSubscriber()

    def create_element(number: int) -> int:
        if subscriber.subscription is not None:
            subscriber.subscription.request(1)
        return number

    publisher = MisbehavingPublisher("1.7", elements=1, create_element=create_element)
    thread = threading.Thread(target=publisher.subscribe, args=(subscriber,), daemon=True)
    thread.start()
    thread.join(60)
    assert subscriber.names == ["on_subscribe", "on_next", "on_complete", "on_next", "on_complete"]


def test_element_after_the_end_that_cannot_be_made_loses_no_end(caplog: pytest.LogCaptureFixture) -> None:
    subscriber = RecordingSubscriber()
    elements = iter([0])
    MisbehavingPublisher("1.7", elements=1, create_element=lambda number: next(elements)).subscribe(subscriber)
    assert subscriber.names == ["on_subscribe", "on_next", "on_complete"]
    assert "StopIteration" in caplog.text


def test_publisher_that_is_deaf_to_cancel_ends_some_time() -> None:
    subscriber = RecordingSubscriber()
    subscriber.actions["on_next"] = subscriber.cancel
    MisbehavingPublisher("1.8", elements=MAX_DEMAND).subscribe(subscriber)
    assert subscriber.element_count == 1 + LATE_ELEMENTS
