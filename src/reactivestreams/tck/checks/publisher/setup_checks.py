"""Checks of the set-up: the factories and hooks on which all other checks rely."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.publisher.active_publisher import active_publisher
from reactivestreams.tck.kit.check import check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_FACTORY = "create_publisher(elements) and the place where the publisher notices that it has sent everything"
_EXACT = "make create_publisher(n) return a publisher that sends exactly n elements, then on_complete"


@check(look_at=_FACTORY, remedy=_EXACT)
def required_create_publisher_1_must_produce_a_stream_of_exactly_1_element(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`create_publisher(1)` makes a publisher of one element, which then completes.

    When it fails: does the factory use its argument, and does the publisher complete?
    """
    _expect_exactly(1, subject, environment)


@check(look_at=_FACTORY, remedy=_EXACT)
def required_create_publisher_3_must_produce_a_stream_of_exactly_3_elements(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`create_publisher(3)` makes a publisher of three elements, requested one by one, which then completes.

    When it fails: does the factory use its argument, and does the publisher complete?
    """
    _expect_exactly(3, subject, environment)


@check(look_at="max_elements_from_publisher()", remedy="return the maximum number of elements of a stream, 0 or more")
def required_validate_max_elements_from_publisher(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`max_elements_from_publisher()` is 0 or more; in the edition 1.0.0.RC1 more than 0.

    When it fails: the hook returns a negative number; MAX_DEMAND means "never completes".
    """
    longest = subject.max_elements_from_publisher()
    least = 1 if environment.edition is Edition.RC1 else 0
    if longest < least:
        environment.flop_and_fail(f"max_elements_from_publisher MUST return a number >= {least}, got {longest}")


@check(
    look_at="bounded_depth_of_on_next_and_request_recursion()",
    remedy="return how deeply on_next and request may nest, 1 or more",
)
def required_validate_bounded_depth_of_on_next_and_request_recursion(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`bounded_depth_of_on_next_and_request_recursion()` is 1 or more.

    When it fails: a bound of 0 would forbid every element.
    """
    bound = subject.bounded_depth_of_on_next_and_request_recursion()
    if bound < 1:
        environment.flop_and_fail(
            f"bounded_depth_of_on_next_and_request_recursion must return a number >= 1, got {bound}"
        )


def _expect_exactly(count: int, subject: "PublisherVerification", environment: CheckEnvironment) -> None:
    publisher = active_publisher(subject, countable(count, subject, "", least=count), completion=True)
    subscriber = environment.new_manual_subscriber(publisher)
    name = safe_repr(publisher)
    for taken in range(count):
        element = subscriber.request_next_element_or_end_of_stream(
            f"Timeout while waiting for next element from Publisher {name}"
        )
        if not element:
            few = "no elements" if taken == 0 else f"only {taken} element{'s' if taken > 1 else ''}"
            environment.flop_and_fail(f"Publisher {name} produced {few}")
    subscriber.request_end_of_stream()
