"""Checks that a publisher survives a subscriber that raises, and signals nothing more to it (§2.13)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.publisher.active_publisher import active_publisher
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.exception_trap import ON_PURPOSE
from reactivestreams.tck.kit.failure import Failed
from reactivestreams.tck.probes.observed_subscriber import ObservedSubscriber
from reactivestreams.tck.probes.report_channels import ReportChannels
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

__all__ = ["FaultySubscriber"]


class FaultySubscriber(ObservedSubscriber):
    """Raise in one signal, and count the signals after that.

    Args:
        environment: Of the check.
        signal: The signal in which to raise.
        at_element: The number of the `on_next`, from 1, if the signal is `"on_next"`.
        error: The exception to raise.

    Attributes:
        has_raised: Whether it has raised.
        signals_after: The signals after it had raised.
    """

    def __init__(self, environment: CheckEnvironment, *, signal: str, at_element: int = 1, error: Exception) -> None:
        super().__init__(environment)
        self.has_raised: bool = False
        self.signals_after: list[str] = []
        self._failing_signal = signal
        self._at_element = at_element
        self._error = error

    def when_signal(self, signal: str) -> None:
        """Raise if this signal is the one to fail in."""
        if self.has_raised:
            self.signals_after.append(signal)
            return
        if signal == self._failing_signal and (signal != "on_next" or self.ledger.delivered >= self._at_element):
            self.has_raised = True
            # Without its traceback, whose frames would keep this subscriber alive (§3.13).
            raise self._error.with_traceback(None)


_LOOK_AT = "where the subscriber's methods are called, and where their exceptions are caught"
_REMEDY = "catch it, cancel the subscription, signal nothing more, and report the error: to a log or a hook"
_LOOKS = 10  # for a report, within the default timeout


@check(rules=("2.13", "1.9"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_subscriber_that_raises_in_on_subscribe_must_be_left_alone(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `on_subscribe` has raised, the subscriber gets no signal, and `subscribe` returns normally.

    When it fails: the exception goes to the caller of `subscribe`, or comes back as `on_error`.
    """
    _expect_left_alone("on_subscribe", 5, 0, subject, environment)


@check(rules=("2.13", "3.16"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_subscriber_that_raises_in_on_next_must_be_left_alone(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After the second `on_next` has raised, the subscriber gets no signal, and `request` returns normally.

    When it fails: the exception goes to the caller of `request`, comes back as `on_error`, or the stream continues.
    """
    _expect_left_alone("on_next", 5, 5, subject, environment)


@check(rules=("2.13", "3.16"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_subscriber_that_raises_in_on_complete_must_be_left_alone(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `on_complete` has raised, the subscriber gets no signal, and `request` returns normally.

    When it fails: an error of the subscriber is treated as one of the source, and signalled after completion.
    """
    _expect_left_alone("on_complete", 1, 5, subject, environment)


@check(rules=("2.13", "3.16"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec213_subscriber_that_raises_in_on_error_must_be_left_alone(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After the `on_error` that answers `request(0)` has raised, the subscriber gets no signal; `request` returns.

    When it fails: signalling an error that was raised while signalling an error.
    """
    _expect_left_alone("on_error", 5, 0, subject, environment, bad_request=True)


@check(rules=("2.13",), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def optional_spec213_error_of_a_subscriber_should_be_made_known(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """An exception of `on_next` is reported: by a log record, a warning, on standard error or by an exception hook.

    Other channels are not observed, so this is only a report: a skip means that nothing was found.
    """
    token = f"a subscriber raises, number {environment.random.getrandbits(64)} {ON_PURPOSE}"
    subscriber = FaultySubscriber(environment, signal="on_next", error=RuntimeError(token))
    with ReportChannels() as channels:
        _drive(subscriber, 5, 2, subject, environment)
        _await_raised("on_next", subscriber, environment)
        place = _place_of_report(token, channels, environment)
    if place is None:
        raise Failed("the error that on_next raised was found in no log, warning, exception hook or standard error")
    environment.note(f"made known by: {place}")


def _place_of_report(token: str, channels: ReportChannels, environment: CheckEnvironment) -> str | None:
    """Return where an error was reported, which may take a while on another thread; None if it was not."""
    for _ in range(_LOOKS):
        environment.pause(environment.default_timeout_milliseconds / _LOOKS)
        places = [*channels.containing(token), *(note for note in environment.notes if token in note)]
        if places:
            return places[0]
    return None


def _expect_left_alone(
    signal: str,
    elements: int,
    n: int,
    subject: "PublisherVerification",
    environment: CheckEnvironment,
    *,
    bad_request: bool = False,
) -> None:
    error = RuntimeError(f"a subscriber raises in {signal} {ON_PURPOSE}")
    at_element = countable(2, subject, "2.13")
    subscriber = FaultySubscriber(environment, signal=signal, at_element=at_element, error=error)
    _drive(subscriber, elements, n, subject, environment, bad_request=bad_request)
    _await_raised(signal, subscriber, environment)
    environment.pause(environment.no_signals_timeout_milliseconds)
    if subscriber.signals_after:
        environment.flop(
            f"after {signal} had raised, the subscriber still got {', '.join(subscriber.signals_after[:5])}"
        )
    _expect_healthy(subject, environment)


def _drive(
    subscriber: FaultySubscriber,
    elements: int,
    n: int,
    subject: "PublisherVerification",
    environment: CheckEnvironment,
    *,
    bad_request: bool = False,
) -> None:
    publisher = active_publisher(subject, elements, completion=elements == 1)
    environment.call_subscribe(publisher, subscriber)
    if n or bad_request:
        if not subscriber.subscription.wait_completed():
            environment.flop_and_fail("Should have received on_subscribe")
        subscriber.request(n)


def _await_raised(signal: str, subscriber: FaultySubscriber, environment: CheckEnvironment) -> None:
    timeout = environment.default_timeout_milliseconds
    if not environment.wait(subscriber.ledger.changed, lambda: subscriber.has_raised, timeout):
        environment.flop_and_fail(f"Should have received {signal} within {timeout} ms")


def _expect_healthy(subject: "PublisherVerification", environment: CheckEnvironment) -> None:
    """Expect that another publisher of the same factory still works: the error did not break their shared objects."""
    environment.step("expect that another subscriber is served")
    other = environment.new_manual_subscriber(active_publisher(subject, 1))
    other.request(1)
    other.next_element_or_end_of_stream("another subscriber was not served after one had raised: the worker died")
