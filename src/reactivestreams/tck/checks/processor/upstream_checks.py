"""Checks that a processor is new, and how it uses the subscription of its upstream (§2.3, 2.4, 2.7)."""

import threading
from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.processor.processor_stage import ProcessorStage, identity_processor
from reactivestreams.tck.checks.subscriber.fed_stream import taken_elements
from reactivestreams.tck.checks.subscriber.setup_checks import expect_two_subscribers
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.exception_trap import ExpectedFailure
from reactivestreams.tck.kit.failure import Skipped, skip_unless_chance_may_decide
from reactivestreams.tck.probes.driven_subscriber import DrivenSubscriber
from reactivestreams.tck.probes.manual_subscriber import ErrorCollectingSubscriber
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber
from reactivestreams.tck.probes.source_publishers import AsynchronousPublisher

if TYPE_CHECKING:
    from reactivestreams.tck.processor_verification import ProcessorVerification

_ELEMENTS = 200
_DWELL_SECONDS = 0.0002

_AFTER_LOOK_AT = "what the processor does with the demand of its subscribers once its upstream has ended"
_AFTER_REMEDY = "forget the upstream's subscription in on_error and on_complete: it is cancelled"


@check(
    look_at="create_identity_processor",
    remedy="make a new processor at each call: one can be subscribed to an upstream only once",
    origin=Origin.EXTENDED,
)
def required_create_identity_processor_must_return_a_new_processor_each_time(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """Two calls of `create_identity_processor` give two objects with the five methods.

    When it fails: the factory returns an object that it made before.
    """
    expect_two_subscribers(
        subject, environment, lambda: identity_processor(subject), factory="create_identity_processor"
    )


@check(rules=("4.2", "2.4"), look_at=_AFTER_LOOK_AT, remedy=_AFTER_REMEDY, origin=Origin.EXTENDED)
def required_spec402_upstream_must_be_left_alone_after_its_error(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """After an error of the upstream, neither demand nor cancellation from downstream reaches its subscription.

    When it fails: the processor still treats the subscription of its upstream as active.
    """
    stage, subscriber = _stage_with_one_element_passed(subject, environment)
    error = ExpectedFailure()
    stage.send_error(error)
    subscriber.expect_same_error(error)
    _expect_upstream_alone(stage, subscriber, environment)


@check(rules=("2.4", "4.1"), look_at=_AFTER_LOOK_AT, remedy=_AFTER_REMEDY, origin=Origin.EXTENDED)
def required_spec401_upstream_must_be_left_alone_after_its_end(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """After completion of the upstream, neither demand nor cancellation from downstream reaches its subscription.

    When it fails: the processor still treats the subscription of its upstream as active.
    """
    stage, subscriber = _stage_with_one_element_passed(subject, environment)
    stage.send_completion()
    subscriber.expect_completion()
    _expect_upstream_alone(stage, subscriber, environment)


@check(
    rules=("4.1", "2.6"),
    look_at="what the processor does when its last subscriber cancels",
    remedy="cancel the upstream's subscription, unless later subscribers are to be served from it",
    origin=Origin.EXTENDED,
)
def optional_spec401_upstream_should_be_cancelled_with_the_last_subscriber(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """When the only subscriber cancels, the processor cancels its upstream.

    The standard recommends this and never requires it, though its kit fails processors that do otherwise. A skip means
    that the upstream is not cancelled.
    """
    stage, subscriber = _stage_with_one_element_passed(subject, environment)
    subscriber.cancel()
    if not stage.cancelled.wait_closed():
        raise Skipped("The processor keeps its upstream when its last subscriber has cancelled.")


@check(
    rules=("2.7", "4.1"),
    look_at="calls of the upstream's request from two sides: demand from downstream, and elements from upstream",
    remedy="let one thread at a time call the upstream; the others record their demand and return",
    origin=Origin.EXTENDED,
)
def stochastic_spec207_requests_from_below_must_not_overlap_those_of_the_processor(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """While elements arrive on other threads, demand from downstream causes no overlapping calls upstream.

    When it fails: the thread that requests and the one that sends both call the upstream's subscription.
    """
    skip_unless_chance_may_decide(subject)
    elements = taken_elements(_ELEMENTS, subject, environment, distinct=False)
    overflow = subject.overflow()
    drops = overflow is not None and overflow.lossless_elements is not None
    processor = identity_processor(subject)
    driven = DrivenSubscriber(environment, processor, dwell_seconds=_DWELL_SECONDS)
    never = threading.Event()

    def slow_element(number: int) -> Any:
        never.wait(_DWELL_SECONDS)
        return elements[number]

    AsynchronousPublisher(_ELEMENTS, slow_element, environment=environment).subscribe(driven)
    subscriber = ScriptedSubscriber(environment)
    environment.subscribe(processor, subscriber)
    subscriber.request(_ELEMENTS // 2)
    for _ in range(_ELEMENTS // 2):  # while the first half arrives
        subscriber.request(1)
        never.wait(_DWELL_SECONDS)
    while (delivered := subscriber.ledger.delivered) < _ELEMENTS and environment.has_time:
        if not subscriber.wait_signalled(delivered + 1):
            if drops:
                break
            environment.flop_and_fail(f"{delivered} of {_ELEMENTS} elements arrived, though all were requested")
    calls = driven.subscription.calls
    environment.note(f"{len(calls)} calls came from {len({call.thread for call in calls})} threads")


@check(
    rules=("3.9", "4.1"),
    look_at="what the processor does with the count of a subscriber's request before it requests from its upstream",
    remedy="signal on_error for a count below 1, and request from the upstream with counts of the processor's own",
    origin=Origin.EXTENDED,
)
def required_spec309_bad_requests_must_not_be_passed_up(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """`request(0)` and `request(-1)` of a subscriber do not reach the upstream.

    When it fails: the processor, as the subscriber of its upstream, breaks §3.9 itself.
    """
    for n in (0, -1):
        stage, subscriber = _stage_with_one_element_passed(subject, environment)
        before = stage.subscription.call_count
        subscriber.request(n)
        subscriber.failed.wait_closed()
        stage.subscription.wait_quiet()
        for call in stage.subscription.calls_from(before):
            if call.method == "request" and call.n <= 0:
                environment.flop_and_fail(f"request({call.n}) was passed on to the upstream")


def _stage_with_one_element_passed(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> tuple[ProcessorStage, ErrorCollectingSubscriber]:
    """Return a stage, with no calls of the upstream's subscription in progress, and its only subscriber."""
    stage = ProcessorStage(subject, environment)
    subscriber = stage.new_subscriber()
    subscriber.request(1)
    stage.pass_on_next(subscriber)
    stage.subscription.wait_quiet()
    return stage, subscriber


def _expect_upstream_alone(
    stage: ProcessorStage, subscriber: ErrorCollectingSubscriber, environment: CheckEnvironment
) -> None:
    subscriber.request(10)
    subscriber.cancel()
    environment.pause(environment.no_signals_timeout_milliseconds)
    for call in stage.subscription.calls_after_end:
        environment.flop_and_fail(
            f"{call.method} of the upstream's subscription was called after it had ended: it is cancelled then"
        )
