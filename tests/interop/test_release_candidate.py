"""A publisher of 1.0.0.RC1 keeps that edition's rules, breaks 1.0.4's, and keeps those when it is lifted."""

from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, NullElementError
from reactivestreams.interop.release_candidate import LiftedPublisher
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import Environment, PublisherVerification, run
from tests.tck.settings import short_environment
from tests.tck.subjects import LinkOfNumbers


class CandidateLink(LinkOfNumbers):
    """A subscription of the tagged release candidate: demand above the maximum is an error."""

    is_exceeded = False

    def added(self, n: int) -> int:
        self.is_exceeded = self.is_exceeded or self.demand + n > MAX_DEMAND
        return super().added(n)

    def signal(self, call: Any, *argument: Any) -> None:
        super().signal(call, *argument)
        with self.lock:
            subscriber = self.end() if self.is_exceeded and not self.is_over else None
        if subscriber is not None:
            super().signal(subscriber.on_error, RuntimeError("3.17: the demand exceeds 2**63 - 1"))


class CandidateNumbers:
    """A publisher of the release candidate; nothing there forbids None as a subscriber."""

    def __init__(self, count: int) -> None:
        self._count = count

    def subscribe(self, subscriber: Any) -> None:
        if subscriber is None:
            return
        link = CandidateLink(self._count, subscriber)
        link.is_sending = True
        link.signal(subscriber.on_subscribe, link)
        link.send()


class CandidateRejecting:
    """Reject every subscriber, by `on_error` in place of `on_subscribe`."""

    def subscribe(self, subscriber: Any) -> None:
        subscriber.on_error(RuntimeError("the publisher has failed"))


class CandidateVerification(PublisherVerification):
    def create_publisher(self, elements: int) -> Any:
        return CandidateNumbers(elements)

    def create_failed_publisher(self) -> Any:
        return CandidateRejecting()


class LiftedVerification(PublisherVerification):
    def create_publisher(self, elements: int) -> Any:
        return LiftedPublisher(CandidateNumbers(elements))

    def create_failed_publisher(self) -> Any:
        return LiftedPublisher(CandidateRejecting())


def environment(edition: str) -> Environment:
    return short_environment(edition=edition)


@pytest.mark.slow
def test_publisher_keeps_the_rules_of_its_own_edition() -> None:
    report = run(CandidateVerification, environment("rc1"))
    assert [verdict.headline for verdict in report.failed] == []
    assert {
        "optional_spec104_rc1_must_signal_on_error_instead_of_on_subscribe_when_fails",
        "required_spec112_may_reject_calls_to_subscribe_rejection_must_trigger_on_error_instead_of_on_subscribe",
        "required_spec317_rc1_must_signal_on_error_when_pending_above_max_demand",
    } <= {verdict.check for verdict in report.passed}


@pytest.mark.slow
def test_publisher_breaks_what_later_editions_have_changed() -> None:
    report = run(CandidateVerification, environment("1.0.4"))
    assert {rule for verdict in report.failed for rule in verdict.broken_rules} >= {"1.4", "1.9", "3.17"}
    assert {
        "optional_spec104_must_signal_on_error_when_fails",
        "required_spec109_subscribe_raise_type_error_on_none_subscriber",
        "required_spec317_must_not_signal_on_error_when_pending_above_max_demand",
    } <= {verdict.check for verdict in report.failed}


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["1.0.4", "dotnet"])
def test_lifted_publisher_keeps_the_rules_of_later_editions(edition: str) -> None:
    report = run(LiftedVerification, environment(edition))
    assert [verdict.headline for verdict in report.failed] == []
    assert "required_spec109_must_issue_on_subscribe_for_non_none_subscriber" in {
        verdict.check for verdict in report.passed
    }


class Collector:
    def __init__(self, request: int) -> None:
        self.signals: list[Any] = []
        self._request = request

    def on_subscribe(self, subscription: Any) -> None:
        self.signals.append("on_subscribe")
        subscription.request(self._request)

    def on_next(self, element: Any) -> None:
        self.signals.append(element)

    def on_error(self, error: Any) -> None:
        self.signals.append(type(error))

    def on_complete(self) -> None:
        self.signals.append("on_complete")


class SendingNone:
    """Send a None as an element, or as the error of its end."""

    def __init__(self, *, as_error: bool) -> None:
        self._as_error = as_error

    def subscribe(self, subscriber: Any) -> None:
        link = CandidateLink(3, subscriber)
        link.numbers = iter([0, None, 2])  # type: ignore[list-item]
        link.is_sending = True
        link.signal(subscriber.on_subscribe, link)
        if self._as_error:
            subscriber.on_error(None)
        else:
            link.send()


@pytest.mark.parametrize(("as_error", "before"), [(False, [0]), (True, [])], ids=["element", "error"])
def test_none_becomes_an_error_that_is_the_last_signal(as_error: bool, before: list[int]) -> None:
    collector = Collector(10)
    LiftedPublisher[Any](SendingNone(as_error=as_error)).subscribe(collector)
    assert collector.signals == ["on_subscribe", *before, NullElementError]


def test_publisher_that_raises_is_a_publisher_that_rejects() -> None:
    class Raising:
        def subscribe(self, subscriber: Any) -> None:
            raise OSError("no socket")

    collector = Collector(1)
    LiftedPublisher[Any](Raising()).subscribe(collector)
    assert collector.signals == ["on_subscribe", OSError]


def test_publisher_sees_no_more_demand_at_a_time_than_it_is_told_to() -> None:
    requested: list[int] = []

    class Counting(CandidateLink):
        def request(self, n: int, /) -> None:
            requested.append(n)
            super().request(n)

    class Publisher:
        def subscribe(self, subscriber: Any) -> None:
            link = Counting(10, subscriber)
            link.is_sending = True
            link.signal(subscriber.on_subscribe, link)
            link.send()

    collector = Collector(MAX_DEMAND)
    LiftedPublisher[int](Publisher(), prefetch=4).subscribe(collector)
    assert collector.signals == ["on_subscribe", *range(10), "on_complete"]
    assert max(requested) <= 4


def test_wrong_argument_is_refused_at_once() -> None:
    with pytest.raises(ArgumentTypeError, match=r"needs a Publisher, got 3 \(int\)"):
        LiftedPublisher(3)
    with pytest.raises(ArgumentError, match="prefetch"):
        LiftedPublisher(CandidateRejecting(), prefetch=0)
