"""Checks of a subscriber's threads: of processing, and of calls of its subscription (§2.2, 2.7, 2.11, 3.1)."""

import threading
from statistics import median
from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.subscriber.blackbox_stage import BlackboxStage
from reactivestreams.tck.checks.subscriber.boxes import Box, in_both_boxes
from reactivestreams.tck.checks.subscriber.fed_stream import feed_blackbox, feed_whitebox, taken_elements
from reactivestreams.tck.checks.subscriber.whitebox_stage import WhiteboxStage
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.failure import Skipped, not_verified_for_subscribers, skip_unless_chance_may_decide
from reactivestreams.tck.probes.driven_subscriber import DrivenSubscriber
from reactivestreams.tck.probes.source_publishers import AsynchronousPublisher
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

_ELEMENTS = 200
_FEW_ELEMENTS = 10
_LARGEST_DEMAND = 16
_DWELL_SECONDS = 0.0002

_SERIAL_LOOK_AT = "every place that calls request or cancel: signals, workers, timers"
_SERIAL_REMEDY = "let one thread at a time call the subscription; the others record their call for it and return"
_CONTEXT_REMEDY = "nothing has to be done; contextvars.copy_context().run(...) carries a signal's context along"
_DISPATCH_LOOK_AT = "what on_next does before it returns"
_DISPATCH_REMEDY = "put the element into a bounded queue and process it on another thread, if it takes long"


# --- §2.2: asynchronous dispatch ---


