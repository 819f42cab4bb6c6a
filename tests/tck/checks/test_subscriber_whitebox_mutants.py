"""A subscriber that is wrong in one way is failed in the white box, in words that say so, and nothing hangs."""

from typing import Any

import pytest

from reactivestreams.tck import Outcome
from tests.tck.settings import short_environment
from tests.tck.subscriber_subjects import SteppingSubscriber, TriggeredSubscriber, WhiteboxOf, whitebox_of
from tests.tck.subscriber_verdicts import (
    HAPPY,
    SPEC201,
    SPEC203_COMPLETE,
    SPEC203_ERROR,
    SPEC205,
    SPEC208,
    SPEC209,
    SPEC210,
    SPEC213,
    SPEC308,
    verdict_of,
)
from tests.tck.wrong_subscribers import (
    AsksFirst,
    CallsNamesake,
    CancelsAtEnd,
    CancelsFirst,
    Deaf,
    ForgetsTheEnd,
    GoesOnAfterEnd,
    KeepsOneDemand,
    LetsFailuresOut,
    Loses,
    NeverCancels,
    PassesNoneOn,
    RaisesAfterCancel,
    RaisesInError,
    RefusesEarly,
    RefusesLate,
    ReplacesError,
    ReportsAnother,
    ReportsNothing,
    ReportsTwice,
    RequestsAtEnd,
    RequestsElsewhereAtEnd,
    RequestsLess,
    RequestsText,
    SilentAtEnd,
    Slow,
    SlowStepping,
    StoresLate,
    TakesAll,
    TalkativeAtEnd,
    Unregistered,
)

