"""Checks of cancellation: it stops the signals, may be repeated, and releases the subscriber (§3.5-3.7, 3.12, 3.13)."""

import gc
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.checks.publisher.active_publisher import (
    LARGE_STREAM,
    active_publisher,
    largest_publisher,
)
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.failure import not_verified
from reactivestreams.tck.probes.manual_subscriber import ManualSubscriber
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber, cancel_at_first

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_DEMAND = 15
_COLLECTIONS = 20  # in the time that the publisher has, evenly, and one at its end
_INERT = "let cancel enter a terminal state, and let request and cancel return at once in it"


@check(rules=("3.5",))
def untested_spec305_cancel_must_not_synchronously_perform_heavy_computation(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which cannot detect heavy computation."""
    not_verified(by="required_spec305_cancel_must_return_while_on_next_is_running")


@check(rules=("3.6",), look_at="request after cancel", remedy=_INERT)
def required_spec306_after_subscription_is_cancelled_request_must_be_nops(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `cancel`, three requests have no effect.

    When it fails: `request` does not check whether the subscription was cancelled.
    """
    subscriber = environment.new_manual_subscriber(active_publisher(subject, 3))
    subscriber.cancel()
    for _ in range(3):
        subscriber.request(1)
    subscriber.expect_none()
    environment.verify_no_async_errors_no_delay()


@check(rules=("3.7", "3.5"), look_at="cancel after cancel", remedy=_INERT)
def required_spec307_after_subscription_is_cancelled_additional_cancellations_must_be_nops(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Cancelling three times has no other effect than cancelling once: no signal, no exception.

    When it fails: `cancel` frees something twice, or signals the end.
    """
    subscriber = environment.new_manual_subscriber(active_publisher(subject, 1))
    for _ in range(3):
        subscriber.cancel()
    subscriber.expect_none()
    environment.verify_no_async_errors_no_delay()


@check(
    rules=("3.12", "1.8"),
    look_at="the loop that sends: where it checks whether the subscription was cancelled",
    remedy="check for cancellation before each element, not only between requests",
    is_long=True,
)
def required_spec312_cancel_must_make_the_publisher_to_eventually_stop_signaling(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `cancel`, no more elements arrive than were requested before; and an endless stream ends.

    Elements on their way may still arrive. Corrected: the standard's kit passes a `cancel` that does nothing at all,
    since it stays within the demand; so a long stream with unbounded demand is also cancelled inside `on_next`, and
    must stop sending.
    """
    publisher = active_publisher(subject, 20)
    subscriber = environment.new_manual_subscriber(publisher)
    subscriber.request(10)
    subscriber.request(5)
    subscriber.next_element()
    subscriber.cancel()
    _count_until_silence(subscriber, environment)
    if subject.max_elements_from_publisher() >= LARGE_STREAM:
        _expect_silence_of_large_stream(subject, environment)


def _count_until_silence(subscriber: ManualSubscriber, environment: CheckEnvironment) -> None:
    signalled = 1
    while True:
        subscriber.expect_none()
        if environment.drop_async_error() is None:
            return
        signalled += 1
        if signalled > _DEMAND:
            environment.flop_and_fail(
                f"Publisher signalled [{signalled}] elements, which is more than the signalled demand: {_DEMAND}"
            )


def _expect_silence_of_large_stream(subject: "PublisherVerification", environment: CheckEnvironment) -> None:
    subscriber = ScriptedSubscriber(environment, on_element=cancel_at_first)
    environment.subscribe(largest_publisher(subject, LARGE_STREAM), subscriber)
    subscriber.request(MAX_DEMAND)
    if not subscriber.wait_signalled(1):
        environment.flop_and_fail(f"Did not receive an element within {environment.default_timeout_milliseconds} ms")
    if not subscriber.wait_silence(10 * environment.default_timeout_milliseconds):
        environment.flop(
            f"The publisher has not fallen silent {10 * environment.default_timeout_milliseconds} ms after cancel(); "
            f"{subscriber.ledger.signals_after_cancel} signals came after it"
        )
    environment.note(f"{subscriber.ledger.signals_after_cancel} signals came after cancel() inside on_next")


@check(
    rules=("3.13",),
    look_at="what still refers to the subscriber: lists, closures, task queues, tracebacks, locals of a worker's loop",
    remedy="clear the reference when the subscription is cancelled; del the last task in a worker's loop",
)
def required_spec313_cancel_must_make_the_publisher_eventually_drop_all_references_to_the_subscriber(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A cancelled subscriber becomes garbage while its publisher lives on.

    When it fails: the evidence names the types that still refer to it.
    """
    publisher = active_publisher(subject, 3)
    reference = _subscribed_and_cancelled(publisher, environment)
    expect_collected(reference, environment, f"Publisher {safe_repr(publisher)}", "subscription cancellation")


def _subscribed_and_cancelled(publisher: Any, environment: CheckEnvironment) -> "weakref.ref[ManualSubscriber]":
    # In a separate function, so that no local variable refers to the subscriber.
    subscriber = environment.new_manual_subscriber(publisher)
    subscriber.request(1)
    subscriber.next_element()
    subscriber.cancel()
    return weakref.ref(subscriber)


@check(
    rules=("3.13",),
    look_at="bound methods and closures that were prepared for a signal, and what clears them when cancel comes first",
    remedy="clear every reference, methods too, whenever the subscription is cancelled",
    origin=Origin.EXTENDED,
)
def required_spec313_subscriber_must_be_let_go_whenever_it_cancels(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A subscriber becomes garbage if it cancels before any request, with demand left, or inside `on_next`.

    When it fails: one path does not clear a reference, such as that to the next method to call.
    """
    publisher = active_publisher(subject, 10)
    for occasion, begin in _WAYS_OUT.items():
        started = environment.log.elapsed_seconds
        reference = _gone(publisher, begin, environment)
        expect_collected(
            reference,
            environment,
            f"Publisher {safe_repr(publisher)}",
            f"cancel {occasion}",
            element_seconds=environment.log.elapsed_seconds - started,
        )
        environment.verify_no_async_errors_no_delay()


def _request_and_cancel(subscriber: ScriptedSubscriber) -> None:
    subscriber.request(5)
    subscriber.wait_signalled(1)
    subscriber.cancel()


def _cancel_inside_on_next(subscriber: ScriptedSubscriber) -> None:
    subscriber.handle_elements(cancel_at_first)
    subscriber.request(5)
    subscriber.wait_signalled(1)


_WAYS_OUT: dict[str, Callable[[ScriptedSubscriber], None]] = {
    "without a request": lambda subscriber: subscriber.cancel(),
    "with demand left": _request_and_cancel,
    "inside on_next": _cancel_inside_on_next,
}


def _gone(
    publisher: Any, begin: Callable[[ScriptedSubscriber], None], environment: CheckEnvironment
) -> "weakref.ref[ScriptedSubscriber]":
    # In a separate function, so that no local variable refers to the subscriber.
    subscriber = ScriptedSubscriber(environment, on_failed=lambda subscriber, error: None)
    environment.subscribe(publisher, subscriber)
    begin(subscriber)
    subscriber.wait_signals_returned()
    subscriber.cancel_quietly()
    subscriber.error = None
    return weakref.ref(subscriber)


def expect_collected(
    reference: "weakref.ref[Any]",
    environment: CheckEnvironment,
    holder: str,
    occasion: str,
    *,
    element_seconds: float = 0.0,
) -> None:
    """Wait for a subscriber to be collected as garbage; flop with the types that refer to it if it is not.

    Args:
        reference: The subscriber.
        environment: Of the check.
        holder: The object that may refer to it, for the message.
        occasion: The event that should have made it garbage, for the message.
        element_seconds: How long the holder needed per element; it may have begun the next one before cancel, and
            finishes that first.
    """
    environment.step("expect the subscriber to be collected")
    # In rounds, not by the clock: the time of a collection or of a stalled machine is not the publisher's.
    patience = environment.settings.reference_timeout_milliseconds + 1000 * element_seconds
    for _ in range(_COLLECTIONS):
        if _is_collected(reference):
            return
        environment.pause(patience / _COLLECTIONS)
    if not _is_collected(reference):
        kinds = sorted({type(holder).__name__ for holder in gc.get_referrers(reference())})
        environment.note(f"what refers to the subscriber is of type: {', '.join(kinds)}")
        environment.flop(f"{holder} did not drop reference to test subscriber after {occasion}")


def _is_collected(reference: "weakref.ref[Any]") -> bool:
    gc.collect()
    return reference() is None
