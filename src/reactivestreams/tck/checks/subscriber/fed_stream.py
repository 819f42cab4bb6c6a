"""A whole stream from a publisher of the kit to a subscriber under test, at its own pace or on request of the check."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.subscriber.blackbox_stage import blackbox_subscriber
from reactivestreams.tck.checks.subscriber.whitebox_stage import Puppeteer, whitebox_probe, whitebox_subscriber
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.subject import told
from reactivestreams.tck.probes.driven_subscriber import DrivenSubscriber
from reactivestreams.tck.probes.element_source import ElementSource
from reactivestreams.tck.probes.whitebox_probe import WhiteboxProbe

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

__all__ = ["feed_blackbox", "feed_whitebox", "taken_elements"]


def taken_elements(
    count: int, subject: "FedVerification", environment: CheckEnvironment, *, distinct: bool
) -> list[Any]:
    """Return elements of the subject's helper publisher."""
    source = ElementSource(subject, environment, distinct=distinct)
    return [source.next() for _ in range(count)]


def feed_whitebox(
    publisher: Any,
    subject: "SubscriberWhiteboxVerification",
    environment: CheckEnvironment,
    *,
    demands: Iterable[int],
    dwell_seconds: float = 0.0,
) -> tuple[WhiteboxProbe, DrivenSubscriber, int | None]:
    """Subscribe a new subscriber and let its puppet request, until the stream ends, stalls, or takes too long.

    Args:
        publisher: The publisher of its elements.
        subject: Makes the subscriber.
        environment: The environment of the check.
        demands: The counts that the puppet is told to request, one after the other.
        dwell_seconds: How long each call of the subscription lasts.

    Returns:
        The probe, the driver of the subscriber, and, if there was no time for all demands, how many elements the puppet
        was told to request; else None.

    Raises:
        Failed: The subscriber did not register with its probe, or requests nothing.
    """
    probe = whitebox_probe(subject, environment)
    driven = DrivenSubscriber(environment, whitebox_subscriber(subject, probe), dwell_seconds=dwell_seconds)
    puppeteer = Puppeteer(subject, probe, environment)
    publisher.subscribe(driven)
    puppeteer.await_puppet()
    asked = 0
    for demand in demands:
        asked += demand
        with driven.subscription.driving("trigger_request"):
            puppeteer.trigger_request(demand)
        # Reported, not only sent: a processor may buffer elements for later demand.
        if not driven.subscription.wait_call("request"):
            driven.fail_for_want_of_demand(
                f"Did not receive expected `request` call within {environment.default_timeout_milliseconds} ms"
            )
        if not probe.wait_reported(asked) or probe.is_finished:
            break
        if not environment.has_time:
            environment.note(f"only {asked} elements were requested: there was no time for more")
            return probe, driven, asked
    return probe, driven, None


def feed_blackbox(
    publisher: Any,
    subject: "SubscriberBlackboxVerification",
    environment: CheckEnvironment,
    *,
    dwell_seconds: float = 0.0,
) -> DrivenSubscriber:
    """Subscribe a new subscriber and stimulate it, until the stream ends, stalls, or takes too long.

    Args:
        publisher: The publisher of its elements.
        subject: Makes the subscriber.
        environment: The environment of the check.
        dwell_seconds: How long each call of the subscription lasts.

    Raises:
        Failed: The subscriber requests nothing.
    """
    subscriber = blackbox_subscriber(subject)
    driven = DrivenSubscriber(environment, subscriber, dwell_seconds=dwell_seconds)
    publisher.subscribe(driven)
    _stimulate(subject, subscriber, driven)
    if not driven.subscription.wait_call("request"):
        driven.fail_for_want_of_demand(
            f"Did not receive expected `request` call within {environment.default_timeout_milliseconds} ms"
        )
    while environment.has_time and not (driven.ledger.end or driven.subscription.is_cancelled):
        delivered = driven.ledger.delivered  # read before the demand: a later element ends the wait
        if not driven.ledger.outstanding:
            _stimulate(subject, subscriber, driven)
        if not _wait_delivered(delivered + 1, driven):
            break
    return driven


def _stimulate(subject: "SubscriberBlackboxVerification", subscriber: Any, driven: DrivenSubscriber) -> None:
    with driven.subscription.driving("trigger_request"):
        told(subject, "trigger_request", subscriber)


def _wait_delivered(count: int, driven: DrivenSubscriber) -> bool:
    ledger = driven.ledger
    return driven.environment.wait(
        ledger.changed,
        lambda: ledger.delivered >= count or bool(ledger.end),
        driven.environment.default_timeout_milliseconds,
    )
