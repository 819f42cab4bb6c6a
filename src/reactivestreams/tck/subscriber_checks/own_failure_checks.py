"""Checks of a subscriber whose own work fails: it cancels, and lets nobody else know by an exception (§2.13)."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.check import Origin, check
from reactivestreams.tck.check_environment import CheckEnvironment
from reactivestreams.tck.failure import Skipped
from reactivestreams.tck.probes.boom_error import BoomError
from reactivestreams.tck.skipping import not_verified_for_subscribers
from reactivestreams.tck.subscriber_checks.blackbox_stage import BlackboxStage
from reactivestreams.tck.subscriber_checks.made_subscriber import made_subscriber
from reactivestreams.tck.subscriber_checks.subscriber_stage import SubscriberStage
from reactivestreams.tck.subscriber_checks.whitebox_stage import WhiteboxStage

if TYPE_CHECKING:
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

_FACTORY = "create_failing_subscriber"
_LOOK_AT = "what catches the exceptions of the code that processes elements"
_REMEDY = "catch them, cancel the subscription, tell nobody but yourself, and return normally"


@check(rules=("2.13",))
def untested_spec213_failing_on_signal_invocation(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which has no subscriber that can be made to fail."""
    not_verified_for_subscribers(by="required_spec213_failure_in_on_next_must_lead_to_cancel")


@check(rules=("2.13",))
def untested_spec213_blackbox_failing_on_signal_invocation(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which has no subscriber that can be made to fail."""
    not_verified_for_subscribers(by="required_spec213_blackbox_failure_in_on_next_must_lead_to_cancel")


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_failure_in_on_subscribe_must_lead_to_cancel(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose work fails in `on_subscribe` returns normally from it and cancels.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or the subscription stays.
    """
    _whitebox_stage("on_subscribe", subject, environment).expect_cancelling()


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_failure_in_on_next_must_lead_to_cancel(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose work fails in `on_next` returns normally from it and cancels.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or the subscription stays.
    """
    _expect_cancel_in_on_next(_whitebox_stage("on_next", subject, environment), environment)


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_failure_in_on_complete_must_stay_inside(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose work fails in `on_complete` returns normally from it, and leaves its subscription alone.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or leads to a cancel.
    """
    _whitebox_stage("on_complete", subject, environment).send_completion()
    environment.verify_no_async_errors()


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_failure_in_on_error_must_stay_inside(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose work fails in `on_error` returns normally from it, and leaves its subscription alone.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or leads to a cancel.
    """
    _whitebox_stage("on_error", subject, environment).send_error(BoomError())
    environment.verify_no_async_errors()


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_blackbox_failure_in_on_subscribe_must_lead_to_cancel(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose work fails in `on_subscribe` returns normally from it and cancels.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or the subscription stays.
    """
    _blackbox_stage("on_subscribe", subject, environment).expect_cancelling()


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_blackbox_failure_in_on_next_must_lead_to_cancel(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose work fails in `on_next` returns normally from it and cancels.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or the subscription stays.
    """
    _expect_cancel_in_on_next(_blackbox_stage("on_next", subject, environment), environment)


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_blackbox_failure_in_on_complete_must_stay_inside(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose work fails in `on_complete` returns normally from it, and leaves its subscription alone.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or leads to a cancel.
    """
    _blackbox_stage("on_complete", subject, environment).send_completion()
    environment.verify_no_async_errors()


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_blackbox_failure_in_on_error_must_stay_inside(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber whose work fails in `on_error` returns normally from it, and leaves its subscription alone.

    Needs `create_failing_subscriber`. When it fails: the exception goes to the publisher, or leads to a cancel.
    """
    _blackbox_stage("on_error", subject, environment).send_error(BoomError())
    environment.verify_no_async_errors()


def _whitebox_stage(
    signal: str, subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> WhiteboxStage:
    return WhiteboxStage(
        subject,
        environment,
        make=lambda probe: _failing_subscriber(subject, signal, probe),
        registers=signal != "on_subscribe",
    )


def _blackbox_stage(
    signal: str, subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> BlackboxStage:
    return BlackboxStage(subject, environment, subscriber=_failing_subscriber(subject, signal))


def _failing_subscriber(subject: object, signal: str, *probe: object) -> Any:
    subscriber = made_subscriber(subject, _FACTORY, signal, *probe, none_allowed=True)
    if subscriber is None:
        raise Skipped(
            f"Skipping because no subscriber that fails in {signal} is provided; implement "
            f"{type(subject).__name__}.{_FACTORY} to run this test."
        )
    return subscriber


def _expect_cancel_in_on_next(stage: SubscriberStage, environment: CheckEnvironment) -> None:
    stage.ask(1)
    stage.await_demand()
    stage.signal_next()
    stage.expect_cancelling()
    environment.verify_no_async_errors()