@check(rules=("2.2",))
def untested_spec202_should_asynchronously_dispatch(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which cannot distinguish asynchronous from merely quick."""
    not_verified_for_subscribers(by="optional_spec202_elements_should_be_processed_on_another_thread")


@check(rules=("2.2",))
def untested_spec202_blackbox_should_asynchronously_dispatch(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which cannot distinguish asynchronous from merely quick."""
    not_verified_for_subscribers(by="optional_spec202_blackbox_signals_should_return_quickly")


@check(rules=("2.2",), look_at=_DISPATCH_LOOK_AT, remedy=_DISPATCH_REMEDY, origin=Origin.EXTENDED)
def optional_spec202_elements_should_be_processed_on_another_thread(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """An element is reported on another thread than the one that sends it.

    A skip means that it is processed on the thread that sends it, which is right if processing is quick.
    """
    stage = WhiteboxStage(subject, environment)
    stage.trigger_request(1)
    stage.await_demand()
    stage.probe.expect_next(stage.signal_next())
    if stage.probe.reporting_thread == threading.get_ident():
        raise Skipped("Elements are processed on the thread that sends them, which is right if processing is quick.")


@check(rules=("2.2",), look_at=_DISPATCH_LOOK_AT, remedy=_DISPATCH_REMEDY, origin=Origin.EXTENDED)
def optional_spec202_blackbox_signals_should_return_quickly(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """`on_next` returns within the no-signals timeout, measured by the median of the first ten calls.

    A single call that takes longer may have been interrupted. A skip says how long the publisher was delayed.
    """
    stage = BlackboxStage(subject, environment)
    stage.trigger_request()
    stage.await_demand()
    seconds: list[float] = []
    for _ in range(_FEW_ELEMENTS):
        if stage.has_demand and not stage.is_cancelled():
            element = stage.elements.next()
            started = environment.log.elapsed_seconds
            stage.send_next(element)
            seconds.append(environment.log.elapsed_seconds - started)
    usual = median(seconds or [0.0]) * 1000
    environment.note(f"on_next took {usual:.1f} ms as a rule, for {stage.sent} elements")
    if usual > environment.no_signals_timeout_milliseconds:
        raise Skipped(f"on_next held the publisher up for {usual:.0f} ms.")


# --- §2.7: serial calls of the subscription ---


@in_both_boxes(check(rules=("2.7",)))
def untested_spec207_must_ensure_all_calls_on_its_subscription_take_place_from_the_same_thread_or_take_care_of_synchronization(  # noqa: E501
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Not tested by the standard's kit, which has no control over when a subscriber requests."""
    not_verified_for_subscribers(by=box.check_name("stochastic_spec207_calls_of_the_subscription_must_not_overlap"))


@check(rules=("2.7",), look_at=_SERIAL_LOOK_AT, remedy=_SERIAL_REMEDY, origin=Origin.EXTENDED)
def stochastic_spec207_calls_of_the_subscription_must_not_overlap(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Over two hundred elements, no call of `request` or `cancel` begins before another has returned.

    Calls that the puppet makes on the kit's own thread do not count: the kit causes them. Every other check detects
    overlaps too; here each call takes some time, so that one is likely.
    """
    skip_unless_chance_may_decide(subject)
    _, driven, _ = feed_whitebox(
        _source(_ELEMENTS, subject, environment),
        subject,
        environment,
        demands=_demands(environment),
        dwell_seconds=_DWELL_SECONDS,
    )
    _note_threads(driven, environment)


@check(rules=("2.7",), look_at=_SERIAL_LOOK_AT, remedy=_SERIAL_REMEDY, origin=Origin.EXTENDED)
def stochastic_spec207_blackbox_calls_of_the_subscription_must_not_overlap(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Over two hundred elements, no call of `request` or `cancel` begins before another has returned.

    Every other check detects overlaps too; here each call takes some time, so that one is likely.
    """
    skip_unless_chance_may_decide(subject)
    source = _source(_ELEMENTS, subject, environment)
    _note_threads(feed_blackbox(source, subject, environment, dwell_seconds=_DWELL_SECONDS), environment)


# --- §2.11: signals happen before they are processed ---


@check(rules=("2.11",))
def untested_spec211_must_make_sure_that_all_calls_on_its_methods_happen_before_the_processing_of_the_respective_events(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which would need access to the subscriber's internals."""
    not_verified_for_subscribers(by="stochastic_spec211_every_element_must_be_processed_once_and_in_order")


@check(rules=("2.11",))
def untested_spec211_blackbox_must_make_sure_that_all_calls_on_its_methods_happen_before_the_processing_of_the_respective_events(  # noqa: E501
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, which would need access to the subscriber's internals.

    It cannot be tested either: a black box does not report what it processes, and when.
    """
    not_verified_for_subscribers(because="Only the white box reports what it has processed.")


@check(
    rules=("2.11",),
    look_at="the queue or the fields that carry signals to the thread that processes them",
    remedy="pass signals through a queue, a lock or an atomic, so that the processing thread sees all of each",
    origin=Origin.EXTENDED,
)
def stochastic_spec211_every_element_must_be_processed_once_and_in_order(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Two hundred elements from changing threads are reported, each once, complete and in order, and then completion.

    A slow subscriber gets fewer, and no completion; a note says how many. When it fails: the subscriber's queue loses,
    repeats or reorders elements from another thread.
    """
    skip_unless_chance_may_decide(subject)
    count = countable(_ELEMENTS, subject, "2.11", least=2)
    elements = taken_elements(count, subject, environment, distinct=True)
    source = AsynchronousPublisher(count, elements.__getitem__, environment=environment)
    probe, _, asked = feed_whitebox(source, subject, environment, demands=_demands(environment))
    for element in elements[:asked]:
        probe.expect_next(element)
    if asked is None:
        probe.expect_completion()


# --- §3.1: who calls the subscription ---


@in_both_boxes(check(rules=("3.1",)))
def untested_spec301_must_not_be_called_outside_subscriber_context(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Not tested by the standard's kit, because there is no agreement on what the context of a subscriber is."""
    not_verified_for_subscribers(
        by=box.check_name("optional_spec301_subscription_should_be_called_in_the_context_of_a_signal")
    )


@check(rules=("3.1",), look_at=_SERIAL_LOOK_AT, remedy=_CONTEXT_REMEDY, origin=Origin.EXTENDED)
def optional_spec301_subscription_should_be_called_in_the_context_of_a_signal(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Every call of the subscription has the context variables of a signal, or of a call of the puppet.

    They are also in tasks and threads that get the context. A skip means that calls come from elsewhere, for example
    from threads of the subscriber: the check cannot tell whether these belong to it.
    """
    _, driven, _ = feed_whitebox(
        _source(_FEW_ELEMENTS, subject, environment), subject, environment, demands=(_FEW_ELEMENTS,)
    )
    _expect_context(driven)


@check(rules=("3.1",), look_at=_SERIAL_LOOK_AT, remedy=_CONTEXT_REMEDY, origin=Origin.EXTENDED)
def optional_spec301_blackbox_subscription_should_be_called_in_the_context_of_a_signal(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """Every call of the subscription has the context variables of a signal, or of `trigger_request`.

    They are also in tasks and threads that get the context. A skip means that calls come from elsewhere, for example
    from threads of the subscriber: the check cannot tell whether these belong to it.
    """
    _expect_context(feed_blackbox(_source(_FEW_ELEMENTS, subject, environment), subject, environment))


def _source(count: int, subject: "FedVerification", environment: CheckEnvironment) -> AsynchronousPublisher:
    elements: list[Any] = taken_elements(count, subject, environment, distinct=False)
    return AsynchronousPublisher(count, elements.__getitem__, environment=environment)


def _demands(environment: CheckEnvironment) -> list[int]:
    demands: list[int] = []
    while sum(demands) < _ELEMENTS:
        demands.append(environment.random.randint(1, _LARGEST_DEMAND))
    return demands


def _note_threads(driven: DrivenSubscriber, environment: CheckEnvironment) -> None:
    calls = driven.subscription.calls
    environment.note(f"{len(calls)} calls came from {len({call.thread for call in calls})} threads")


def _expect_context(driven: DrivenSubscriber) -> None:
    outside = [call for call in driven.subscription.calls if not call.context]
    if outside:
        raise Skipped(f"{len(outside)} calls came from outside of signals, the first of them {outside[0].method}.")
