"""The verification of a subscriber that reports to a probe: subclass it, make subscribers, run its checks."""

from typing import Any, ClassVar

from reactivestreams.tck.checks.subscriber import SUBSCRIBER_WHITEBOX_CHECKS
from reactivestreams.tck.checks.subscriber.setup_checks import expect_two_subscribers
from reactivestreams.tck.checks.subscriber.whitebox_methods import SubscriberWhiteboxMethods
from reactivestreams.tck.checks.subscriber.whitebox_stage import whitebox_probe, whitebox_subscriber
from reactivestreams.tck.fed_verification import FedVerification
from reactivestreams.tck.kit.catalog import Catalog
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.whitebox_probe import WhiteboxProbe

__all__ = ["SubscriberWhiteboxVerification"]


class SubscriberWhiteboxVerification(SubscriberWhiteboxMethods, FedVerification):
    """Judge a subscriber that was instrumented for it; meant to be subclassed.

    Define `create_subscriber` and `create_element`. The subscriber must report to the probe every signal that it has
    handled, and give it a *puppet* by which the kit makes it request and cancel. If that is not possible, use
    `SubscriberBlackboxVerification`. Run all checks with `run`, or call a check as a method: it raises `AssertionError`
    with the evidence if it fails and `unittest.SkipTest` if it is skipped. There is no constructor, because test
    runners own it.

    Example:
        >>> from reactivestreams import BaseSubscriber
        >>> from reactivestreams.tck import SubscriberWhiteboxVerification, run
        >>> class Reporting(BaseSubscriber):
        ...     def __init__(self, probe):
        ...         self.probe = probe
        ...
        ...     def hook_on_subscribe(self):
        ...         self.probe.register_on_subscribe(self)
        ...
        ...     def hook_on_next(self, element):
        ...         self.probe.register_on_next(element)
        ...
        ...     def hook_on_error(self, error):
        ...         self.probe.register_on_error(error)
        ...
        ...     def hook_on_complete(self):
        ...         self.probe.register_on_complete()
        ...
        ...     def trigger_request(self, elements):
        ...         self.request(elements)
        ...
        ...     def signal_cancel(self):
        ...         self.cancel()
        >>> class ReportingVerification(SubscriberWhiteboxVerification):
        ...     def create_subscriber(self, probe):
        ...         return Reporting(probe)
        ...
        ...     def create_element(self, element):
        ...         return element
        >>> run(ReportingVerification, names=["required_exercise_whitebox_happy_path"]).is_success
        True
    """

    catalog: ClassVar[Catalog] = SUBSCRIBER_WHITEBOX_CHECKS
    judged: ClassVar[str] = "subscriber"

    # --- factories ---

    def create_subscriber(self, probe: WhiteboxProbe) -> Any:
        """Return a new subscriber that reports to a probe.

        It calls `probe.register_on_subscribe(puppet)` when it has accepted its first subscription, and
        `register_on_next(element)`, `register_on_error(error)` and `register_on_complete()` when it has handled such a
        signal. The puppet has `trigger_request(elements)`, which leads to requests for at least so many more elements,
        in any number of calls, immediately or after earlier elements have arrived; and `signal_cancel()`, which leads
        to a `cancel`.
        """
        raise NotImplementedError

    def create_failing_subscriber(self, signal: str, probe: WhiteboxProbe) -> Any:
        """Return a new subscriber that reports to a probe, and whose own work fails in a signal.

        The signal is `"on_subscribe"`, `"on_next"`, `"on_error"` or `"on_complete"`; the first element should make it
        fail. None, the default, skips the checks that need one.
        """
        return None

    # --- hooks ---

    def cancels_upstream(self) -> bool:
        """Return whether `signal_cancel` of the puppet leads to a `cancel`, as it must for every subscriber.

        Only a processor may return False: one that keeps its upstream when its last subscriber has cancelled.
        """
        return True

    # --- for the runner ---

    def examine(self, environment: CheckEnvironment) -> None:
        """Make two subscribers and an element, to check the factories."""
        expect_two_subscribers(self, environment, lambda: whitebox_subscriber(self, whitebox_probe(self, environment)))
        self.element_of(0)
