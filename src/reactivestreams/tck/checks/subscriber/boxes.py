"""White box and black box: two ways to test a subscriber, and checks with one body for both."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.subscriber.blackbox_stage import BlackboxStage, blackbox_subscriber
from reactivestreams.tck.checks.subscriber.subscriber_stage import SubscriberStage
from reactivestreams.tck.checks.subscriber.whitebox_stage import WhiteboxStage, whitebox_probe, whitebox_subscriber
from reactivestreams.tck.kit.check import Body, Check, CheckPair
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.failure import Skipped
from reactivestreams.tck.kit.subject import made_subscriber, told
from reactivestreams.tck.probes.manual_publisher import ManualPublisher

if TYPE_CHECKING:
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

__all__ = ["Box", "in_both_boxes"]

_FAILING_FACTORY = "create_failing_subscriber"
_KIND_AND_RULE = re.compile(r"[a-z]+(?:_spec\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """How a check accesses a subscriber; each function takes the subject and the environment of the check.

    Attributes:
        infix: The part of the names of the checks after the number of the rule.
        subscriber: Returns a new subscriber.
        subscribed: Returns a manual publisher with a new subscriber that has finished the reactions to `on_subscribe`.
        stage: Returns a stage with a new subscriber.
        failing_stage: Returns a stage with a subscriber whose own work fails in a signal, the first argument.
    """

    infix: str
    subscriber: Callable[[Any, CheckEnvironment], Any]
    subscribed: Callable[[Any, CheckEnvironment], ManualPublisher]
    stage: Callable[[Any, CheckEnvironment], SubscriberStage]
    failing_stage: Callable[[str, Any, CheckEnvironment], SubscriberStage]

    def check_name(self, name: str) -> str:
        """Return the name of a white-box check in this box."""
        return _KIND_AND_RULE.sub(lambda match: match[0] + self.infix, name, count=1)


BoxedBody = Callable[[Any, CheckEnvironment, Box], None]


def in_both_boxes(check: Callable[[Body], Check]) -> Callable[[BoxedBody], CheckPair]:
    """Make two checks from a function with a box as parameter: a white-box check of its name, and a black-box check.

    Args:
        check: The result of `check` for its settings.
    """

    def decorate(body: BoxedBody) -> CheckPair:
        return CheckPair(check(_within(_WHITEBOX, body)), check(_within(_BLACKBOX, body)))

    return decorate


def _within(box: Box, body: BoxedBody) -> Body:
    def boxed(subject: Any, environment: CheckEnvironment) -> None:
        body(subject, environment, box)

    boxed.__name__ = boxed.__qualname__ = box.check_name(body.__name__)
    boxed.__module__ = body.__module__
    boxed.__doc__ = body.__doc__
    return boxed


def _whitebox_subscribed(subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment) -> ManualPublisher:
    publisher = ManualPublisher(environment)
    probe = whitebox_probe(subject, environment)
    publisher.subscribe(whitebox_subscriber(subject, probe))
    probe.puppet_promise.wait_completed()
    return publisher


def _blackbox_subscribed(subject: "SubscriberBlackboxVerification", environment: CheckEnvironment) -> ManualPublisher:
    publisher = ManualPublisher(environment)
    subscriber = blackbox_subscriber(subject)
    publisher.subscribe(subscriber)
    with publisher.subscription.driving("trigger_request"):
        told(subject, "trigger_request", subscriber)
    publisher.subscription.wait_call("request")
    return publisher


def _failing_subscriber(subject: object, signal: str, *probe: object) -> Any:
    subscriber = made_subscriber(subject, _FAILING_FACTORY, signal, *probe, none_allowed=True)
    if subscriber is None:
        raise Skipped(
            f"Skipping because no subscriber that fails in {signal} is provided; implement "
            f"{type(subject).__name__}.{_FAILING_FACTORY} to run this test."
        )
    return subscriber


_WHITEBOX = Box(
    infix="",
    subscriber=lambda subject, environment: whitebox_subscriber(subject, whitebox_probe(subject, environment)),
    subscribed=_whitebox_subscribed,
    stage=WhiteboxStage,
    failing_stage=lambda signal, subject, environment: WhiteboxStage(
        subject,
        environment,
        make=lambda probe: _failing_subscriber(subject, signal, probe),
        registers=signal != "on_subscribe",
    ),
)
_BLACKBOX = Box(
    infix="_blackbox",
    subscriber=lambda subject, environment: blackbox_subscriber(subject),
    subscribed=_blackbox_subscribed,
    stage=BlackboxStage,
    failing_stage=lambda signal, subject, environment: BlackboxStage(
        subject, environment, subscriber=_failing_subscriber(subject, signal)
    ),
)
