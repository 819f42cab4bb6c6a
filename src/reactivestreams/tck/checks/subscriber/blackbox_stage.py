"""The stage of an unchanged subscriber: only its calls of the subscription are known."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.subscriber.subscriber_stage import SubscriberStage
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.subject import made_subscriber, told
from reactivestreams.tck.probes.blackbox_proxy import BlackboxProxy
from reactivestreams.tck.probes.whitebox_probe import SignalProbe

if TYPE_CHECKING:
    from reactivestreams.tck.subscriber_blackbox_verification import SubscriberBlackboxVerification

__all__ = ["BlackboxStage", "blackbox_subscriber"]


def blackbox_subscriber(subject: "SubscriberBlackboxVerification") -> Any:
    """Return a new subscriber.

    Raises:
        SubjectError: The factory returns something else.
    """
    return made_subscriber(subject, "create_subscriber")


class BlackboxStage(SubscriberStage):
    """Drive a subscriber through a proxy that reports the signals to a probe.

    Args:
        subject: Makes the subscriber.
        environment: The environment of the check.
        subscriber: The subscriber, if `create_subscriber` should not make it.

    Raises:
        SubjectError: A factory returns an unexpected object.
    """

    def __init__(
        self, subject: "SubscriberBlackboxVerification", environment: CheckEnvironment, *, subscriber: Any = None
    ) -> None:
        super().__init__(subject, environment, distinct=False)
        self._subject = subject
        self._raw = blackbox_subscriber(subject) if subscriber is None else subscriber
        self.probe: SignalProbe = SignalProbe(environment, same=subject.same_element)
        self.probe.subject = safe_repr(self._raw)
        self.subscribe(BlackboxProxy(self._raw, self.probe))
        environment.verify_no_async_errors_no_delay()

    @property
    def subscriber(self) -> Any:
        """The subject, which the proxy calls."""
        return self._raw

    def ask(self, elements: int) -> None:
        """Stimulate the subscriber by `trigger_request`, which does nothing for one that requests by itself."""
        self.trigger_request()

    def trigger_request(self) -> None:
        """Stimulate the subscriber to request."""
        with self.subscription.driving("trigger_request"):
            told(self._subject, "trigger_request", self._raw)
