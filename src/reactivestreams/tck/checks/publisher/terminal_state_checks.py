"""Checks that nothing happens after a stream has ended in any way (§1.6, §1.7)."""

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.checks.publisher.active_publisher import (
    active_publisher,
    failed_publisher,
    optional_publisher,
)
from reactivestreams.tck.checks.publisher.cancel_checks import expect_collected
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_LOOK_AT = "request and cancel after a terminal signal"
_REMEDY = "enter the state of a cancelled subscription before the terminal signal is sent"
_LATE_REQUESTS = (1, MAX_DEMAND, 0, -1)


@check(rules=("1.6", "1.7", "3.16"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec106_subscription_must_be_inert_after_on_complete(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `on_complete`, requests good and bad and `cancel` have no effect, and the subscriber is released.

    When it fails: the subscription does not know that the stream is over.
    """
    _expect_inert(active_publisher(subject, 1, completion=True), lambda subscriber: subscriber.request(10), environment)


@check(rules=("1.6", "1.7", "3.16"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, editions=AFTER_RC1)
def required_spec106_subscription_must_be_inert_after_on_error(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `on_error` of a failed publisher, requests good and bad and `cancel` have no effect.

    When it fails: the subscription does not know that the stream is over.
    """
    _expect_inert(failed_publisher(subject), lambda subscriber: None, environment)


@check(rules=("1.6", "1.7", "3.16"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec106_subscription_must_be_inert_after_a_bad_request(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After the `on_error` that answers `request(0)`, requests good and bad and `cancel` have no effect.

    When it fails: a second bad request signals a second error.
    """
    _expect_inert(active_publisher(subject, 10), lambda subscriber: subscriber.request(0), environment)


@check(rules=("1.7",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, editions=AFTER_RC1)
def required_spec107_must_not_emit_further_signals_after_on_error(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `on_error` of a failed publisher, `request(10)` has no effect.

    When it fails: an error is followed by elements, by completion, or by the error again.
    """
    _expect_last(failed_publisher(subject), lambda subscriber: None, environment)


@check(rules=("1.7", "3.9"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec107_must_not_emit_further_signals_after_a_bad_request(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After the `on_error` that answers `request(0)`, `request(10)` has no effect.

    When it fails: the error of a bad request is signalled, but the stream continues.
    """
    _expect_last(active_publisher(subject, 10), lambda subscriber: subscriber.request(0), environment)


@check(
    rules=("1.5",),
    look_at="when the publisher checks whether there is another element",
    remedy="check after each element, so that completion needs no demand; waiting for a request is legal",
    origin=Origin.EXTENDED,
)
def optional_spec105_should_complete_without_further_demand(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A stream of three elements ends after `request(3)`, without another request.

    A skip means that subscribers that request exactly all elements never get completion.
    """
    elements = countable(3, subject, "1.5")
    subscriber = environment.new_manual_subscriber(optional_publisher(subject, elements, completion=True))
    subscriber.request(elements)
    subscriber.next_elements(elements)
    subscriber.expect_completion()


def _expect_last(publisher: Any, end: Callable[[ScriptedSubscriber], None], environment: CheckEnvironment) -> None:
    subscriber = _ended(publisher, end, environment)
    subscriber.request(10)
    environment.pause(environment.no_signals_timeout_milliseconds)
    if subscriber.ledger.signals_after_end:
        environment.flop(f"{subscriber.ledger.signals_after_end} signals came after {subscriber.ledger.end}")


def _expect_inert(publisher: Any, end: Callable[[ScriptedSubscriber], None], environment: CheckEnvironment) -> None:
    reference = _poked(publisher, end, environment)
    expect_collected(reference, environment, f"Publisher {safe_repr(publisher)}", "the end of the stream")


def _poked(
    publisher: Any, end: Callable[[ScriptedSubscriber], None], environment: CheckEnvironment
) -> "weakref.ref[ScriptedSubscriber]":
    # In a separate function, so that no local variable refers to the subscriber.
    subscriber = _ended(publisher, end, environment)
    for n in _LATE_REQUESTS:
        subscriber.request(n)
    subscriber.cancel()
    subscriber.cancel()
    environment.pause(environment.no_signals_timeout_milliseconds)
    if subscriber.ledger.signals_after_end:
        environment.flop(
            f"request and cancel must do nothing after {subscriber.ledger.end}, "
            f"but {subscriber.ledger.signals_after_end} signals followed"
        )
    # The error's traceback may have frames that refer to the subscriber.
    subscriber.error = None
    return weakref.ref(subscriber)


def _ended(
    publisher: Any, end: Callable[[ScriptedSubscriber], None], environment: CheckEnvironment
) -> ScriptedSubscriber:
    subscriber = ScriptedSubscriber(environment, on_failed=lambda subscriber, error: None)
    environment.call_subscribe(publisher, subscriber)
    if not subscriber.subscription.wait_completed():
        environment.flop_and_fail(f"Should have received on_subscribe within {_timeout(environment)} ms")
    end(subscriber)
    if not subscriber.ended.wait_closed():
        environment.flop_and_fail(f"Did not receive a terminal signal within {_timeout(environment)} ms")
    return subscriber


def _timeout(environment: CheckEnvironment) -> int:
    return environment.default_timeout_milliseconds