WHITEBOX: list[Any] = [
    (SPEC201, Deaf, "2.1", "Did not receive expected `request` call within 100 ms"),
    (SPEC201, ReportsNothing, "2.1", "did not call `register_on_next(0)` within 100 ms"),
    (HAPPY, ReportsNothing, "", "did not call `register_on_next(0)` within 100 ms"),
    (HAPPY, ReportsAnother, "", "called `register_on_next(1)` rather than `register_on_next(0)`"),
    (HAPPY, NeverCancels, "", "Did not receive expected cancelling of upstream subscription within 100 ms"),
    (
        SPEC203_COMPLETE,
        RequestsAtEnd,
        "2.3",
        "Subscription::request MUST NOT be called from Subscriber::on_complete (Rule 2.3)!",
    ),
    (
        SPEC203_COMPLETE,
        CancelsAtEnd,
        "2.3",
        "Subscription::cancel MUST NOT be called from Subscriber::on_complete (Rule 2.3)!",
    ),
    (
        SPEC203_ERROR,
        RequestsAtEnd,
        "2.3",
        "Subscription::request MUST NOT be called from Subscriber::on_error (Rule 2.3)!",
    ),
    (
        SPEC203_ERROR,
        CancelsAtEnd,
        "2.3",
        "Subscription::cancel MUST NOT be called from Subscriber::on_error (Rule 2.3)!",
    ),
    (SPEC203_COMPLETE, RequestsElsewhereAtEnd, "2.3", "It was called on another thread after that signal"),
    ("required_spec204_must_not_request_after_on_complete", GoesOnAfterEnd, "2.4", "request(1) was called after"),
    ("required_spec204_must_not_request_after_on_error", GoesOnAfterEnd, "2.4", "request(1) was called after on_error"),
    (SPEC205, TakesAll, "2.5", "Expected 2nd Subscription given to subscriber to be cancelled, but `Subscription.ca"),
    ("required_spec205_second_subscription_must_not_be_used", TakesAll, "2.5", "from the second subscription"),
    ("required_spec205_first_subscription_must_stay_usable", CancelsFirst, "2.5", "first subscription was cancelled"),
    ("required_spec206_must_cancel_when_told_to", NeverCancels, "2.6", "Did not receive expected cancelling"),
    (SPEC208, RaisesAfterCancel, "2.13", "But I thought it's cancelled!"),
    (SPEC208, NeverCancels, "2.8", "Did not receive expected cancelling of upstream subscription within"),
    (SPEC209.format("with"), SilentAtEnd, "2.9", "did not call `register_on_complete()`"),
    (SPEC209.format("with"), TalkativeAtEnd, "2.9", "Unexpected additional complete signal received!"),
    (SPEC209.format("without"), Unregistered, "2.9", "did not `register_on_subscribe`"),
    (SPEC210.format("with"), RaisesInError, "2.13", "Test Exception: Boom!"),
    (SPEC210.format("without"), RaisesInError, "2.13", "Test Exception: Boom!"),
    (SPEC210.format("without"), SilentAtEnd, "2.10", "did not call `register_on_error("),
    (SPEC210.format("without"), TalkativeAtEnd, "2.10", "Cannot complete a promise more than once!"),
    (SPEC210.format("without"), ReplacesError, "2.10", "rather than"),
    (SPEC213.format("on_error"), PassesNoneOn, "2.13", "on_error(None) did not throw TypeError"),
    ("required_spec213_none_must_be_refused_before_on_subscribe", RefusesLate, "2.13", "on_next(None) did not throw"),
    ("required_spec213_none_must_be_refused_after_the_end", RefusesEarly, "2.13", "on_next(None) did not throw"),
    (SPEC308, RequestsLess, "3.8", "Did not receive expected `request` call within 100 ms"),
    (SPEC308, ReportsTwice, "3.8", "rather than"),
    (
        "required_spec308_demand_must_reach_the_publisher_in_full",
        KeepsOneDemand,
        "3.8",
        "Did not receive expected `request` call within 100 ms: 5 elements were sent, 5 requested",
    ),
    ("required_spec309_requests_must_be_positive", RequestsText, "3.9", "integers but received request('1')"),
    (
        "required_spec310_must_bear_a_publisher_that_sends_inside_request",
        StoresLate,
        "2.13",
        "on_next(0) raised AttributeError: there is no subscription",
    ),
    (
        "required_spec311_must_bear_a_publisher_that_completes_inside_request",
        ForgetsTheEnd,
        "3.11",
        "did not call `register_on_complete()`",
    ),
    pytest.param(
        "stochastic_spec211_every_element_must_be_processed_once_and_in_order",
        Loses,
        "2.11",
        "called `register_on_next(3)` rather than `register_on_next(2)`",
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize(("check", "kind", "rule", "message"), WHITEBOX)
def test_wrong_subscriber_is_failed_in_the_white_box(check: str, kind: type[Any], rule: str, message: str) -> None:
    verdict = verdict_of(check, whitebox_of(kind))
    assert verdict.outcome is Outcome.FAIL
    assert message in verdict.message
    assert rule in verdict.broken_rules if rule else verdict.broken_rules == ()


@pytest.mark.parametrize(
    ("check", "verification"),
    [
        (SPEC201, whitebox_of(TriggeredSubscriber)),
        (SPEC203_COMPLETE, whitebox_of(CallsNamesake)),
        (SPEC203_ERROR, whitebox_of(CallsNamesake)),
        (SPEC203_COMPLETE, whitebox_of(Unregistered)),
        (SPEC208, whitebox_of(Slow)),
        (SPEC308, whitebox_of(Slow)),
        (SPEC308, whitebox_of(SlowStepping)),
        pytest.param(
            "required_spec308_demand_must_reach_the_publisher_in_full",
            whitebox_of(SlowStepping),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_unusual_subscriber_passes(check: str, verification: type[Any]) -> None:
    assert verdict_of(check, verification).message == ""


def test_failure_that_leaves_the_subscriber_is_failed_in_the_white_box() -> None:
    class Fails(WhiteboxOf):
        def create_failing_subscriber(self, signal: str, probe: Any) -> Any:
            return LetsFailuresOut(probe)

    verdict = verdict_of("required_spec213_failure_in_on_next_must_lead_to_cancel", Fails)
    assert verdict.outcome is Outcome.FAIL
    assert "on_next(0) raised ValueError: the element cannot be processed" in verdict.message


@pytest.mark.parametrize(
    "check",
    [
        HAPPY,
        SPEC201,
        SPEC205,
        SPEC208,
        SPEC308,
        *(each.format(word) for each in (SPEC209, SPEC210) for word in ("with", "without")),
        *(SPEC213.format(signal) for signal in ("on_subscribe", "on_next", "on_error")),
    ],
)
def test_subscriber_that_does_not_register_fails_wherever_a_puppet_is_needed(check: str) -> None:
    verdict = verdict_of(check, whitebox_of(Unregistered))
    assert verdict.outcome is Outcome.FAIL
    assert "did not `register_on_subscribe` within 100 ms" in verdict.message


def test_elements_processed_out_of_order_are_reported_as_optional() -> None:
    name = "optional_spec310_order_should_be_kept_when_request_sends_the_next_element"
    verdict = verdict_of(name, whitebox_of(AsksFirst))
    assert verdict.outcome is Outcome.SKIP
    assert "Unexpected element 2 received after stream completed" in verdict.message


@pytest.mark.slow
def test_subscriber_that_never_stops_requesting_is_given_up() -> None:
    class Endless(SteppingSubscriber):
        def begin(self) -> None:
            while True:
                self.subscription.request(1)

    verdict = verdict_of(SPEC201, whitebox_of(Endless), short_environment(watchdog_timeout_milliseconds=300))
    assert verdict.outcome is Outcome.FAIL
    assert "did not finish within" in verdict.message
    assert "while True" in verdict.evidence.stacks or "begin" in verdict.evidence.stacks
