"""The publisher that breaks a named rule breaks that one: the kit sees it, and our streams stand it."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, DemandExceededError, NullElementError
from reactivestreams.tck import Edition, PublisherVerification, run
from reactivestreams.testing import BROKEN_RULES, MisbehavingPublisher
from tests.rs_core.recording_subscriber import RecordingSubscriber
from tests.tck.settings import short_environment


def checks_of(rule: str) -> list[str]:
    return [check.name for check in PublisherVerification.catalog.chosen(None, Edition.JVM) if rule in check.rules]


@pytest.mark.parametrize("rule", BROKEN_RULES)
def test_kit_sees_the_rule_that_is_broken(rule: str) -> None:
    class Misbehaving(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            return MisbehavingPublisher(rule, elements=elements)

        def create_failed_publisher(self) -> Any:
            return MisbehavingPublisher(rule)

    report = run(Misbehaving, short_environment(), names=checks_of(rule))
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
