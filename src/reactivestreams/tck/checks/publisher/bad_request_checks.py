"""Checks of requests that are not positive: they end the stream with a ValueError (§3.9)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.publisher.active_publisher import active_publisher
from reactivestreams.tck.checks.publisher.parked_signal_checks import held_at, request_while_held
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber

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

    In the editions for .NET and 1.0.0.RC1 its message must contain "3.9". When it fails: zero is treated like other
    requests, or `request` raises.
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


@check(
    rules=("3.9", "3.2"),
    look_at="request inside on_next: what happens to a bad count while the loop that sends is running",
    remedy="leave the error for the loop that sends, which signals it when on_next has returned",
    origin=Origin.EXTENDED,
)
def required_spec309_bad_request_inside_on_next_must_signal_value_error(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`request(0)` inside the first `on_next` leads to `on_error` with a ValueError once that has returned.

    When it fails: a request made while the publisher is sending only adds to the demand, for any count.
    """

    def ask_for_nothing(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled == 1:
            subscriber.request(0)

    subscriber = ScriptedSubscriber(environment, on_element=ask_for_nothing, on_failed=lambda subscriber, error: None)
    environment.subscribe(active_publisher(subject, 10), subscriber)
    subscriber.request(1)
    _expect_end_by_value_error(subscriber)


@check(
    rules=("1.3", "3.9"),
    look_at="what a bad request of another thread does while a signal has not returned",
    remedy="leave the error for the thread that is sending, and return",
    origin=Origin.EXTENDED,
    is_long=True,
)
def required_spec103_on_error_of_a_bad_request_must_not_begin_before_on_next_has_returned(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """While the first `on_next` is held, `request(0)` from another thread signals no error; afterwards it does.

    When it fails: the thread with the bad request signals the error itself, though another one is sending.
    """
    with held_at(1, 10, subject, environment, on_failed=lambda subscriber, error: None) as (parking, subscriber):
        request_while_held(0, parking=parking, subscriber=subscriber)
    _expect_end_by_value_error(subscriber)


def _expect_end_by_value_error(subscriber: ScriptedSubscriber) -> None:
    environment = subscriber.environment
    if not subscriber.ended.wait_closed():
        environment.flop(f"Expected on_error(ValueError) within {environment.default_timeout_milliseconds} ms")
    elif not isinstance(subscriber.error, ValueError):
        environment.flop(f"Expected on_error(ValueError) but got {subscriber.ledger.end} {safe_repr(subscriber.error)}")
    environment.verify_no_async_errors()


def _expect_value_error(n: int, subject: "PublisherVerification", environment: CheckEnvironment) -> None:
    subscriber = environment.new_manual_subscriber(active_publisher(subject, 10))
    subscriber.request(n)
    if environment.edition is Edition.JVM:
        subscriber.expect_error(ValueError)
    else:
        subscriber.expect_error_with_message(ValueError, ("3.9",))
