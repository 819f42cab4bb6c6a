"""Checks of `subscribe`: what it signals first, and what it does with None (§1.9)."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.publisher.active_publisher import active_publisher
from reactivestreams.tck.kit.check import check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1
from reactivestreams.tck.kit.element_text import error_text
from reactivestreams.tck.kit.failure import is_fatal, not_verified
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.observed_subscriber import ObservedSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification


@check(rules=("1.9",))
def untested_spec109_subscribe_should_not_raise_non_fatal_exception(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which has no way to make `subscribe` fail."""
    not_verified(by="required_spec109_subscribe_must_return_normally_when_the_source_fails")


@check(
    rules=("1.9",),
    look_at="the first line of subscribe",
    remedy="raise TypeError when the subscriber is None, before anything else",
    editions=AFTER_RC1,
)
def required_spec109_subscribe_raise_type_error_on_none_subscriber(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`subscribe(None)` raises TypeError to the caller.

    When it fails: None is accepted, or another exception is raised.
    """
    publisher = active_publisher(subject, 0)
    environment.step("subscribe(None)")
    try:
        publisher.subscribe(None)
    except TypeError:
        return
    except BaseException as error:
        if is_fatal(error):
            raise
        environment.flop_and_fail(
            f"subscribe(None) raised {type(error).__name__} ({error_text(error)}) instead of a TypeError"
        )
    environment.flop("Publisher did not throw a TypeError when given a None Subscribe in subscribe")


class _BareSubscriber(ObservedSubscriber):
    """Request nothing, and check that `on_subscribe` is the first signal, and arrives once."""

    def __init__(self, environment: CheckEnvironment) -> None:
        super().__init__(environment)
        self.subscribed = Latch(environment)

    def on_subscribe(self, subscription: Any, /) -> None:
        self.subscribed.assert_open("Only one on_subscribe call expected")
        self.subscribed.close()
        super().on_subscribe(subscription)

    def when_signal(self, signal: str) -> None:
        self.subscribed.assert_closed(f"on_subscribe should be called prior to {signal} always")


@check(
    rules=("1.9", "2.12"),
    look_at="subscribe: what is signalled first, and on which thread",
    remedy="call on_subscribe on every subscriber, once, before any other signal to it",
    editions=AFTER_RC1,
)
def required_spec109_must_issue_on_subscribe_for_non_none_subscriber(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A subscriber gets `on_subscribe` before any other signal, and gets it once.

    When it fails: an empty or failed stream ends without `on_subscribe`, or nothing is signalled at all.
    """
    publisher = active_publisher(subject, 0)
    subscriber = _BareSubscriber(environment)
    environment.call_subscribe(publisher, subscriber)
    subscriber.subscribed.expect_close("Should have received on_subscribe")


@check(rules=("1.10",))
def untested_spec110_reject_a_subscription_request_if_the_same_subscriber_subscribes_twice(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, since a publisher would have to remember all of its subscribers."""
    not_verified(by="optional_spec110_same_subscriber_twice_must_be_served_or_rejected")
