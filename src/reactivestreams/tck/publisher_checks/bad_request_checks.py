"""Checks of requests that are not positive: they end the stream with a ValueError (§3.9)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.check import check
from reactivestreams.tck.check_environment import CheckEnvironment
from reactivestreams.tck.edition import Edition
from reactivestreams.tck.publisher_checks.active_publisher import active_publisher

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_LOOK_AT = "the first line of request(n)"
_REMEDY = "for n <= 0 cancel and signal on_error with a ValueError that explains §3.9; raise nothing"
_MESSAGES = ("3.9", "non-positive subscription request", "negative subscription request")


@check(rules=("3.9",), look_at=_LOOK_AT, remedy=_REMEDY)
def required_spec309_request_zero_must_signal_value_error(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`request(0)` leads to `on_error` with a ValueError, and raises nothing.

    In the editions for .NET and 1.0.0.RC1 its message has to contain "3.9". When it fails: zero is taken for a
    request like others, or `request` raises.
    """
    _expect_value_error(0, subject, environment)


@check(rules=("3.9",), look_at=_LOOK_AT, remedy=_REMEDY)
def required_spec309_request_negative_number_must_signal_value_error(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A negative request leads to `on_error` with a ValueError, and raises nothing.

    In the editions for .NET and 1.0.0.RC1 its message has to contain "3.9"; unlike in their kits the random number is
    never 0.
    """
    _expect_value_error(-environment.random.randint(1, 2**31 - 1), subject, environment)


@check(rules=("3.9",), look_at=_LOOK_AT, remedy=_REMEDY, editions=(Edition.JVM,))
def optional_spec309_request_negative_number_may_signal_value_error_with_specific_message(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """The message of the ValueError explains that requests have to be positive, or cites the rule."""
    subscriber = environment.new_manual_subscriber(active_publisher(subject, 10))
    subscriber.request(-environment.random.randint(1, 2**31 - 1))
    subscriber.expect_error_with_message(ValueError, _MESSAGES)


def _expect_value_error(n: int, subject: "PublisherVerification", environment: CheckEnvironment) -> None:
    subscriber = environment.new_manual_subscriber(active_publisher(subject, 10))
    subscriber.request(n)
    if environment.edition is Edition.JVM:
        subscriber.expect_error(ValueError)
    else:
        subscriber.expect_error_with_message(ValueError, ("3.9",))
