"""Checks of several subscribers of one publisher, which is allowed but not required (§1.11)."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.publisher.active_publisher import optional_publisher
from reactivestreams.tck.kit.check import check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.failure import Failed
from reactivestreams.tck.probes.manual_subscriber import ManualSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_LOOK_AT = "what a second subscribe does to the publisher's state"
_REMEDY = "nothing has to be done: serving one subscriber, or giving each elements of its own, is legal"


@check(rules=("1.11",), look_at=_LOOK_AT, remedy=_REMEDY)
def optional_spec111_may_support_multi_subscribe(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Two subscribers of one publisher both get a subscription."""
    publisher = optional_publisher(subject, 1)
    environment.new_manual_subscriber(publisher)
    environment.new_manual_subscriber(publisher)
    environment.verify_no_async_errors()


@check(rules=("1.11", "1.5"), look_at=_LOOK_AT, remedy=_REMEDY, editions=(Edition.JVM,))
def optional_spec111_registered_subscribers_must_receive_on_next_or_on_complete_signals(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Each of two subscribers of one publisher gets an element or completion after its request."""
    publisher = optional_publisher(subject, 1)
    subscribers = [environment.new_manual_subscriber(publisher) for _ in range(2)]
    for subscriber in subscribers:
        subscriber.request_next_element_or_end_of_stream()
    environment.verify_no_async_errors()


@check(rules=("1.11",), look_at=_LOOK_AT, remedy=_REMEDY)
def optional_spec111_multicast_must_produce_the_same_elements_in_the_same_sequence_to_all_of_its_subscribers_when_requesting_one_by_one(  # noqa: E501
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Three subscribers that request different numbers at different times get the same five elements, and completion.

    A publisher has to send again to those that request late. Corrected: missing completion is not a pass.
    """
    publisher = optional_publisher(subject, 5, completion=True)
    name = safe_repr(publisher)
    subscribers = [environment.new_manual_subscriber(publisher) for _ in range(3)]
    taken: list[list[Any]] = [[], [], []]
    for number, count in (
        (1, 1),
        (2, 2),
        (1, 1),
        (3, 3),
        (3, 1),
        (3, 1),
        (3, 0),
        (2, 3),
        (2, 0),
        (1, 2),
        (1, 1),
        (1, 0),
    ):
        subscriber = subscribers[number - 1]
        if count == 0:
            subscriber.request_end_of_stream(
                f"Publisher {name} did not complete the stream as expected on {number}th subscriber"
            )
        else:
            taken[number - 1] += subscriber.request_next_elements(
                count,
                f"Publisher {name} did not produce the requested {count} element(s) on {number}th subscriber",
            )
    for other in (1, 2):
        _expect_same(
            subject,
            taken[0],
            taken[other],
            f"Publisher {name} did not produce the same element sequence for subscribers 1 and {other + 1}",
        )


@check(rules=("1.11",), look_at=_LOOK_AT, remedy=_REMEDY)
def optional_spec111_multicast_must_produce_the_same_elements_in_the_same_sequence_to_all_of_its_subscribers_when_requesting_many_upfront(  # noqa: E501
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Three subscribers that each request everything get the same three elements; completion is not checked."""
    _same_upfront(subject, environment, completion=False)


@check(rules=("1.11",), look_at=_LOOK_AT, remedy=_REMEDY)
def optional_spec111_multicast_must_produce_the_same_elements_in_the_same_sequence_to_all_of_its_subscribers_when_requesting_many_upfront_and_complete_as_expected(  # noqa: E501
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Three subscribers that each request everything get the same three elements, and completion.

    Corrected: missing completion is not a pass.
    """
    _same_upfront(subject, environment, completion=True)


def _same_upfront(subject: "PublisherVerification", environment: CheckEnvironment, *, completion: bool) -> None:
    publisher = optional_publisher(subject, 3, completion=completion)
    subscribers = [environment.new_manual_subscriber(publisher) for _ in range(3)]
    for subscriber in subscribers:
        subscriber.request(4)
    taken = [_taken(subscriber, completion) for subscriber in subscribers]
    for first, second, words in ((0, 1, "1st and 2nd"), (1, 2, "2nd and 3rd")):
        _expect_same(
            subject,
            taken[first],
            taken[second],
            f"Expected elements to be signaled in the same sequence to {words} subscribers",
        )


def _taken(subscriber: ManualSubscriber, completion: bool) -> list[Any]:
    elements = subscriber.next_elements(3)
    if completion:
        subscriber.expect_completion()
    return elements


def _expect_same(subject: "PublisherVerification", first: list[Any], second: list[Any], message: str) -> None:
    if len(first) != len(second) or not all(map(subject.same_element, first, second)):
        raise Failed(f"{message}: {safe_repr(first)} and {safe_repr(second)}")
