"""Checks of the set-up: the factories on which all other checks rely, and the reports to the probe."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.subscriber.boxes import Box, in_both_boxes
from reactivestreams.tck.checks.subscriber.whitebox_stage import WhiteboxStage
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.failure import SubjectError
from reactivestreams.tck.probes.element_source import ElementSource
from reactivestreams.tck.probes.idle_subscription import release_at_end

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

_FACTORY = "create_subscriber"
_NEW = "make a new subscriber at each call: each can be subscribed only once"
_DISTINCT_ELEMENTS = 20


@check(
    look_at="the four calls of the probe in the subscriber, and trigger_request and signal_cancel of the puppet",
    remedy="report every signal to the probe where it is handled, and pass the puppet's calls on to the subscription",
)
def required_exercise_whitebox_happy_path(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """A subscriber requests and cancels when its puppet is told to, and reports two elements that it receives.

    When it fails: the subscriber is not instrumented as the kit needs it. Corrected: a processor may keep its upstream
    when its last subscriber has cancelled, if its verification says so; the standard's kit fails it.
    """
    stage = WhiteboxStage(subject, environment)
    stage.trigger_request(1)
    stage.trigger_request(1)
    first = stage.expect_request()
    stage.probe.expect_next(stage.signal_next())
    stage.trigger_request(1)
    if first == 1:  # one at a time: it has to request again
        stage.expect_request()
    stage.probe.expect_next(stage.signal_next())
    stage.signal_cancel()
    stage.expect_cancelling()
    environment.verify_no_async_errors()


@in_both_boxes(check(look_at="create_subscriber", remedy=_NEW, origin=Origin.EXTENDED))
def required_create_subscriber_must_return_a_new_subscriber_each_time(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Two calls of `create_subscriber` give two objects with the four methods.

    When it fails: the factory returns an object that it made before.
    """
    expect_two_subscribers(subject, environment, lambda: box.subscriber(subject, environment))


@check(
    look_at="create_element and create_helper_publisher",
    remedy="return another element for each number; override same_element where == gives no truth value",
    origin=Origin.EXTENDED,
)
def required_create_element_must_return_distinct_elements(
    subject: "FedVerification", environment: CheckEnvironment
) -> None:
    """Twenty elements of the helper publisher differ from one another by `same_element`.

    When it fails: it is impossible to check whether a subscriber got the right element.
    """
    source = ElementSource(subject, environment, distinct=True)
    for _ in range(_DISTINCT_ELEMENTS):
        source.next()


def expect_two_subscribers(
    subject: "FedVerification", environment: CheckEnvironment, make: Callable[[], Any], factory: str = _FACTORY
) -> None:
    """Raise unless a factory makes a new subscriber at each call.

    Raises:
        SubjectError: It returns something else.
    """
    first, second = make(), make()
    release_at_end(environment, first)
    if first is second:
        raise SubjectError(
            f"{type(subject).__name__}.{factory} returned the same object twice, {safe_repr(first)}; "
            f"it has to return a new one at each call"
        )
    release_at_end(environment, second)
