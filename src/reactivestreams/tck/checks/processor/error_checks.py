"""Checks that an error of the upstream reaches all subscribers of a processor (§4.2, 1.4)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.processor.processor_stage import (
    COORDINATED,
    ProcessorStage,
    serves_slow_subscribers,
    skip_unless_subscribers_are_supported,
)
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.exception_trap import ExpectedFailure
from reactivestreams.tck.kit.failure import Skipped

if TYPE_CHECKING:
    from reactivestreams.tck.processor_verification import ProcessorVerification

_LOOK_AT = "on_error of the processor, and whether it waits before it signals on_error to its subscribers"
_REMEDY = "signal on_error to every subscriber immediately, whether it has requested or not"


@check(rules=("1.4", "4.2"), look_at=_LOOK_AT, remedy=_REMEDY)
def required_spec104_must_call_on_error_on_all_its_subscribers_if_it_encounters_a_non_recoverable_error(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """An error of the upstream reaches both subscribers, though only one of them has demand.

    When it fails: the error waits for demand, is never sent, or goes to the first subscriber only. Corrected: a
        processor can declare that errors are sent after waiting elements; its second subscriber then receives the
        element first. Both request if no element waits for a slower subscriber.
    """
    skip_unless_subscribers_are_supported(2, subject)
    stage = ProcessorStage(subject, environment)
    first = stage.new_subscriber()
    second = stage.new_subscriber()
    error = ExpectedFailure()
    first.request(1)
    if subject.does_coordinated_emission() or not serves_slow_subscribers(subject):
        second.request(1)
        stage.expect_request()
        element = stage.signal_next()
        stage.expect_next(first, element)
        stage.expect_next(second, element)
        second.request(1)
    else:
        stage.expect_request(addendum=COORDINATED)
        element = stage.signal_next()
        stage.expect_next(first, element, COORDINATED)
        if subject.delays_errors():
            second.request(1)
            stage.expect_next(second, element)
    first.request(1)
    stage.send_error(error)
    first.expect_same_error(error)
    second.expect_same_error(error)


@check(rules=("4.2",), look_at=_LOOK_AT, remedy=_REMEDY)
def must_immediately_pass_on_on_error_events_received_from_its_upstream_to_its_downstream(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """An error of the upstream reaches a subscriber that has requested nothing.

    When it fails: the error waits for demand, or is never sent.
    """
    stage = ProcessorStage(subject, environment)
    subscriber = stage.new_subscriber()
    error = ExpectedFailure()
    stage.send_error(error)
    subscriber.expect_same_error(error)


@check(rules=("4.2", "1.4"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec402_error_must_be_passed_on_while_there_is_demand(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """An element, then an error, reach a subscriber that has requested more.

    When it fails: the error waits until the demand is fulfilled, which never happens.
    """
    stage = ProcessorStage(subject, environment)
    subscriber = stage.new_subscriber()
    subscriber.request(5)
    stage.pass_on_next(subscriber)
    error = ExpectedFailure()
    stage.send_error(error)
    subscriber.expect_same_error(error)


@check(rules=("4.2",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def optional_spec402_error_should_overtake_elements_that_wait_for_demand(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """An error of the upstream reaches all subscribers immediately, though elements before it wait for demand.

    They wait in the processor's buffer, or, if it requests no more than its subscribers do, for a second subscriber
    that has requested nothing. A skip means that the error is sent after them, or that no element can be made to wait.
    """
    if subject.delays_errors():
        raise Skipped("The processor declares that an error is sent after waiting elements.")
    stage = ProcessorStage(subject, environment)
    subscribers = [stage.new_subscriber()]
    subscribers[0].request(1)
    stage.pass_on_next(subscribers[0])
    if not stage.has_demand:
        if not serves_slow_subscribers(subject):
            raise Skipped("The processor requests no more than its subscribers did, so no element waits.")
        subscribers.append(stage.new_subscriber_without_demand(subscribers[0]))
    stage.signal_next()
    stage.send_error(ExpectedFailure())
    if not all(subscriber.failed.wait_closed() for subscriber in subscribers):
        raise Skipped("The error is sent after the elements before it.")


@check(
    rules=("1.7", "4.2"),
    look_at="what happens to elements that wait for demand when an error has been passed on",
    remedy="drop them when the error is signalled, or signal it after them; send nothing once it is signalled",
    origin=Origin.EXTENDED,
)
def required_spec107_no_element_must_follow_an_error_that_was_passed_on(
    subject: "ProcessorVerification", environment: CheckEnvironment
) -> None:
    """Elements that waited for demand when the error was passed on are not sent when there is demand again.

    They wait in the processor's buffer, or, if it requests no more than its subscribers do, for a second subscriber
    that has requested nothing. When it fails: the error is signalled, and the buffer is served anyway.
    """
    stage = ProcessorStage(subject, environment)
    subscribers = [stage.new_subscriber()]
    subscribers[0].request(1)
    stage.pass_on_next(subscribers[0])
    if not stage.has_demand and serves_slow_subscribers(subject):
        subscribers.append(stage.new_subscriber_without_demand(subscribers[0]))
    if stage.has_demand:
        stage.signal_next()
    stage.send_error(ExpectedFailure())
    for subscriber in subscribers:
        if not subscriber.failed.wait_closed(environment.no_signals_timeout_milliseconds):
            subscriber.request(1)  # the error is sent after the element
        subscriber.failed.wait_closed()
        subscriber.request(10)
    environment.pause(environment.no_signals_timeout_milliseconds)
    for subscriber in subscribers:
        if subscriber.ledger.signals_after_end:
            environment.flop(f"{subscriber.ledger.signals_after_end} signals came to {subscriber} after on_error")
