"""A subscriber that is wrong in one way is failed in the black box, in words that say so."""

from typing import Any

import pytest

from reactivestreams.tck import Environment, Outcome
from tests.tck.subscriber_subjects import BlackboxOf, LimitedSubscriber, SteppingSubscriber, blackbox_of
from tests.tck.subscriber_verdicts import (
    SPEC201,
    SPEC203_COMPLETE,
    SPEC203_ERROR,
    SPEC205,
    SPEC209,
    SPEC210,
    SPEC213,
    blackbox,
    verdict_of,
)
from tests.tck.wrong_subscribers import (
    CallsFromTwoThreads,
    CallsNamesake,
    CancelsAll,
    CancelsAtEnd,
    CancelsFirst,
    Deaf,
    GoesOnAfterEnd,
    Idle,
    IgnoresSecond,
    KeepsAfterFailure,
    LetsFailuresOut,
    OnlyForgets,
    RaisesAtEnd,
    RaisesAtLateElement,
    RaisesInError,
    RaisesInNext,
    RefusesLate,
    RequestsAtEnd,
    RequestsElsewhereAtEnd,
    RequestsNothing,
    StoresLate,
    TakesAll,
    WrongRefusal,
)


class FailsInTheDark(BlackboxOf):
    failing_kind: type[SteppingSubscriber] = SteppingSubscriber

    def create_failing_subscriber(self, signal: str) -> Any:
        return self.failing_kind()


class Limited(BlackboxOf):
    limited_kind: type[LimitedSubscriber] = LimitedSubscriber

    def create_limited_subscriber(self, elements: int) -> Any:
        return self.limited_kind(elements)


def with_attributes(base: type[Any], **attributes: Any) -> type[Any]:
    return type(base.__name__, (base,), attributes)


