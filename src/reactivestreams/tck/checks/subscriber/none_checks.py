"""Checks that None is refused with a TypeError, in every state of the subscriber (§2.13)."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.subscriber.blackbox_stage import blackbox_subscriber
from reactivestreams.tck.checks.subscriber.boxes import Box, in_both_boxes
from reactivestreams.tck.checks.subscriber.subscriber_stage import SubscriberStage
from reactivestreams.tck.checks.subscriber.whitebox_stage import WhiteboxStage
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1, Edition
from reactivestreams.tck.kit.element_text import error_text
from reactivestreams.tck.kit.failure import Failed, Skipped
from reactivestreams.tck.probes.idle_subscription import release_at_end
from reactivestreams.tck.probes.manual_publisher import ManualPublisher

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

_LOOK_AT = "the first lines of on_subscribe, on_next and on_error"
_REMEDY = "raise TypeError if the argument is None, before anything else and in every state"
_ELEMENTS = 2
_VALUE_TYPES = "Can't verify behavior for value types"


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, editions=AFTER_RC1)
def required_spec213_on_subscribe_must_raise_type_error_when_parameters_are_none(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """`on_subscribe(None)` raises TypeError, though there is a subscription already.

    When it fails: None is treated as a subscription, or for a second one to be cancelled.
    """
    _expect_refusal("on_subscribe", WhiteboxStage(subject, environment).subscriber)


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, editions=AFTER_RC1)
def required_spec213_blackbox_on_subscribe_must_raise_type_error_when_parameters_are_none(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """`on_subscribe(None)` raises TypeError; in the edition for .NET after a subscription was given.

    When it fails: None is treated as a subscription.
    """
    subscriber = blackbox_subscriber(subject)
    if environment.edition is Edition.DOTNET:
        ManualPublisher(environment).subscribe(subscriber)
    else:
        release_at_end(environment, subscriber)
    _expect_refusal("on_subscribe", subscriber)


@in_both_boxes(check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, editions=AFTER_RC1))
def required_spec213_on_next_must_raise_type_error_when_parameters_are_none(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """`on_next(None)` raises TypeError.

    When it fails: None is treated as an element.
    """
    _skip_if_none_is_impossible(subject)
    _expect_refusal("on_next", box.stage(subject, environment).subscriber)


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, editions=AFTER_RC1)
def required_spec213_on_error_must_raise_type_error_when_parameters_are_none(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """`on_error(None)` raises TypeError.

    When it fails: None is treated as an error. Corrected: the standard's probe itself raises the expected error, so a
        subscriber that only passes None on to it passes; this probe accepts None.
    """
    _expect_refusal("on_error", WhiteboxStage(subject, environment).subscriber)


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, editions=AFTER_RC1)
def required_spec213_blackbox_on_error_must_raise_type_error_when_parameters_are_none(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """`on_error(None)` raises TypeError.

    When it fails: None is treated as an error.
    """
    publisher = ManualPublisher(environment)
    publisher.subscribe(blackbox_subscriber(subject))
    _expect_refusal("on_error", publisher.subscriber)


@in_both_boxes(check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, editions=AFTER_RC1))
def required_spec213_none_must_be_refused_before_on_subscribe(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """None is refused by each signal of a subscriber that has no subscription yet.

    When it fails: the argument is checked only after there is a subscription.
    """
    subscriber = box.subscriber(subject, environment)
    release_at_end(environment, subscriber)
    _expect_refusals(subject, subscriber)


@in_both_boxes(check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, editions=AFTER_RC1))
def required_spec213_none_must_be_refused_after_the_end(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """None is refused by each signal of a subscriber that has completed.

    When it fails: signals after completion are dropped before their argument is checked.
    """
    stage = box.stage(subject, environment)
    stage.send_completion()
    stage.probe.expect_completion()
    _expect_refusals(subject, stage.subscriber)


@in_both_boxes(check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, editions=AFTER_RC1))
def required_spec213_none_must_be_refused_after_elements(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """None is refused by each signal of a subscriber that has got elements.

    When it fails: the argument is checked for the first element only, for example where its type is determined.
    """
    _expect_refusals_after_elements(subject, box.stage(subject, environment))


def _expect_refusals_after_elements(subject: "FedVerification", stage: SubscriberStage) -> None:
    for _ in range(_ELEMENTS):
        if not stage.has_demand:
            stage.ask(1)
            _await_demand_or_cancel(stage)
            stage.await_demand()
        stage.signal_next()
    _expect_refusals(subject, stage.subscriber)


def _await_demand_or_cancel(stage: SubscriberStage) -> None:
    subscription, environment = stage.subscription, stage.environment
    environment.wait(
        subscription.changed,
        lambda: stage.has_demand or subscription.is_cancelled,
        environment.default_timeout_milliseconds,
    )
    if subscription.is_cancelled:
        raise Skipped(f"The subscriber cancels after {stage.sent} elements, so that nothing more comes.")


def _skip_if_none_is_impossible(subject: "FedVerification") -> None:
    if subject.has_value_type_elements():
        raise Skipped(_VALUE_TYPES)


def _expect_refusals(subject: "FedVerification", subscriber: Any) -> None:
    if not subject.has_value_type_elements():
        _expect_refusal("on_next", subscriber)
    _expect_refusal("on_error", subscriber)
    _expect_refusal("on_subscribe", subscriber)


def _expect_refusal(signal: str, subscriber: Any) -> None:
    method: Callable[[None], object] = getattr(subscriber, signal)
    try:
        result = method(None)
    except TypeError:
        return
    except Exception as error:
        raise Failed(
            f"{signal}(None) did not throw TypeError, but {type(error).__name__}: {error_text(error)}"
        ) from error
    if inspect.iscoroutine(result):
        result.close()
    raise Failed(f"{signal}(None) did not throw TypeError")
