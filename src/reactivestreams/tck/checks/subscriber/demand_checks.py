"""Checks that a subscriber requests elements, as many as it should, with positive counts (§2.1, 3.8, 3.9)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.subscriber.blackbox_stage import BlackboxStage
from reactivestreams.tck.checks.subscriber.boxes import Box, in_both_boxes
from reactivestreams.tck.checks.subscriber.whitebox_stage import WhiteboxStage
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import TOO_SLOW, CheckEnvironment
from reactivestreams.tck.kit.failure import Skipped, not_verified_for_subscribers

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

MOST_BLACKBOX_ELEMENTS = 512
"""The maximum of elements that a black box is sent, however many it has requested."""

_DEMANDS = (1, 2, 3, 5)
_ROUNDS = 5

_LOOK_AT = "where the subscriber calls request: in on_subscribe, in on_next, or when it is told to request"
_ASK = "store the subscription in on_subscribe, then call request(n) with n > 0 as the last thing in the handler"


@check(rules=("2.1",), look_at=_LOOK_AT, remedy=_ASK)
def required_spec201_must_signal_demand_via_subscription_request(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose puppet is told to request does so, and reports the element that it gets.

    When it fails: the puppet's `trigger_request` does not reach the subscription. Corrected: the standard's kit checks
        neither the report of the element nor the recorded failures.
    """
    stage = WhiteboxStage(subject, environment)
    stage.trigger_request(1)
    stage.expect_request()
    stage.probe.expect_next(stage.signal_next())


@check(rules=("2.1",), look_at=_LOOK_AT, remedy=_ASK)
def required_spec201_blackbox_must_signal_demand_via_subscription_request(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber requests, accepts its first requested elements, at most 512, and then completion.

    When it fails: nothing is requested, or the subscriber raises for an element. Corrected: because of an inverted
        condition the standard's kit sends no element; its edition for .NET sends without a bound, and its probe is full
        after 32 elements.
    """
    stage = BlackboxStage(subject, environment)
    stage.trigger_request()
    for _ in range(min(stage.expect_request(), MOST_BLACKBOX_ELEMENTS)):
        if stage.is_cancelled() or not environment.has_time:
            break
        stage.signal_next()
    stage.send_completion()


@check(
    rules=("3.8",),
    look_at="how the calls of trigger_request are turned into requests",
    remedy="request at least as many elements as it was told, at once or as elements arrive",
)
def required_spec308_request_must_register_given_number_elements_to_be_produced(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Told to request two elements, a subscriber gets and reports two, one by one or at once, and no third.

    When it fails: fewer elements are requested than the puppet was told, or one is reported twice or as another one.
    """
    stage = WhiteboxStage(subject, environment)
    stage.trigger_request(2)
    requested = stage.expect_request()
    stage.probe.expect_next(stage.signal_next())
    if requested < 2:
        stage.expect_request()
    stage.probe.expect_next(stage.signal_next())
    stage.probe.expect_none()
    stage.trigger_request(3)
    environment.verify_no_async_errors()


@check(
    rules=("3.8", "2.1"),
    look_at="how several calls of trigger_request add up",
    remedy="add each count to the outstanding one; a request that waits for elements must not replace another",
    origin=Origin.EXTENDED,
)
def required_spec308_demand_must_reach_the_publisher_in_full(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Told to request 1, 2, 3 and 5 elements in a row, a subscriber requests 11 in all, and reports each of them.

    It may request them one by one, as they arrive. When it fails: of several counts only one is stored.
    """
    stage = WhiteboxStage(subject, environment)
    for demand in _DEMANDS:
        stage.trigger_request(demand)
    for _ in range(sum(_DEMANDS)):
        stage.await_demand()
        stage.probe.expect_next(stage.signal_next())


@check(rules=("3.8",))
def untested_spec308_blackbox_request_must_register_given_number_elements_to_be_produced(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit: sending elements is up to the publisher, which has a check for it.

    It cannot be tested either: only the subscriber itself knows how much it wanted to request.
    """
    not_verified_for_subscribers(because="Only the white box can tell a subscriber how much to request.")


@in_both_boxes(check(rules=("3.9", "2.1"), look_at=_LOOK_AT, remedy=_ASK, origin=Origin.EXTENDED))
def required_spec309_requests_must_be_positive(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Over a few elements, the count of every request is an integer above 0.

    When it fails: the remaining count is computed, and is 0 or less.
    """
    stage = box.stage(subject, environment)
    stage.ask(1)
    stage.await_demand()
    for _ in range(_ROUNDS):
        if not stage.has_demand:
            stage.ask(1)
            environment.wait(
                stage.subscription.changed, lambda: stage.has_demand, environment.no_signals_timeout_milliseconds
            )
        if not stage.has_demand or stage.is_cancelled():
            break
        stage.signal_next()
    environment.verify_no_async_errors()


@check(rules=("2.1",), look_at="when on_next requests more", remedy=_ASK, origin=Origin.EXTENDED)
def optional_spec201_blackbox_should_ask_on_when_its_demand_is_met(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """After all requested elements have arrived, at most 512, a subscriber requests more or cancels.

    Doing neither is legal, but it is also what a subscriber does that forgets to request again: a skip is a reason to
    check.
    """
    stage = BlackboxStage(subject, environment)
    stage.trigger_request()
    stage.await_demand()
    sent = 0
    while stage.has_demand and not stage.is_cancelled() and sent < MOST_BLACKBOX_ELEMENTS:
        if not environment.has_time:
            raise Skipped(
                f"{TOO_SLOW}: it took {sent} of {stage.subscription.requested} elements that it had requested"
            )
        stage.signal_next()
        sent += 1
    asked = environment.wait(
        stage.subscription.changed,
        lambda: stage.has_demand or stage.subscription.is_cancelled,
        environment.default_timeout_milliseconds,
    )
    environment.note(f"{stage.subscription.requested} elements were requested, {sent} sent")
    if not asked:
        raise Skipped(f"The subscriber neither requests nor cancels after the {sent} elements that it had requested.")
