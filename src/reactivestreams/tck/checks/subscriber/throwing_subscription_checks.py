"""Checks that a subscriber does not pass on an exception of its subscription, which must not raise (§3.15, 3.16)."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.subscriber.boxes import Box, in_both_boxes
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text
from reactivestreams.tck.kit.exception_trap import ON_PURPOSE
from reactivestreams.tck.kit.failure import Skipped, not_verified_for_subscribers
from reactivestreams.tck.probes.idle_subscription import IdleSubscription
from reactivestreams.tck.probes.recording_subscription import ThrowingSubscription

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification

_LOOK_AT = "the calls of request and cancel in on_subscribe and on_next"
_REMEDY = "log their exceptions, which break §3.15 or §3.16, and return normally"


@in_both_boxes(check(rules=("3.15",)))
def untested_spec315_cancel_must_not_raise_exception_and_must_signal_on_error(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Not tested by the standard's kit: the rule binds publishers, whose checks cover it.

    Its name is from an older edition, which required an `on_error`.
    """
    not_verified_for_subscribers(
        by=box.check_name("optional_spec315_what_cancel_raises_should_not_leave_the_subscriber")
    )


@in_both_boxes(check(rules=("3.16",)))
def untested_spec316_request_must_not_raise_exception_and_must_on_error_the_subscriber(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Not tested by the standard's kit: the rule binds publishers, whose checks cover it.

    Its name is from an older edition, which required an `on_error`.
    """
    not_verified_for_subscribers(
        by=box.check_name("optional_spec316_what_request_raises_should_not_leave_the_subscriber")
    )


@in_both_boxes(check(rules=("3.15", "2.13"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED))
def optional_spec315_what_cancel_raises_should_not_leave_the_subscriber(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """When the `cancel` of a second subscription raises, `on_subscribe` returns normally anyway.

    The fault is the publisher's: a skip only says that the subscriber passes it on.
    """
    subscriber = box.subscriber(subject, environment)
    environment.at_end(subscriber.on_complete)
    subscriber.on_subscribe(IdleSubscription())
    _expect_contained("cancel", subscriber, environment)


@in_both_boxes(check(rules=("3.16", "2.13"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED))
def optional_spec316_what_request_raises_should_not_leave_the_subscriber(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """When `request` raises, `on_subscribe` returns normally anyway.

    The fault is the publisher's: a skip only says that the subscriber passes it on. One that requests nothing in
    `on_subscribe` passes.
    """
    subscriber = box.subscriber(subject, environment)
    environment.at_end(subscriber.on_complete)
    _expect_contained("request", subscriber, environment)


def _expect_contained(method: str, subscriber: Any, environment: CheckEnvironment) -> None:
    subscription = ThrowingSubscription(
        environment, methods=(method,), error=RuntimeError(f"{method} raises {ON_PURPOSE}")
    )
    environment.log.signal("subscriber", "on_subscribe", subscription)
    try:
        subscriber.on_subscribe(subscription)
    except Exception as error:
        raise Skipped(
            f"on_subscribe raised {type(error).__name__} when {method} did, which no publisher may: {error_text(error)}"
        ) from error
    environment.verify_no_async_errors()
