"""Checks that a processor passes demand upstream, and all elements downstream in order (§4.1, 2.1, 3.8, 1.1)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.processor.processor_stage import (
    COORDINATED,
    ProcessorStage,
    serves_slow_subscribers,
    skip_unless_subscribers_are_supported,
)
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import error_text
from reactivestreams.tck.kit.failure import Skipped, Unmet
from reactivestreams.tck.probes.manual_subscriber import ErrorCollectingSubscriber
from reactivestreams.tck.probes.receptacle import BUFFER_SIZE
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.processor_verification import ProcessorVerification

_DEMANDS = (1, 1, 7, 20, 3)

_UP_LOOK_AT = "when the processor requests from its upstream: only once, or whenever it can pass on more"
_UP_REMEDY = "store the demand of each subscriber, and request from the upstream as long as there is demand"
_DOWN_LOOK_AT = "how elements wait for the demand of the subscriber"
_DOWN_REMEDY = "buffer the upstream's elements, within the requested bound, until there is demand for them"


@check(rules=("2.1", "3.8", "4.1"), look_at=_UP_LOOK_AT, remedy=_UP_REMEDY)
def required_must_request_from_upstream_for_elements_that_have_been_requested_long_ago(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """Demand of the first subscriber is still fulfilled after a second one subscribed, which gets only new elements.

    When it fails: the processor requests once, serves its first or its last subscriber only, or repeats elements.
    Corrected: elements need not be hashable; a processor can declare that it replays elements to late subscribers; with
        coordinated emission no further request is expected while the second subscriber has no demand; and if no element
        waits for a slower subscriber, both request.
    """
    skip_unless_subscribers_are_supported(2, subject)
    if subject.replays_elements():
        raise Skipped("The processor declares that it replays elements to late subscribers.")
    stage = ProcessorStage(subject, environment)
    first = stage.new_subscriber()
    first.request(20)
    requested = stage.expect_request()
    for position in (1, 2):
        stage.expect_next(first, stage.signal_next())
        if requested == position:
            requested += stage.expect_request()
    second = stage.new_subscriber()
    if subject.does_coordinated_emission() or not serves_slow_subscribers(subject):
        second.expect_none()
        second.request(1)
        element = stage.signal_next()
        stage.expect_next(first, element)
        stage.expect_next(second, element)
    else:
        element = stage.signal_next()
        stage.expect_next(first, element, COORDINATED)
        second.expect_none()
        second.request(1)
        stage.expect_next(second, element)
    if requested == 3 and not subject.does_coordinated_emission():
        stage.expect_request()
    stage.send_completion()
    first.expect_completion()
    second.expect_completion()


@check(rules=("4.1", "2.1", "3.8"), look_at=_UP_LOOK_AT, remedy=_UP_REMEDY, origin=Origin.EXTENDED)
def required_spec401_every_element_must_be_passed_on_in_order(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """Thirty-two elements, requested one by one and in larger numbers, arrive, each once and in order.

    When it fails: a processor stops requesting from its upstream, or loses or repeats elements when it requests again.
    """
    stage = ProcessorStage(subject, environment)
    subscriber = stage.new_subscriber()
    for demand in _DEMANDS:
        subscriber.request(demand)
        for _ in range(demand):
            stage.pass_on_next(subscriber)


@check(
    rules=("4.1", "3.8", "2.1"),
    look_at="what happens to demand that arrives before the upstream's on_subscribe",
    remedy="store the demand of each subscriber from the beginning, and request from the upstream in on_subscribe",
    origin=Origin.EXTENDED,
)
def required_spec401_demand_from_before_the_upstream_must_be_met(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """Demand from before the processor had an upstream is fulfilled once it has one.

    Skipped for a processor that gives its subscribers no subscription until then, or an error. When it fails: the
    processor loses the demand because it has no upstream yet.
    """
    stage = ProcessorStage(subject, environment, begins=False)
    subscriber = ErrorCollectingSubscriber(environment)
    environment.call_subscribe(stage.processor, subscriber, judged="processor")
    environment.verify_no_async_errors_no_delay()
    silence = environment.no_signals_timeout_milliseconds
    if not subscriber.subscription.wait_completed(silence):
        raise Skipped("The processor gives its subscribers no subscription before it has an upstream.")
    subscriber.request(1)
    if subscriber.failed.wait_closed(silence):
        raise Skipped("The processor signals an error to its subscribers while it has no upstream.")
    stage.begin()
    try:
        stage.pass_on_next(subscriber)
    except Unmet as nothing_requested:  # this is the expected result
        environment.flop_and_fail(error_text(nothing_requested))


@check(rules=("4.1", "1.1"), look_at=_DOWN_LOOK_AT, remedy=_DOWN_REMEDY, origin=Origin.EXTENDED)
def required_spec401_elements_must_wait_for_demand(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """Elements that a processor has requested for its own buffer wait there for demand, and are then sent.

    When it fails: elements are sent without demand, or are lost while they wait.
    """
    stage = ProcessorStage(subject, environment)
    subscriber = stage.new_subscriber()
    subscriber.request(1)
    stage.pass_on_next(subscriber)
    most = countable(BUFFER_SIZE, subject, "4.1")
    waiting = [stage.signal_next() for _ in range(most) if stage.has_demand]
    subscriber.expect_none()
    environment.verify_no_async_errors_no_delay()
    environment.note(f"{len(waiting)} elements waited in the processor")
    for element in waiting:
        subscriber.request(1)
        stage.expect_next(subscriber, element)


@check(
    rules=("4.1", "1.5", "2.9"),
    look_at="on_complete of the processor, and whether it waits before it completes its subscribers",
    remedy="complete every subscriber as soon as nothing waits for it, whether it has requested or not",
    origin=Origin.EXTENDED,
)
def required_spec401_end_must_be_passed_on_without_demand(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """Completion of an empty upstream reaches a subscriber that has requested nothing.

    When it fails: completion waits for demand, or is never sent.
    """
    stage = ProcessorStage(subject, environment)
    subscriber = stage.new_subscriber()
    stage.send_completion()
    subscriber.expect_completion()


@check(
    rules=("4.1", "1.5"),
    look_at="on_complete of the processor while elements wait for demand",
    remedy="complete only after the last element has been sent",
    origin=Origin.EXTENDED,
)
def required_spec401_end_must_follow_the_elements_before_it(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """Completion of the upstream is sent after elements that wait for demand, not instead of them.

    They wait in the processor's buffer, or, if it requests no more than its subscribers do, for a second subscriber
    that has requested nothing; if none can wait, completion follows the sent elements. When it fails: the waiting
    elements are dropped on completion.
    """
    stage = ProcessorStage(subject, environment)
    slow = first = stage.new_subscriber()
    first.request(1)
    waiting = [stage.pass_on_next(first)]
    if not stage.has_demand and serves_slow_subscribers(subject):
        slow = stage.new_subscriber_without_demand(first)
    if slow is first or not subject.replays_elements():
        waiting.clear()
    most = countable(BUFFER_SIZE, subject, "4.1")
    waiting += [stage.signal_next() for _ in range(most) if stage.has_demand]
    stage.send_completion()
    environment.verify_no_async_errors()
    for element in waiting:
        slow.request(1)
        stage.expect_next(slow, element)
    slow.expect_completion()
