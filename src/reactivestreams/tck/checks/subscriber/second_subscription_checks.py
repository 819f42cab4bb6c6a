"""Checks that a subscriber cancels a second subscription and keeps the first (§2.5, 2.12)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from reactivestreams.tck.checks.subscriber.blackbox_stage import BlackboxStage
from reactivestreams.tck.checks.subscriber.subscriber_stage import SubscriberStage
from reactivestreams.tck.checks.subscriber.whitebox_stage import WhiteboxStage
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1, Edition
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.failure import Skipped, not_verified_for_subscribers
from reactivestreams.tck.kit.subject import PUBLISHER_METHODS, made
from reactivestreams.tck.probes.manual_subscriber import ErrorCollectingSubscriber
from reactivestreams.tck.probes.recording_subscription import RecordingSubscription

if TYPE_CHECKING:
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

_LOOK_AT = "on_subscribe when there is a subscription already"
_REMEDY = "if there is a subscription already, call cancel() on the new one, and change nothing else"
_ELEMENTS = 5


@check(rules=("2.5", "2.12"), look_at=_LOOK_AT, remedy=_REMEDY)
def required_spec205_must_call_subscription_cancel_if_it_already_has_an_subscription_and_receives_another_on_subscribe_signal(  # noqa: E501
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A second subscription is cancelled.

    When it fails: the subscriber uses both, or ignores the second, which its publisher then serves forever.
    """
    stage = WhiteboxStage(subject, environment)
    second = _second_subscription(environment)
    _give(second, stage, environment)
    _expect_cancelled(
        second,
        environment,
        "Expected 2nd Subscription given to subscriber to be cancelled, but `Subscription.cancel()` was not called",
    )
    environment.verify_no_async_errors()


@check(rules=("2.5", "2.12"), look_at=_LOOK_AT, remedy=_REMEDY)
def required_spec205_blackbox_must_call_subscription_cancel_if_it_already_has_an_subscription_and_receives_another_on_subscribe_signal(  # noqa: E501
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """A second subscription is cancelled, and nothing is requested from it.

    When it fails: the subscriber uses both, or ignores the second, which its publisher then serves forever.
    """
    stage = BlackboxStage(subject, environment)
    name = safe_repr(stage.subscriber)
    second = _second_subscription(
        environment,
        on_request=lambda n: environment.flop(f"Subscriber {name} illegally called `subscription.request({n})`!"),
    )
    _give(second, stage, environment)
    _expect_cancelled(
        second,
        environment,
        "Expected SecondSubscription given to subscriber to be cancelled, but `Subscription.cancel()` was not called.",
    )
    environment.verify_no_async_errors_no_delay()
    stage.send_completion()


@check(rules=("2.5",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec205_second_subscription_must_not_be_used(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Nothing is requested from a second subscription, not even when the puppet is told to request.

    When it fails: the subscriber changes to the second subscription, or uses both. The standard's kit checks this only
        in the black box.
    """
    stage = WhiteboxStage(subject, environment)
    second = _second_subscription(environment)
    _give(second, stage, environment)
    stage.trigger_request(1)
    environment.pause(environment.no_signals_timeout_milliseconds)
    if second.requested:
        environment.flop_and_fail(f"{second.requested} elements were requested from the second subscription")


@check(rules=("2.5", "2.12"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec205_first_subscription_must_stay_usable(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """After a second subscription elements are requested from the first one, and reported.

    When it fails: the second subscription replaces the first, or cancels it.
    """
    stage = WhiteboxStage(subject, environment)
    _give(_second_subscription(environment), stage, environment)
    stage.trigger_request(1)
    stage.await_demand()
    stage.probe.expect_next(stage.signal_next())
    _expect_alive(stage, environment)


@check(rules=("2.5", "2.12"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec205_blackbox_first_subscription_must_stay_usable(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """After a second subscription the first one is not cancelled, and requested elements are accepted.

    When it fails: the second subscription replaces the first, or cancels it.
    """
    stage = BlackboxStage(subject, environment)
    stage.trigger_request()
    stage.await_demand()
    stage.subscription.wait_quiet()
    if stage.is_cancelled():
        raise Skipped("The subscriber had cancelled its first subscription before it got a second one.")
    second = _second_subscription(environment)
    _give(second, stage, environment)
    environment.verify_no_async_errors()
    _expect_alive(stage, environment)
    for _ in range(_ELEMENTS):
        if stage.has_demand and not stage.is_cancelled():
            stage.signal_next()
    if second.requested:
        environment.flop_and_fail(f"{second.requested} elements were requested from the second subscription")


@check(rules=("2.12",), editions=AFTER_RC1)
def untested_spec212_must_not_call_on_subscribe_more_than_once_based_on_object_equality_spec_violation(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit: the rule binds publishers, and every check of theirs observes it.

    What a subscriber does if it is broken is the subject of §2.5.
    """
    not_verified_for_subscribers(by="required_spec205_second_subscription_must_not_be_used")


@check(rules=("2.12",))
def untested_spec212_blackbox_must_not_call_on_subscribe_more_than_once_based_on_object_equality(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit: the rule binds publishers, and every check of theirs observes it.

    What a subscriber does if it is broken is the subject of §2.5.
    """
    not_verified_for_subscribers(by="required_spec205_blackbox_first_subscription_must_stay_usable")


@check(
    rules=("2.12",),
    look_at="create_helper_publisher, not the subscriber",
    remedy="a publisher of this edition may reject a subscriber that it already has, by on_error",
    editions=(Edition.RC1,),
)
def optional_spec212_rc1_must_not_call_on_subscribe_more_than_once_based_on_object_equality(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """The helper publisher answers the same subscriber, subscribed twice, with `on_error`.

    In this edition the standard's kit has this test among those of subscribers, though it judges the helper publisher.
    """
    publisher = made(subject, "create_helper_publisher", _ELEMENTS, methods=PUBLISHER_METHODS)
    subscriber = ErrorCollectingSubscriber(environment, subscriptions_allowed=2)
    environment.subscribe(publisher, subscriber)
    subscriber.wait_signals_returned()  # §1.3 applies to one subscription: signals of two may overlap
    environment.call_subscribe(publisher, subscriber)
    if not subscriber.failed.wait_closed():
        raise Skipped("Should not allow subscribing the same instance multiple times; the helper publisher does.")


def _second_subscription(
    environment: CheckEnvironment, *, on_request: Callable[[int], None] | None = None
) -> RecordingSubscription:
    return RecordingSubscription(environment, name="SecondSubscription(should get cancelled)", on_request=on_request)


def _give(second: RecordingSubscription, stage: SubscriberStage, environment: CheckEnvironment) -> None:
    environment.step("a second on_subscribe, which no publisher may signal")
    environment.log.signal("subscriber", "on_subscribe", second)
    with stage.subscription.sending("on_subscribe"):
        environment.call("2.13", f"on_subscribe({second})", stage.subscriber.on_subscribe, second)


def _expect_cancelled(second: RecordingSubscription, environment: CheckEnvironment, message: str) -> None:
    if not second.wait_call("cancel"):
        environment.flop(f"{message} within {environment.default_timeout_milliseconds} ms")


def _expect_alive(stage: SubscriberStage, environment: CheckEnvironment) -> None:
    if stage.is_cancelled():
        environment.flop_and_fail("the first subscription was cancelled when the second one came")
