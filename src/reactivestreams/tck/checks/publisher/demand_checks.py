"""Checks of demand: no element without demand, one element for each, and demand adds up (§1.1, §1.2, §3.8)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.publisher.active_publisher import active_publisher
from reactivestreams.tck.kit.check import check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification


@check(
    rules=("1.1",),
    look_at="request(n) and the loop that sends: what is compared with what has been sent",
    remedy="count demand for each subscription: add in request, subtract for each on_next, send only while it is > 0",
    is_long=True,
)
def required_spec101_subscription_request_must_result_in_the_correct_number_of_produced_elements(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """No element arrives before the first request, one for `request(1)`, three for `request(1)` and `request(2)`.

    When it fails: elements are sent at subscription, or a request is ignored, or replaces the demand.
    """
    countable(4, subject, "1.1", least=4)
    publisher = active_publisher(subject, 5)
    name = safe_repr(publisher)
    subscriber = environment.new_manual_subscriber(publisher)
    subscriber.expect_none(f"Publisher {name} produced value before the first `request`: ")
    subscriber.request(1)
    subscriber.next_element(f"Publisher {name} produced no element after first `request`")
    subscriber.expect_none(f"Publisher {name} produced unrequested: ")
    subscriber.request(1)
    subscriber.request(2)
    subscriber.next_elements(3, f"Publisher {name} produced less than 3 elements after two respective `request` calls")
    subscriber.expect_none(f"Publisher {name} produced unrequested ")


@check(
    rules=("1.2",),
    look_at="what happens when the source is exhausted while there is demand",
    remedy="signal on_complete after the last element, with any remaining demand",
)
def required_spec102_may_signal_less_than_requested_and_terminate_subscription(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """On a request for ten elements, a publisher of three sends three and completes.

    For one that drops by policy it is its capacity, at most three.
    When it fails: the publisher waits until the demand is used up, or sends more than it has.
    """
    elements = countable(3, subject, "1.2")
    subscriber = environment.new_manual_subscriber(active_publisher(subject, elements, completion=True))
    subscriber.request(10)
    subscriber.next_elements(elements, "Did not receive expected element")
    subscriber.expect_completion()
