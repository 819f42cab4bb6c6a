"""Checks that a subscriber cancels a subscription it does not need, and tolerates late signals (§2.6, 2.8, 3.14)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.subscriber.blackbox_stage import BlackboxStage
from reactivestreams.tck.checks.subscriber.whitebox_stage import WhiteboxStage
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.exception_trap import ExpectedFailure
from reactivestreams.tck.kit.failure import Skipped, not_verified_for_subscribers
from reactivestreams.tck.kit.subject import made_subscriber

if TYPE_CHECKING:
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

LIMIT = 3
"""How many elements a limited subscriber should want."""

_LATE_ELEMENTS = 3

_CANCEL_LOOK_AT = "what happens when the subscriber has all elements that it needs, or is told to stop"
_CANCEL_REMEDY = "call subscription.cancel(): a publisher keeps serving a subscription that is only forgotten"
_LATE_LOOK_AT = "on_next, on_error and on_complete after cancel"
_LATE_REMEDY = "drop signals after cancel and return normally: they were on their way"


@check(rules=("2.8", "3.12"), look_at=_LATE_LOOK_AT, remedy=_LATE_REMEDY)
def required_spec208_must_be_prepared_to_receive_on_next_signals_after_having_called_subscription_cancel(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """An element that was requested before `cancel` and arrives after it raises no exception.

    When it fails: `on_next` assumes that the subscription is active. Corrected: as in the last edition for
    the JVM, and unlike the kits for .NET and of the release candidate, the element is sent only once it was requested;
    a processor may keep its upstream, if its verification says so.
    """
    stage = WhiteboxStage(subject, environment)
    stage.trigger_request(1)
    stage.expect_request()
    stage.signal_cancel()
    stage.expect_cancelling()
    stage.signal_next()
    stage.trigger_request(1)
    stage.trigger_request(1)
    environment.verify_no_async_errors()


@check(rules=("2.8", "1.8"), look_at=_LATE_LOOK_AT, remedy=_LATE_REMEDY, origin=Origin.EXTENDED)
def required_spec208_must_be_prepared_for_the_end_after_having_cancelled(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Elements that were pending at `cancel`, and completion after them, raise no exception.

    When it fails: an object that `cancel` has released is used, or released again.
    """
    _cancelled_stage(subject, environment).send_completion()
    environment.verify_no_async_errors()


@check(rules=("2.8", "1.8"), look_at=_LATE_LOOK_AT, remedy=_LATE_REMEDY, origin=Origin.EXTENDED)
def required_spec208_must_be_prepared_for_an_error_after_having_cancelled(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Elements that were pending at `cancel`, and an error after them, raise no exception.

    When it fails: an object that `cancel` has released is used, or released again.
    """
    _cancelled_stage(subject, environment).send_error(ExpectedFailure())
    environment.verify_no_async_errors()


@check(rules=("2.8",))
def untested_spec208_blackbox_must_be_prepared_to_receive_on_next_signals_after_having_called_subscription_cancel(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which cannot make a black box cancel."""
    not_verified_for_subscribers(by="required_spec208_blackbox_limited_subscriber_must_be_prepared_for_late_elements")


@check(rules=("2.8",), look_at=_LATE_LOOK_AT, remedy=_LATE_REMEDY, origin=Origin.EXTENDED)
def required_spec208_blackbox_limited_subscriber_must_be_prepared_for_late_elements(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that wants three elements tolerates its other requested elements, and then completion.

    Needs `create_limited_subscriber`. When it fails: `on_next` assumes that the subscription is active.
    """
    stage = _limited_stage(subject, environment)
    if not stage.has_demand:
        raise Skipped("The limited subscriber requests no more than it needs, so nothing can arrive after cancel.")
    for _ in range(_LATE_ELEMENTS):
        if stage.has_demand:
            stage.signal_next()
    stage.send_completion()
    environment.verify_no_async_errors()


@check(rules=("2.6",))
def untested_spec206_must_call_subscription_cancel_if_it_is_no_longer_valid(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which has no way to make a subscriber lose interest."""
    not_verified_for_subscribers(by="required_spec206_must_cancel_when_told_to")


@check(rules=("2.6",), look_at=_CANCEL_LOOK_AT, remedy=_CANCEL_REMEDY, origin=Origin.EXTENDED)
def required_spec206_must_cancel_when_told_to(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose puppet is told to cancel does so, though it has requested nothing.

    When it fails: `cancel` waits for an element, or does not reach the subscription.
    """
    if not subject.cancels_upstream():
        raise Skipped("The processor declares that it keeps its upstream when its last subscriber has cancelled.")
    stage = WhiteboxStage(subject, environment)
    stage.signal_cancel()
    stage.expect_cancelling()
    environment.verify_no_async_errors()


@check(rules=("2.6",))
def untested_spec206_blackbox_must_call_subscription_cancel_if_it_is_no_longer_valid(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which has no way to make a subscriber lose interest."""
    not_verified_for_subscribers(by="required_spec206_blackbox_limited_subscriber_must_cancel")


@check(rules=("2.6",), look_at=_CANCEL_LOOK_AT, remedy=_CANCEL_REMEDY, origin=Origin.EXTENDED)
def required_spec206_blackbox_limited_subscriber_must_cancel(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that wants three elements cancels when it has them.

    Needs `create_limited_subscriber`. When it fails: the subscription is only forgotten.
    """
    _limited_stage(subject, environment)
    environment.verify_no_async_errors()


@check(rules=("3.14",))
def untested_spec314_cancel_may_cause_the_publisher_to_shutdown_if_no_other_subscription_exists(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit: the rule permits something to publishers, whose checks cover it.

    No subscriber can break it, or see whether it was used.
    """
    not_verified_for_subscribers(because="The rule permits something to publishers; no subscriber can break it.")


@check(rules=("3.14",))
def untested_spec314_blackbox_cancel_may_cause_the_publisher_to_shutdown_if_no_other_subscription_exists(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit: the rule permits something to publishers, whose checks cover it.

    No subscriber can break it, or see whether it was used.
    """
    not_verified_for_subscribers(because="The rule permits something to publishers; no subscriber can break it.")


def _cancelled_stage(subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment) -> WhiteboxStage:
    stage = WhiteboxStage(subject, environment)
    stage.trigger_request(_LATE_ELEMENTS)
    stage.await_demand()
    stage.signal_cancel()
    stage.expect_cancelling()
    for _ in range(_LATE_ELEMENTS):
        if stage.has_demand:
            stage.signal_next()
    return stage


def _limited_stage(subject: "SubscriberBlackboxVerification", environment: CheckEnvironment) -> BlackboxStage:
    """Return a stage whose subscriber got as many elements as it wants, and has cancelled."""
    subscriber = made_subscriber(subject, "create_limited_subscriber", LIMIT, none_allowed=True)
    if subscriber is None:
        raise Skipped(
            "Skipping because no subscriber that wants only some elements is provided; implement "
            "SubscriberBlackboxVerification.create_limited_subscriber to run this test."
        )
    stage = BlackboxStage(subject, environment, subscriber=subscriber)
    for _ in range(LIMIT):
        if not stage.has_demand:
            stage.ask(1)
            stage.await_demand()
        if stage.is_cancelled():
            environment.flop_and_fail(f"cancel was called after {stage.sent} elements, though {LIMIT} were wanted")
        stage.signal_next()
    stage.expect_cancelling()
    environment.verify_no_async_errors_no_delay()
    return stage
