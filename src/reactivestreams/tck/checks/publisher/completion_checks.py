"""Checks of completion: it is signalled, and it is the last signal (§1.5, §1.6, §1.7)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.publisher.active_publisher import (
    active_publisher,
    optional_publisher,
)
from reactivestreams.tck.kit.check import check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1
from reactivestreams.tck.kit.failure import not_verified
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_LOOK_AT = "the place where the publisher notices that its source is exhausted"
_COMPLETE = "signal on_complete as soon as the last element has been sent, or on the request that finds no element"


@check(rules=("1.5",), look_at=_LOOK_AT, remedy=_COMPLETE)
def required_spec105_must_signal_on_complete_when_finite_stream_terminates(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A stream of three elements, taken one by one, ends with `on_complete`, at the next request at the latest.

    When it fails: the publisher stops sending, sends another element, or signals again afterwards. Corrected: a None
        instead of completion is not completion, and is reported. For a publisher that drops by policy the number of
        elements is its capacity.
    """
    elements = countable(3, subject, "1.5")
    subscriber = environment.new_manual_subscriber(active_publisher(subject, elements, completion=True))
    for _ in range(elements):
        subscriber.request_next_element()
    subscriber.request_end_of_stream()
    subscriber.expect_none()


@check(rules=("1.5",), look_at=_LOOK_AT, remedy=_COMPLETE, editions=AFTER_RC1)
def optional_spec105_empty_stream_must_terminate_by_signalling_on_complete(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """An empty stream completes, with or without a request, and even inside `subscribe`.

    Corrected: the standard's kit passes a publisher that never completes, or that sends an element, since it ignores
        recorded failures; here that is a skip with the reason, and a violation of another rule is a failure.
    """
    publisher = optional_publisher(subject, 0, completion=True)
    subscriber = environment.new_manual_subscriber(publisher)
    subscriber.request(1)
    subscriber.expect_completion()
    subscriber.expect_none()


@check(
    rules=("1.7",),
    look_at="request after on_complete, and which threads may still signal then",
    remedy="enter a terminal state before on_complete is called, and let every later signal check it",
)
def required_spec107_must_not_emit_further_signals_once_on_complete_has_been_signalled(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `on_complete` another request has no effect: no element, no second completion, no error.

    When it fails: the publisher starts again, or sets its terminal state only after signalling.
    """
    subscriber = environment.new_manual_subscriber(active_publisher(subject, 1, completion=True))
    subscriber.request(10)
    subscriber.next_element()
    subscriber.expect_completion()
    subscriber.request(10)
    subscriber.expect_none()


@check(rules=("1.6",))
def untested_spec106_must_consider_subscription_cancelled_after_on_error_or_on_complete_has_been_called(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which has no way without access to the publisher's internals."""
    not_verified(by="required_spec106_subscription_must_be_inert_after_on_complete")


@check(rules=("1.7",))
def untested_spec107_must_not_emit_further_signals_once_on_error_has_been_signalled(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, though it could be."""
    not_verified(by="required_spec107_must_not_emit_further_signals_after_a_bad_request")


@check(rules=("1.8",))
def untested_spec108_possibly_canceled_subscription_should_not_receive_on_error_or_on_complete_signals(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, because there is no agreement on "eventually"."""
    not_verified(by="required_spec108_endless_source_must_fall_silent_after_cancel")
