"""Checks of `subscribe` called again: with the same subscriber, an equal one, a later one (§1.10, §2.12, §3.14)."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.publisher.active_publisher import (
    largest_publisher,
    optional_publisher,
)
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1
from reactivestreams.tck.kit.failure import Skipped
from reactivestreams.tck.probes.manual_subscriber import EqualSubscriber
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_MANY = 1000


class _TwiceSubscriber(ScriptedSubscriber):
    """Cancel a second subscription, as §2.5 requires, and keep the first."""

    def on_subscribe(self, subscription: Any, /) -> None:
        is_second = self.has_subscription
        super().on_subscribe(subscription)
        if is_second and subscription is not None and subscription is not self.subscription.value():
            self.environment.call("3.15", "cancel() of the second subscription", subscription.cancel)


@check(
    rules=("1.10", "2.12"),
    look_at="what subscribe does with a subscriber that is already served",
    remedy="serve it again, or signal on_error; never raise, never ignore it",
    origin=Origin.EXTENDED,
)
def optional_spec110_same_subscriber_twice_must_be_served_or_rejected(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that subscribes twice gets a second subscription or an error, and does not lose the first silently.

    The caller breaks §1.10 here, so this is only a report; an exception of `subscribe` is a failure anyway.
    """
    publisher = optional_publisher(subject, 5)
    subscriber = _TwiceSubscriber(environment, on_failed=lambda subscriber, error: None, subscriptions_allowed=2)
    environment.subscribe(publisher, subscriber)
    # §1.3 applies to one subscription: signals of two may overlap, so each must return before the next step.
    subscriber.wait_signals_returned()
    environment.step("subscribe the same subscriber for the second time")
    environment.call_subscribe(publisher, subscriber)
    answered = environment.wait(
        subscriber.ledger.changed,
        lambda: subscriber.ledger.subscriptions > 1 or bool(subscriber.ledger.end),
        environment.default_timeout_milliseconds,
    )
    if not answered:
        environment.flop_and_fail("the second subscribe of the same subscriber was ignored: no signal answers it")
    subscriber.wait_signals_returned()
    if not subscriber.ledger.end:
        subscriber.request(1)
        if not subscriber.wait_signalled(1) and not subscriber.ledger.end:
            environment.flop_and_fail("the second subscribe of the same subscriber has silenced its first subscription")


@check(
    rules=("2.12", "1.11"),
    look_at="how the publisher finds its subscribers: a set, a dictionary, list.remove",
    remedy="distinguish subscribers by identity, not by == and hash",
    origin=Origin.EXTENDED,
)
def optional_spec212_equal_subscribers_must_be_served_independently(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Of two subscribers that are equal and cannot be hashed, cancelling one leaves the other one served.

    A skip means that the publisher serves only one subscriber, or confuses the two.
    """
    publisher = optional_publisher(subject, 5)
    first, second = EqualSubscriber(environment), EqualSubscriber(environment)
    environment.subscribe(publisher, first)
    environment.subscribe(publisher, second)
    first.request_next_element_or_end_of_stream()
    second.cancel()
    first.request_next_element_or_end_of_stream()
    environment.verify_no_async_errors()


@check(
    rules=("3.12", "2.12", "1.11"),
    look_at="what the subscriptions of one publisher share, and what cancel stops",
    remedy="give each subscription its own state, and let cancel end only that one",
    origin=Origin.EXTENDED,
    editions=AFTER_RC1,
    is_long=True,
)
def required_spec312_cancel_must_not_end_another_subscription(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Of two active subscribers one cancels: the other one still gets elements, and no terminal signal.

    This is done for each of the two. Skipped if a second subscriber is not served, or fails because it was slower than
    the first. When it fails: both share the flag, the thread or the position in the source that cancel stops.
    """
    overflow = subject.overflow()
    if overflow is not None and overflow.fails_late:
        raise Skipped(
            f"Not judged by 3.12: one of two subscribers may have been too slow before, by {overflow.on_overflow}."
        )
    for leaving in (0, 1):
        publisher = largest_publisher(subject, _MANY)
        pair = [ScriptedSubscriber(environment, on_failed=lambda subscriber, error: None) for _ in range(2)]
        for subscriber in pair:
            environment.call_subscribe(publisher, subscriber)
            if not subscriber.subscription.wait_completed() or subscriber.ledger.end:
                raise Skipped("The publisher serves one subscriber at a time.")
        for subscriber in pair:
            subscriber.request(1)
        if not all(subscriber.wait_signalled(1) for subscriber in pair):
            raise Skipped("The publisher does not serve two subscribers at once.")
        staying = pair[1 - leaving]
        end = staying.ledger.end
        if end:  # for example a publisher that fails a subscriber whose request arrived later than the other's
            raise Skipped(f"The publisher ended a subscription by {end} before the other was cancelled.")
        pair[leaving].cancel()
        environment.pause(environment.no_signals_timeout_milliseconds)
        before = staying.ledger.delivered
        if not staying.ledger.end:
            staying.request(1)
        if staying.ledger.end or not staying.wait_signalled(before + 1):
            environment.flop_and_fail(
                f"{staying} got {staying.ledger.end or 'no further element'} after {pair[leaving]} had cancelled"
            )
        staying.cancel()


@check(
    rules=("3.14", "1.9"),
    look_at="what the last cancel stops, and what subscribe does afterwards",
    remedy="serve a later subscriber, or give it on_subscribe and a terminal signal",
    origin=Origin.EXTENDED,
    editions=AFTER_RC1,
)
def required_spec314_subscriber_after_the_last_cancel_must_get_an_answer(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A subscriber that arrives after the only one has cancelled gets elements or a terminal signal.

    The stream is endless if possible, so only the cancellation can have stopped the publisher. When it fails: it has
    stopped, and does not signal that.
    """
    publisher = largest_publisher(subject, 3)
    first = environment.new_manual_subscriber(publisher)
    first.request(1)
    first.next_element()
    first.cancel()
    environment.pause(environment.no_signals_timeout_milliseconds)
    second = ScriptedSubscriber(environment, on_failed=lambda subscriber, error: None)
    environment.call_subscribe(publisher, second)
    timeout = environment.default_timeout_milliseconds
    if not second.subscription.wait_completed():
        environment.flop_and_fail(f"Should have received on_subscribe after the last cancel within {timeout} ms")
    second.request(1)
    if not second.wait_signalled(1) and not second.ledger.end:
        environment.flop(
            f"A subscriber after the last cancel got neither an element nor a terminal signal in {timeout} ms"
        )
