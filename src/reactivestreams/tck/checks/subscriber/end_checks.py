"""Checks that a subscriber handles completion and an error, whether it has requested or not (§2.9, 2.10)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.subscriber.blackbox_stage import BlackboxStage, blackbox_subscriber
from reactivestreams.tck.checks.subscriber.whitebox_stage import WhiteboxStage
from reactivestreams.tck.kit.check import check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.exception_trap import ExpectedFailure
from reactivestreams.tck.kit.subject import told
from reactivestreams.tck.probes.blackbox_proxy import BlackboxProxy
from reactivestreams.tck.probes.driven_subscriber import DrivenSubscriber
from reactivestreams.tck.probes.nesting_publisher import NestingPublisher
from reactivestreams.tck.probes.whitebox_probe import SignalProbe

if TYPE_CHECKING:
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

_COMPLETE_LOOK_AT = "on_complete, and what it expects to have happened before"
_COMPLETE_REMEDY = "handle on_complete at any time after on_subscribe; return normally"
_ERROR_LOOK_AT = "on_error, and what it expects to have happened before"
_ERROR_REMEDY = "handle on_error at any time after on_subscribe, store or log the error, and return normally"


@check(rules=("2.9",), look_at=_COMPLETE_LOOK_AT, remedy=_COMPLETE_REMEDY)
def required_spec209_must_be_prepared_to_receive_an_on_complete_signal_with_preceding_request_call(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that was told to request one element handles and reports completion in its place.

    When it fails: completion is not handled, or reported twice, or the subscriber raises.
    """
    stage = WhiteboxStage(subject, environment)
    stage.trigger_request(1)
    stage.send_completion()
    stage.probe.expect_completion()
    environment.verify_no_async_errors()


@check(rules=("2.9",), look_at=_COMPLETE_LOOK_AT, remedy=_COMPLETE_REMEDY)
def required_spec209_must_be_prepared_to_receive_an_on_complete_signal_without_preceding_request_call(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that was not told to request handles and reports completion.

    When it fails: completion is not handled, or reported twice, or the subscriber raises.
    """
    stage = WhiteboxStage(subject, environment)
    stage.send_completion()
    stage.probe.expect_completion()
    environment.verify_no_async_errors()


@check(rules=("2.10",), look_at=_ERROR_LOOK_AT, remedy=_ERROR_REMEDY)
def required_spec210_must_be_prepared_to_receive_an_on_error_signal_with_preceding_request_call(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that was told to request handles an error, and reports the same object.

    When it fails: the error is lost, replaced by another, reported twice, or raised.
    """
    stage = WhiteboxStage(subject, environment)
    stage.trigger_request(1)
    stage.trigger_request(1)
    error = ExpectedFailure()
    stage.send_error(error)
    stage.probe.expect_error(error)


@check(rules=("2.10",), look_at=_ERROR_LOOK_AT, remedy=_ERROR_REMEDY)
def required_spec210_must_be_prepared_to_receive_an_on_error_signal_without_preceding_request_call(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that was not told to request handles an error, and reports the same object.

    When it fails: the error is lost, replaced by another, reported twice, or raised.
    """
    stage = WhiteboxStage(subject, environment)
    error = ExpectedFailure()
    stage.send_error(error)
    stage.probe.expect_error(error)


@check(rules=("2.9",), look_at=_COMPLETE_LOOK_AT, remedy=_COMPLETE_REMEDY)
def required_spec209_blackbox_must_be_prepared_to_receive_an_on_complete_signal_with_preceding_request_call(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that has requested handles completion in place of an element.

    When it fails: it has not requested, or raises. Corrected: the standard's kit ignores failures that were recorded
        while it waited. In the edition for .NET the publisher completes inside the first request.
    """
    if environment.edition is Edition.DOTNET:
        _expect_end_inside_request(subject, environment)
        return
    stage = BlackboxStage(subject, environment)
    stage.trigger_request()
    stage.expect_request()
    _end(stage, None, environment)


@check(rules=("2.9",), look_at=_COMPLETE_LOOK_AT, remedy=_COMPLETE_REMEDY)
def required_spec209_blackbox_must_be_prepared_to_receive_an_on_complete_signal_without_preceding_request_call(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber handles completion directly after `on_subscribe`.

    When it fails: it raises. Corrected: as above; and in the edition for .NET the standard's kit does not call
    `on_subscribe`, which §1.9 requires.
    """
    _end(BlackboxStage(subject, environment), None, environment)


@check(rules=("2.10",), look_at=_ERROR_LOOK_AT, remedy=_ERROR_REMEDY)
def required_spec210_blackbox_must_be_prepared_to_receive_an_on_error_signal_with_preceding_request_call(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that has requested handles an error in place of an element.

    When it fails: it has not requested, or raises. Corrected: as for completion. In the edition for .NET the error is
    sent without waiting for a request.
    """
    stage = BlackboxStage(subject, environment)
    stage.trigger_request()
    if environment.edition is not Edition.DOTNET:
        stage.expect_request()
    _end(stage, ExpectedFailure(), environment)


@check(rules=("2.10",), look_at=_ERROR_LOOK_AT, remedy=_ERROR_REMEDY, editions=(Edition.JVM,))
def required_spec210_blackbox_must_be_prepared_to_receive_an_on_error_signal_without_preceding_request_call(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber handles an error directly after `on_subscribe`.

    When it fails: it raises. Corrected: as for completion.
    """
    _end(BlackboxStage(subject, environment), ExpectedFailure(), environment)


def _end(stage: BlackboxStage, error: ExpectedFailure | None, environment: CheckEnvironment) -> None:
    if error is None:
        stage.send_completion()
        stage.probe.expect_completion()
    else:
        stage.send_error(error)
        stage.probe.expect_error(ExpectedFailure)
    environment.verify_no_async_errors()


def _expect_end_inside_request(subject: "SubscriberBlackboxVerification", environment: CheckEnvironment) -> None:
    subscriber = blackbox_subscriber(subject)
    probe = SignalProbe(environment)
    probe.subject = safe_repr(subscriber)
    NestingPublisher().subscribe(DrivenSubscriber(environment, BlackboxProxy(subscriber, probe)))
    told(subject, "trigger_request", subscriber)
    probe.expect_completion()
    environment.verify_no_async_errors()
