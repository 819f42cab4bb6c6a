"""Checks that a cancelled subscription stops signalling, in all cases of cancellation (§1.8, §3.6, §3.15)."""

from typing import TYPE_CHECKING

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.checks.publisher.active_publisher import (
    active_publisher,
    largest_publisher,
    optional_publisher,
)
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.failure import Failed
from reactivestreams.tck.probes.parking import Parking
from reactivestreams.tck.probes.peer_thread import PeerThread
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber, cancel_at_first

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_LOOK_AT = "the loop that sends: where it checks whether the subscription was cancelled"
_REMEDY = "check for cancellation before each element"
_LONG_STREAM = 1000


@check(rules=("1.8", "3.12"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, is_long=True)
def required_spec108_endless_source_must_fall_silent_after_cancel(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A long stream with unbounded demand stops after `cancel()` from another thread.

    When it fails: the thread that sends does not check for cancellation, or only when its demand is used up. The number
        of signals that were still on their way is noted and does not matter.
    """
    subscriber = ScriptedSubscriber(environment)
    environment.subscribe(largest_publisher(subject, _LONG_STREAM), subscriber)
    with PeerThread(environment, lambda: subscriber.request(MAX_DEMAND), purpose="request(2**63 - 1)"):
        _expect_first(subscriber, environment)
        subscriber.cancel()
    _expect_silence(subscriber, environment)


@check(rules=("1.8", "3.12"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, is_long=True)
def required_spec108_endless_source_must_fall_silent_after_cancel_inside_on_next(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A long stream with unbounded demand stops after `cancel()` inside `on_next`.

    When it fails: cancellation is only checked between requests. The standard's kit does not notice that.
    """
    subscriber = ScriptedSubscriber(environment, on_element=cancel_at_first)
    environment.subscribe(largest_publisher(subject, _LONG_STREAM), subscriber)
    with PeerThread(environment, lambda: subscriber.request(MAX_DEMAND), purpose="request(2**63 - 1)"):
        _expect_first(subscriber, environment)
    _expect_silence(subscriber, environment)


@check(rules=("1.8", "3.12"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, is_long=True)
def required_spec108_endless_source_must_fall_silent_after_cancel_while_on_next_is_held(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A long stream with unbounded demand stops after `cancel()` from another thread while `on_next` is held.

    When it fails: all elements that were prepared before the cancellation are sent after it.
    """
    parking = Parking(environment)

    def hold_first(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled == 1:
            parking.park()

    subscriber = ScriptedSubscriber(environment, on_element=hold_first)
    environment.subscribe(largest_publisher(subject, _LONG_STREAM), subscriber)
    with PeerThread(environment, lambda: subscriber.request(MAX_DEMAND), purpose="request(2**63 - 1)"):
        try:
            _expect_first(subscriber, environment)
            parking.wait_parked()
            with PeerThread(environment, subscriber.cancel, purpose="cancel()") as cancelling:
                cancelling.wait_done()
                parking.release()
        finally:
            parking.release()
    _expect_silence(subscriber, environment)


@check(
    rules=("3.12", "1.8", "3.2"),
    look_at="cancel inside on_subscribe: whether it is checked before elements are sent",
    remedy="check for cancellation before the first element too",
    origin=Origin.EXTENDED,
    is_long=True,
)
def required_spec312_cancel_inside_on_subscribe_must_be_followed_by_silence(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A long stream stops when `on_subscribe` requests without bound and cancels immediately.

    A publisher that serves the request before it returns is cancelled at an element. When it fails: the demand from
    `on_subscribe` is served after it, in spite of the cancellation.
    """

    def request_and_cancel(subscriber: ScriptedSubscriber) -> None:
        subscriber.request(MAX_DEMAND)
        subscriber.cancel()

    def cancel_within_request(subscriber: ScriptedSubscriber, element: object) -> None:
        is_enough = subscriber.signalled >= _LONG_STREAM or not environment.has_time
        if is_enough and not subscriber.ledger.is_cancelled:
            subscriber.cancel()

    subscriber = ScriptedSubscriber(environment, on_subscribed=request_and_cancel, on_element=cancel_within_request)
    publisher = largest_publisher(subject, _LONG_STREAM)
    with PeerThread(environment, lambda: environment.subscribe(publisher, subscriber), purpose="subscribe"):
        if not subscriber.subscription.wait_completed():
            environment.flop_and_fail("Should have received on_subscribe")
    _expect_silence(subscriber, environment)


@check(rules=("1.8",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def optional_spec108_cancel_inside_on_next_should_take_effect_at_once(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Of ten requested elements none arrives after `cancel()` inside the first `on_next`.

    The rules allow a delay, so this is only a report: a skip says how many elements arrived late.
    """
    subscriber = ScriptedSubscriber(environment, on_element=cancel_at_first)
    environment.subscribe(optional_publisher(subject, 20), subscriber)
    subscriber.request(10)
    _expect_first(subscriber, environment)
    environment.pause(environment.no_signals_timeout_milliseconds)
    late = subscriber.ledger.signals_after_cancel
    if late:
        raise Failed(f"{late} signals came after cancel() inside on_next")


@check(
    rules=("3.6", "3.9"),
    look_at="the order of the tests in request: is n checked before the state?",
    remedy="return immediately from request on a cancelled subscription, for any n",
    origin=Origin.EXTENDED,
)
def required_spec306_bad_request_after_cancel_must_be_a_nop(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `cancel`, `request(0)` and `request(-1)` signal no error.

    The standard's own example signals one, which its kit does not notice.
    """
    subscriber = environment.new_manual_subscriber(active_publisher(subject, 3))
    subscriber.cancel()
    for n in (0, -1, -(2**63)):
        subscriber.request(n)
    subscriber.expect_none()


@check(
    rules=("3.15", "3.2", "3.5"),
    look_at="cancel when it is called from inside a signal, or after the end",
    remedy="let cancel set a flag and return; the thread that is sending then stops",
    origin=Origin.EXTENDED,
)
def required_spec315_cancel_must_return_normally_from_inside_every_signal(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`cancel()` works inside `on_subscribe`, `on_next` and after the end, raises nothing, and no signal follows.

    When it fails: `cancel` needs a state that is only set after `on_subscribe`, or waits for the running signal.
    """
    at_once = ScriptedSubscriber(environment, on_subscribed=lambda subscriber: subscriber.cancel())
    environment.subscribe(active_publisher(subject, 1), at_once)
    at_first = ScriptedSubscriber(environment, on_element=lambda subscriber, element: subscriber.cancel())
    environment.subscribe(active_publisher(subject, 1), at_first)
    at_first.request(1)
    _expect_first(at_first, environment)
    environment.pause(environment.no_signals_timeout_milliseconds)
    at_first.cancel()
    if at_once.signalled:
        environment.flop(f"{at_once.signalled} elements came, though none were requested and cancel() was called")
    environment.note(f"{at_first.ledger.signals_after_cancel} signals came after cancel() inside on_next")


def _expect_first(subscriber: ScriptedSubscriber, environment: CheckEnvironment) -> None:
    if not subscriber.wait_signalled(1):
        environment.flop_and_fail(f"Did not receive an element within {environment.default_timeout_milliseconds} ms")


def _expect_silence(subscriber: ScriptedSubscriber, environment: CheckEnvironment) -> None:
    timeout = 10 * environment.default_timeout_milliseconds
    silent = subscriber.wait_silence(timeout)
    late = subscriber.ledger.signals_after_cancel
    if not silent:
        environment.flop(
            f"The publisher has not fallen silent {timeout} ms after cancel(); {late} signals came after it"
        )
    environment.note(f"{late} signals came after cancel()")
    if subscriber.ledger.end:
        environment.note(f"{subscriber.ledger.end} was among the signals; it may have been on its way")
