"""Checks that a subscriber does not call its subscription in a terminal signal or after it (§2.3, 2.4)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.subscriber.blackbox_stage import BlackboxStage
from reactivestreams.tck.checks.subscriber.boxes import Box, in_both_boxes
from reactivestreams.tck.checks.subscriber.subscriber_stage import SubscriberStage
from reactivestreams.tck.checks.subscriber.whitebox_stage import WhiteboxStage
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text
from reactivestreams.tck.kit.exception_trap import ExpectedFailure
from reactivestreams.tck.kit.failure import Skipped, not_verified_for_subscribers
from reactivestreams.tck.probes.manual_publisher import ManualPublisher
from reactivestreams.tck.probes.recording_subscription import SubscriptionCall

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

_WITHIN_LOOK_AT = "what on_complete and on_error do with the subscription, also by tasks that they start"
_WITHIN_REMEDY = "drop the subscription in a terminal signal: it is already cancelled"
_AFTER_LOOK_AT = "on_next after completion or an error"
_AFTER_REMEDY = "set a flag in on_complete and on_error, and drop elements that come after it"


# --- within a terminal signal ---


@in_both_boxes(check(rules=("2.3",), look_at=_WITHIN_LOOK_AT, remedy=_WITHIN_REMEDY))
def required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_complete(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """`on_complete` calls neither `request` nor `cancel`, nor makes another thread do so.

    Only calls made while the kit's own call of `on_complete` is running count, and calls on other threads shortly
    after it: methods of other objects may have the same names. Corrected: the standard's kit does not observe other
        threads.
    """
    _expect_untouched("on_complete", box.subscribed(subject, environment), environment)


@in_both_boxes(check(rules=("2.3",), look_at=_WITHIN_LOOK_AT, remedy=_WITHIN_REMEDY))
def required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_error(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """`on_error` calls neither `request` nor `cancel`, nor makes another thread do so.

    Corrected: as for `on_complete`.
    """
    _expect_untouched("on_error", box.subscribed(subject, environment), environment)


def _expect_untouched(signal: str, publisher: ManualPublisher, environment: CheckEnvironment) -> None:
    # Reactions to on_subscribe, perhaps on a thread of the subscriber, must be over before the signal.
    publisher.subscription.wait_quiet()
    _send(signal, publisher)
    environment.verify_no_async_errors()
    for call in publisher.subscription.calls_after_end:
        environment.flop_and_fail(
            f"Subscription::{call.method} MUST NOT be called from Subscriber::{signal} (Rule 2.3)! "
            f"It was called on another thread after that signal"
        )


# --- after a terminal signal ---


@in_both_boxes(check(rules=("2.4",)))
def untested_spec204_must_consider_the_subscription_as_cancelled_in_after_receiving_on_complete_or_on_error(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Not tested by the standard's kit, which cannot see what a subscriber "considers"."""
    not_verified_for_subscribers(by=box.check_name("required_spec204_must_not_request_after_on_complete"))


@in_both_boxes(check(rules=("2.4", "2.8"), look_at=_AFTER_LOOK_AT, remedy=_AFTER_REMEDY, origin=Origin.EXTENDED))
def required_spec204_must_not_request_after_on_complete(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """An element after completion, for outstanding demand, leads to no request.

    No publisher may send it; a subscriber that requests again treats the subscription as active. When it fails:
    `on_next` does not check for completion.
    """
    _expect_no_request("on_complete", box.stage(subject, environment), environment)


@in_both_boxes(check(rules=("2.4", "2.8"), look_at=_AFTER_LOOK_AT, remedy=_AFTER_REMEDY, origin=Origin.EXTENDED))
def required_spec204_must_not_request_after_on_error(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """An element after an error, for outstanding demand, leads to no request.

    When it fails: `on_next` does not check for an error.
    """
    _expect_no_request("on_error", box.stage(subject, environment), environment)


@check(rules=("2.4",), look_at=_AFTER_LOOK_AT, remedy=_AFTER_REMEDY, origin=Origin.EXTENDED)
def optional_spec204_element_after_the_end_should_be_ignored(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """An element after completion is neither processed nor reported, and causes no cancel and no exception.

    A skip says what happens instead; no rule forbids it.
    """
    _expect_unprocessed("on_complete", WhiteboxStage(subject, environment), environment)


@check(rules=("2.4",), look_at=_AFTER_LOOK_AT, remedy=_AFTER_REMEDY, origin=Origin.EXTENDED)
def optional_spec204_element_after_an_error_should_be_ignored(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """An element after an error is neither processed nor reported, and causes no cancel and no exception.

    A skip says what happens instead; no rule forbids it.
    """
    _expect_unprocessed("on_error", WhiteboxStage(subject, environment), environment)


@check(rules=("2.4",), look_at=_AFTER_LOOK_AT, remedy=_AFTER_REMEDY, origin=Origin.EXTENDED)
def optional_spec204_blackbox_element_after_the_end_should_be_ignored(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """An element after completion causes no cancel and no exception.

    A skip says what happens instead; no rule forbids it.
    """
    _expect_ignored("on_complete", BlackboxStage(subject, environment), environment)


@check(rules=("2.4",), look_at=_AFTER_LOOK_AT, remedy=_AFTER_REMEDY, origin=Origin.EXTENDED)
def optional_spec204_blackbox_element_after_an_error_should_be_ignored(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """An element after an error causes no cancel and no exception.

    A skip says what happens instead; no rule forbids it.
    """
    _expect_ignored("on_error", BlackboxStage(subject, environment), environment)


def _expect_no_request(signal: str, stage: SubscriberStage, environment: CheckEnvironment) -> None:
    calls, _ = _after_stray_element(signal, stage, environment)
    for call in calls:
        if call.method == "request":
            environment.flop_and_fail(
                f"request({call.n}) was called after {signal}: the subscription is cancelled then (Rule 2.4)"
            )


def _expect_unprocessed(signal: str, stage: WhiteboxStage, environment: CheckEnvironment) -> None:
    _expect_ignored(signal, stage, environment)
    if stage.probe.reported_elements:
        raise Skipped(f"The element that came after {signal} was processed.")


def _expect_ignored(signal: str, stage: SubscriberStage, environment: CheckEnvironment) -> None:
    calls, error = _after_stray_element(signal, stage, environment)
    if error is not None:
        raise Skipped(f"on_next raised {type(error).__name__} after {signal}: {error_text(error)}")
    if calls:
        raise Skipped(f"{calls[0].method} was called after {signal}, by an element that came later")


def _after_stray_element(
    signal: str, stage: SubscriberStage, environment: CheckEnvironment
) -> tuple[tuple[SubscriptionCall, ...], BaseException | None]:
    """Return the calls and the exception that an element after a terminal signal causes."""
    stage.ask(2)
    stage.await_demand()
    element = stage.elements.next()
    stage.subscription.wait_quiet()
    _send(signal, stage)
    stage.subscription.wait_quiet()
    before = stage.subscription.call_count
    error = stage.send_stray_next(element)
    environment.pause(environment.no_signals_timeout_milliseconds)
    return stage.subscription.calls_from(before), error


def _send(signal: str, publisher: ManualPublisher) -> None:
    if signal == "on_complete":
        publisher.send_completion()
    else:
        publisher.send_error(ExpectedFailure())