BLACKBOX: list[Any] = [
    (SPEC201, blackbox_of(Deaf), "2.1", "Did not receive expected `request` call within 100 ms"),
    (SPEC201, blackbox_of(RaisesInNext), "2.13", "on_next(0) raised RuntimeError: no element, please"),
    (SPEC201, blackbox_of(RaisesAtEnd), "2.13", "on_complete() raised RuntimeError: no end, please"),
    (
        SPEC201,
        blackbox_of(RequestsNothing),
        "3.9",
        "Requests cannot be zero or negative but received request(0)",
    ),
    (
        SPEC203_COMPLETE,
        blackbox_of(RequestsAtEnd),
        "2.3",
        "Subscription::request MUST NOT be called from Subscriber::on_complete (Rule 2.3)!",
    ),
    (
        SPEC203_ERROR,
        blackbox_of(CancelsAtEnd),
        "2.3",
        "Subscription::cancel MUST NOT be called from Subscriber::on_error (Rule 2.3)!",
    ),
    (
        SPEC203_COMPLETE,
        blackbox_of(RequestsElsewhereAtEnd),
        "2.3",
        "Subscription::request MUST NOT be called from Subscriber::on_complete (Rule 2.3)!",
    ),
    (
        "required_spec204_must_not_request_after_on_complete",
        blackbox_of(GoesOnAfterEnd),
        "2.4",
        "request(1) was called after on_complete",
    ),
    (SPEC205, blackbox_of(TakesAll), "2.5", "illegally called `subscription.request(1)`"),
    (
        SPEC205,
        blackbox_of(IgnoresSecond),
        "2.5",
        "Expected SecondSubscription given to subscriber to be cancelled, but `Subscription.cancel()` was not called.",
    ),
    (
        "required_spec205_blackbox_first_subscription_must_stay_usable",
        blackbox_of(CancelsFirst),
        "2.5",
        "the first subscription was cancelled",
    ),
    (
        "required_spec206_blackbox_limited_subscriber_must_cancel",
        with_attributes(Limited, limited_kind=OnlyForgets),
        "2.6",
        "Did not receive expected cancelling of upstream subscription",
    ),
    (
        "required_spec208_blackbox_limited_subscriber_must_be_prepared_for_late_elements",
        with_attributes(Limited, limited_kind=RaisesAtLateElement),
        "2.13",
        "on_next(3) raised RuntimeError: I have enough",
    ),
    (SPEC209.format("with"), blackbox_of(RaisesAtEnd), "2.13", "no end, please"),
    (SPEC210.format("with"), blackbox_of(RaisesInError), "2.13", "Test Exception: Boom!"),
    (SPEC210.format("without"), blackbox_of(RaisesInError), "2.13", "Wrong, don't do this!"),
    (SPEC213.format("on_subscribe"), blackbox_of(Idle), "2.13", "on_subscribe(None) did not throw TypeError"),
    (SPEC213.format("on_next"), blackbox_of(Idle), "2.13", "on_next(None) did not throw TypeError"),
    (SPEC213.format("on_error"), blackbox_of(Idle), "2.13", "on_error(None) did not throw TypeError"),
    (SPEC213.format("on_next"), blackbox_of(WrongRefusal), "2.13", "did not throw TypeError, but ValueError: None"),
    (
        "required_spec213_blackbox_none_must_be_refused_before_on_subscribe",
        blackbox_of(RefusesLate),
        "2.13",
        "on_next(None) did not throw TypeError",
    ),
    (
        "required_spec213_blackbox_failure_in_on_next_must_lead_to_cancel",
        with_attributes(FailsInTheDark, failing_kind=LetsFailuresOut),
        "2.13",
        "on_next(0) raised ValueError: the element cannot be processed",
    ),
    (
        "required_spec213_blackbox_failure_in_on_next_must_lead_to_cancel",
        with_attributes(FailsInTheDark, failing_kind=KeepsAfterFailure),
        "2.13",
        "Did not receive expected cancelling of upstream subscription",
    ),
    pytest.param(
        "stochastic_spec207_blackbox_calls_of_the_subscription_must_not_overlap",
        blackbox_of(CallsFromTwoThreads),
        "2.7",
        "request(1) was called while request was running on another thread",
        marks=pytest.mark.slow,
    ),
    (
        "required_spec310_blackbox_must_bear_a_publisher_that_sends_inside_request",
        blackbox_of(StoresLate),
        "2.13",
        "on_next(0) raised AttributeError: there is no subscription",
    ),
]


@pytest.mark.parametrize(("check", "verification", "rule", "message"), BLACKBOX)
def test_wrong_subscriber_is_failed_in_the_black_box(
    check: str, verification: type[Any], rule: str, message: str
) -> None:
    name = check if "_blackbox_" in check else blackbox(check)
    verdict = verdict_of(name, verification)
    assert verdict.outcome is Outcome.FAIL
    assert message in verdict.message
    assert rule in verdict.broken_rules


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        (SPEC203_COMPLETE, CallsNamesake),
        (SPEC203_ERROR, CallsNamesake),
        (SPEC209.format("without"), SteppingSubscriber),
    ],
)
def test_unusual_subscriber_passes(check: str, kind: type[Any]) -> None:
    assert verdict_of(blackbox(check), blackbox_of(kind)).message == ""


def test_subscriber_that_cancels_at_once_still_gets_the_end() -> None:
    class Counted(CancelsAll):
        completed = 0

        def trigger_request(self, elements: int) -> None:
            """Do nothing."""

    assert verdict_of(blackbox(SPEC205), blackbox_of(Counted)).outcome is Outcome.PASS
    assert Counted.completed == 1


def test_edition_for_dotnet_completes_inside_the_first_request() -> None:
    environment = Environment(100, 20, edition="dotnet", variables={})
    name = blackbox(SPEC209.format("with"))
    assert verdict_of(name, blackbox_of(SteppingSubscriber), environment).outcome is Outcome.PASS
    verdict = verdict_of(name, blackbox_of(Deaf), environment)
    assert verdict.outcome is Outcome.FAIL
    assert "did not call `register_on_complete()`" in verdict.message
