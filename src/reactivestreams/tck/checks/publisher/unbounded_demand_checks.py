"""Checks of very large demand: up to 2**63-1 it is counted, from there on it is unbounded (§3.17)."""

from typing import TYPE_CHECKING

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.checks.publisher.active_publisher import LARGE_STREAM, active_publisher
from reactivestreams.tck.kit.check import check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_LOOK_AT = "how request adds to the demand, and the type that holds it"
_REMEDY = "clamp the sum at 2**63-1 and treat that as unbounded"
_EXCESSIVE_REQUESTS = 10


@check(rules=("3.17",), look_at=_LOOK_AT, remedy=_REMEDY)
def required_spec317_must_support_a_pending_element_count_up_to_max_demand(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`request(2**63 - 1)` is served: three elements, or the capacity if it drops, and completion.

    When it fails: the demand is truncated to fewer bits, or treated as an error.
    """
    elements = countable(3, subject, "3.17")
    subscriber = environment.new_manual_subscriber(active_publisher(subject, elements, completion=True))
    subscriber.request(MAX_DEMAND)
    subscriber.next_elements(elements)
    subscriber.expect_completion()
    environment.verify_no_async_errors_no_delay()


@check(rules=("3.17", "3.8"), look_at=_LOOK_AT, remedy=_REMEDY)
def required_spec317_must_support_a_cumulative_pending_element_count_up_to_max_demand(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Three requests that add up to exactly 2**63 - 1 are served: three elements, or the capacity, and completion.

    When it fails: the sum overflows, or reaching the maximum is treated as an error.
    """
    elements = countable(3, subject, "3.17")
    subscriber = environment.new_manual_subscriber(active_publisher(subject, elements, completion=True))
    subscriber.request(MAX_DEMAND // 2)
    subscriber.request(MAX_DEMAND // 2)
    subscriber.request(1)
    subscriber.next_elements(elements)
    subscriber.expect_completion()
    environment.verify_no_async_errors_no_delay()


@check(rules=("3.17", "3.16"), look_at=_LOOK_AT, remedy=_REMEDY, editions=AFTER_RC1)
def required_spec317_must_not_signal_on_error_when_pending_above_max_demand(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Demand far above 2**63 - 1 is not an error, and elements continue to arrive.

    Corrected: the standard's kit passes a counter that wraps to a negative number and stalls, does not notice a
        `request` that raises inside `on_next`, and never ends for a publisher that ignores `cancel`.
    """
    publisher = active_publisher(subject, LARGE_STREAM)

    def exceed(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled <= _EXCESSIVE_REQUESTS:
            subscriber.request(MAX_DEMAND - 1)
        else:
            subscriber.cancel()

    subscriber = ScriptedSubscriber(environment, on_element=exceed)
    environment.subscribe(publisher, subscriber)
    subscriber.request(1)
    if not subscriber.wait_signalled(_EXCESSIVE_REQUESTS + 1) and not subscriber.ledger.end:
        environment.flop(
            f"Only {subscriber.signalled} elements came within {environment.default_timeout_milliseconds} ms, though "
            f"{subscriber.ledger.requested} were requested: demand above 2**63-1 must not stall"
        )
    environment.verify_no_async_errors()
