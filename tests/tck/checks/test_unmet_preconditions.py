"""What a check begins with and is not the case is judged once, by the checks about it; all others are skipped."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.errors import CapacityError
from reactivestreams.tck import Environment, Outcome, PublisherVerification, check, judge, run
from reactivestreams.tck.kit.failure import Unmet
from tests.tck.settings import short_environment
from tests.tck_selftest.subscribers.collector import Collector
from tests.tck_selftest.subscribers.subscriber_case import blackbox, whitebox


class NeverRequesting(Collector):
    def request(self, n: int) -> None:
        """Do nothing."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("subject", "failed"),
    [
        (blackbox(NeverRequesting), ["required_spec201_blackbox_must_signal_demand_via_subscription_request"]),
        (
            whitebox(NeverRequesting),
            ["required_exercise_whitebox_happy_path", "required_spec201_must_signal_demand_via_subscription_request"],
        ),
    ],
    ids=["black box", "white box"],
)
def test_subscriber_that_never_requests_breaks_one_rule(subject: Callable[[], Any], failed: list[str]) -> None:
    report = run(subject(), Environment(300, 60, seed=1))
    assert [verdict.check for verdict in report.failed] == failed
    skipped = [verdict for verdict in report.skipped if "must_not_request_after_on_complete" in verdict.check]
    assert [verdict.message.partition(":")[0] for verdict in skipped] == [
        "Unable to run this test, as §2.1 is broken, which other checks judge"
    ]


@check(rules=("2.9", "2.1"))
def required_something_else(subject: Any, environment: Any) -> None:
    """Claim something that begins with a request."""
    subject(environment)
    raise Unmet("nothing was requested", rule="2.1")


@pytest.mark.parametrize(
    ("before", "outcome"),
    [
        (lambda environment: None, Outcome.SKIP),
        (lambda environment: environment.violation("1.1", "too many"), Outcome.FAIL),
        (lambda environment: environment.flop("too late"), Outcome.FAIL),
    ],
    ids=["nothing", "a violation", "a failure"],
)
def test_unmet_precondition_hides_nothing_that_was_seen_before(before: Callable[[Any], None], outcome: Outcome) -> None:
    assert judge(required_something_else, before, short_environment()).outcome is outcome


class OneElement:
    """Send an element for each request; fail after the first one where a bound is passed."""

    def __init__(self, subscriber: Any, error: Exception | None) -> None:
        self.subscriber = subscriber
        self.error = error

    def request(self, n: int) -> None:
        if self.subscriber is not None:
            self.subscriber.on_next(n)
        if self.subscriber is not None and self.error is not None:
            subscriber, self.subscriber = self.subscriber, None
            subscriber.on_error(self.error)

    def cancel(self) -> None:
        self.subscriber = None


class FailsTheLaterOne:
    """Fail each second subscriber, as one whose request came so late that its buffer was full."""

    def __init__(self) -> None:
        self.subscribers = 0

    def subscribe(self, subscriber: Any) -> None:
        self.subscribers += 1
        error = None if self.subscribers % 2 else CapacityError("one element more than the buffer holds")
        subscriber.on_subscribe(OneElement(subscriber, error))


def test_subscription_that_ended_before_the_other_was_cancelled_is_not_held_against_the_cancel() -> None:
    class Numbers(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            return FailsTheLaterOne()

    name = "required_spec312_cancel_must_not_end_another_subscription"
    (verdict,) = run(Numbers, short_environment(), names=[name]).verdicts
    assert (verdict.outcome, verdict.message) == (
        Outcome.SKIP,
        "The publisher ended a subscription by on_error before the other was cancelled.",
    )
