"""Checks of a subscriber whose own work fails: it cancels, and raises no exception (§2.13)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.subscriber.boxes import Box, in_both_boxes
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.exception_trap import ExpectedFailure
from reactivestreams.tck.kit.failure import not_verified_for_subscribers

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification

_LOOK_AT = "what catches the exceptions of the code that processes elements"
_REMEDY = "catch them, cancel the subscription, report the error yourself, and return normally"


@in_both_boxes(check(rules=("2.13",)))
def untested_spec213_failing_on_signal_invocation(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Not tested by the standard's kit, which has no subscriber that can be made to fail."""
    not_verified_for_subscribers(by=box.check_name("required_spec213_failure_in_on_next_must_lead_to_cancel"))


@in_both_boxes(check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED))
def required_spec213_failure_in_on_subscribe_must_lead_to_cancel(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """A subscriber whose work fails in `on_subscribe` returns normally from it and cancels.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or the subscription is not
    cancelled.
    """
    box.failing_stage("on_subscribe", subject, environment).expect_cancelling()


@in_both_boxes(check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED))
def required_spec213_failure_in_on_next_must_lead_to_cancel(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """A subscriber whose work fails in `on_next` returns normally from it and cancels.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or the subscription is not
    cancelled.
    """
    stage = box.failing_stage("on_next", subject, environment)
    stage.ask(1)
    stage.await_demand()
    stage.signal_next()
    stage.expect_cancelling()
    environment.verify_no_async_errors()


@in_both_boxes(check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED))
def required_spec213_failure_in_on_complete_must_stay_inside(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """A subscriber whose work fails in `on_complete` returns normally from it, and does not call its subscription.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or leads to a cancel.
    """
    box.failing_stage("on_complete", subject, environment).send_completion()
    environment.verify_no_async_errors()


@in_both_boxes(check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED))
def required_spec213_failure_in_on_error_must_stay_inside(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """A subscriber whose work fails in `on_error` returns normally from it, and does not call its subscription.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or leads to a cancel.
    """
    box.failing_stage("on_error", subject, environment).send_error(ExpectedFailure())
    environment.verify_no_async_errors()
