"""The stage of a subscriber that reports to a probe and provides a puppet."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.subscriber.subscriber_stage import SubscriberStage
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.subject import PUPPET_METHODS, made_subscriber, require_methods, told
from reactivestreams.tck.probes.whitebox_probe import SignalProbe, SubscriberPuppet, WhiteboxProbe

if TYPE_CHECKING:
    from reactivestreams.tck.subscriber_whitebox_verification import SubscriberWhiteboxVerification

__all__ = ["Puppeteer", "WhiteboxStage", "whitebox_probe", "whitebox_subscriber"]

_FACTORY = "create_subscriber"


def whitebox_probe(subject: "SubscriberWhiteboxVerification", environment: CheckEnvironment) -> WhiteboxProbe:
    """Return a probe that compares elements with the subject's `same_element`."""
    return WhiteboxProbe(environment, same=subject.same_element)


def whitebox_subscriber(subject: "SubscriberWhiteboxVerification", probe: WhiteboxProbe) -> Any:
    """Return a new subscriber that reports to a probe.

    Raises:
        SubjectError: The factory returns something else.
    """
    subscriber = made_subscriber(subject, _FACTORY, probe)
    probe.subject = safe_repr(subscriber)
    return subscriber


class Puppeteer:
    """Drive a subscriber by the puppet that it registered with its probe.

    Args:
        subject: The verification that made the subscriber.
        probe: The probe with the puppet, now or later.
        environment: The environment of the check.
    """

    def __init__(
        self, subject: "SubscriberWhiteboxVerification", probe: WhiteboxProbe, environment: CheckEnvironment
    ) -> None:
        self._owner = f"the puppet of {type(subject).__name__}.{_FACTORY}"
        self._probe = probe
        self._environment = environment

    def await_puppet(self) -> None:
        """Wait for the subscriber to register; flop if it does not.

        Raises:
            Failed: A failure was recorded until then.
            SubjectError: It registered something that is not a puppet.
        """
        environment = self._environment
        timeout = environment.default_timeout_milliseconds
        if not self._probe.puppet_promise.wait_completed(timeout):
            environment.flop(f"Subscriber {self._probe.subject} did not `register_on_subscribe` within {timeout} ms")
        environment.verify_no_async_errors_no_delay()
        require_methods(self._puppet(), PUPPET_METHODS, f"{self._owner}, given to probe.register_on_subscribe,")

    def trigger_request(self, elements: int) -> None:
        """Make the subscriber request a number of further elements, now or later.

        Raises:
            SubjectError: The puppet raises.
        """
        self._environment.step(f"puppet.trigger_request({elements})")
        told(self._puppet(), "trigger_request", elements, owner=self._owner)

    def signal_cancel(self) -> None:
        """Make the subscriber cancel, now or later.

        Raises:
            SubjectError: The puppet raises.
        """
        self._environment.step("puppet.signal_cancel()")
        told(self._puppet(), "signal_cancel", owner=self._owner)

    def _puppet(self) -> SubscriberPuppet | None:
        return self._probe.puppet_promise.value()


class WhiteboxStage(SubscriberStage):
    """Drive a subscriber by its puppet and observe its reports to its probe.

    Args:
        subject: Makes the subscriber.
        environment: The environment of the check.
        make: Makes it in place of `create_subscriber`.
        registers: Whether it has to register with the probe.

    Raises:
        SubjectError: A factory returns an unexpected object.
        Failed: The subscriber did not register with the probe.
    """

    def __init__(
        self,
        subject: "SubscriberWhiteboxVerification",
        environment: CheckEnvironment,
        *,
        make: Callable[[WhiteboxProbe], Any] | None = None,
        registers: bool = True,
    ) -> None:
        super().__init__(subject, environment, distinct=True)
        probe = whitebox_probe(subject, environment)
        self.probe: SignalProbe = probe
        self._puppeteer = Puppeteer(subject, probe, environment)
        self._cancels_upstream = subject.cancels_upstream()
        self.subscribe(whitebox_subscriber(subject, probe) if make is None else make(probe))
        if registers:
            self._puppeteer.await_puppet()

    def ask(self, elements: int) -> None:
        """Make the subscriber request a number of further elements."""
        self.trigger_request(elements)

    def trigger_request(self, elements: int) -> None:
        """Make the subscriber request a number of further elements, now or later."""
        with self.subscription.driving("trigger_request"):
            self._puppeteer.trigger_request(elements)

    def signal_cancel(self) -> None:
        """Make the subscriber cancel, now or later."""
        with self.subscription.driving("signal_cancel"):
            self._puppeteer.signal_cancel()

    def expect_cancelling(self, timeout_milliseconds: float | None = None) -> None:
        """Wait for `cancel` if it is expected; flop if it does not come.

        A processor may keep its upstream when its last subscriber has cancelled, if it declares this.
        """
        if self._cancels_upstream:
            super().expect_cancelling(timeout_milliseconds)
