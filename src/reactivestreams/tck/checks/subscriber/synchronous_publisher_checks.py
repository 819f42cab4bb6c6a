"""Checks with a publisher that sends elements and completion inside `request`, which is allowed (§3.10, 3.11)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.subscriber.boxes import Box, in_both_boxes
from reactivestreams.tck.checks.subscriber.fed_stream import feed_blackbox, feed_whitebox, taken_elements
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.exception_trap import ExpectedFailure
from reactivestreams.tck.kit.failure import not_verified_for_subscribers
from reactivestreams.tck.probes.nesting_publisher import NestingPublisher
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

_ELEMENTS = 20
_DEMANDS = (1, 2, _ELEMENTS)
_DEPTH = 4

_LOOK_AT = "what on_subscribe and on_next do after they have called request: signals may have arrived by then"
_REMEDY = "store the subscription before the first request, and call request as the last thing in a handler"


@in_both_boxes(check(rules=("3.10",)))
def untested_spec310_request_may_synchronously_call_on_next_on_subscriber(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Not tested by the standard's kit, which has no publisher that sends inside `request`."""
    not_verified_for_subscribers(by=box.check_name("required_spec310_must_bear_a_publisher_that_sends_inside_request"))


@in_both_boxes(check(rules=("3.11",)))
def untested_spec311_request_may_synchronously_call_on_complete_or_on_error(
    subject: "FedVerification", environment: CheckEnvironment, box: Box
) -> None:
    """Not tested by the standard's kit, which has no publisher that completes inside `request`."""
    not_verified_for_subscribers(
        by=box.check_name("required_spec311_must_bear_a_publisher_that_completes_inside_request")
    )


@check(rules=("3.10", "2.1"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec310_must_bear_a_publisher_that_sends_inside_request(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Twenty elements and completion, sent inside `request`, are reported, each once and in order.

    A slow subscriber gets fewer, and no completion. When it fails: the subscription is stored after the first request,
    or `on_next` relies on `request` having returned.
    """
    _expect_all_reported(1, subject, environment)


@check(rules=("3.10", "2.1"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec310_blackbox_must_bear_a_publisher_that_sends_inside_request(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """For twenty elements and completion, sent inside `request`, the subscriber neither raises nor calls too late.

    When it fails: the subscription is stored after the first request, or `on_next` relies on `request` having returned.
    """
    elements = taken_elements(_ELEMENTS, subject, environment, distinct=False)
    feed_blackbox(NestingPublisher(elements), subject, environment)
    environment.verify_no_async_errors()


@check(rules=("3.10", "2.1"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def optional_spec310_order_should_be_kept_when_request_sends_the_next_element(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Elements are reported in order, though `request` sends the next ones before `on_next` has returned.

    A skip means that elements are processed in another order: `request` is called before an element is processed.
    """
    _expect_all_reported(_DEPTH, subject, environment)


@check(rules=("3.11", "2.9"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec311_must_bear_a_publisher_that_completes_inside_request(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """Completion inside the first `request` is reported.

    When it fails: state that is set up after the request is missing, or overwrites the state that completion has set.
    """
    probe, _, _ = feed_whitebox(NestingPublisher(), subject, environment, demands=(1,))
    probe.expect_completion()
    environment.verify_no_async_errors()


@check(rules=("3.11", "2.10"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec311_must_bear_a_publisher_that_fails_inside_request(
    subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment
) -> None:
    """An error inside the first `request` is reported.

    When it fails: state that is set up after the request is missing, or overwrites the state that the error has set.
    """
    error = ExpectedFailure()
    probe, _, _ = feed_whitebox(NestingPublisher(error=error), subject, environment, demands=(1,))
    probe.expect_error(error)
    environment.verify_no_async_errors()


@check(rules=("3.11", "2.9"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec311_blackbox_must_bear_a_publisher_that_completes_inside_request(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """On completion inside the first `request` the subscriber neither raises nor calls too late.

    When it fails: state that is set up after the request is missing, or overwrites the state that completion has set.
    """
    feed_blackbox(NestingPublisher(), subject, environment)
    environment.verify_no_async_errors()


@check(rules=("3.11", "2.10"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec311_blackbox_must_bear_a_publisher_that_fails_inside_request(
    subject: "SubscriberBlackboxVerification", environment: CheckEnvironment
) -> None:
    """On an error inside the first `request` the subscriber neither raises nor calls too late.

    When it fails: state that is set up after the request is missing, or overwrites the state that the error has set.
    """
    feed_blackbox(NestingPublisher(error=ExpectedFailure()), subject, environment)
    environment.verify_no_async_errors()


def _expect_all_reported(depth: int, subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment) -> None:
    count = countable(_ELEMENTS, subject, "3.10", least=2)
    elements = taken_elements(count, subject, environment, distinct=True)
    source = NestingPublisher(elements, depth=depth)
    probe, _, asked = feed_whitebox(source, subject, environment, demands=_DEMANDS)
    for element in elements[:asked]:
        probe.expect_next(element)
    if asked is None:
        probe.expect_completion()
    environment.verify_no_async_errors()
