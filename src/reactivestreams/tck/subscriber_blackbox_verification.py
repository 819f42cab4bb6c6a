"""The verification of an unchanged subscriber: subclass it, make subscribers, run its checks."""

from typing import Any, ClassVar

from reactivestreams.tck.checks.subscriber import SUBSCRIBER_BLACKBOX_CHECKS
from reactivestreams.tck.checks.subscriber.blackbox_methods import SubscriberBlackboxMethods
from reactivestreams.tck.checks.subscriber.blackbox_stage import blackbox_subscriber
from reactivestreams.tck.checks.subscriber.setup_checks import expect_two_subscribers
from reactivestreams.tck.fed_verification import FedVerification
from reactivestreams.tck.kit.catalog import Catalog
from reactivestreams.tck.kit.check_environment import CheckEnvironment

__all__ = ["SubscriberBlackboxVerification"]


class SubscriberBlackboxVerification(SubscriberBlackboxMethods, FedVerification):
    """Judge a subscriber that was not instrumented; meant to be subclassed.

    Define `create_subscriber` and `create_element`; override other hooks if their default does not apply to the
    subscriber. Its use of the elements cannot be observed: `SubscriberWhiteboxVerification` judges more. Run all checks
    with `run`, or call a check as a method: it raises `AssertionError` with the evidence if it fails and
    `unittest.SkipTest` if it is skipped. There is no constructor, because test runners own it.

    Example:
        >>> from reactivestreams import BaseSubscriber
        >>> from reactivestreams.tck import SubscriberBlackboxVerification, run
        >>> class Dropping(BaseSubscriber):
        ...     def hook_on_next(self, element):
        ...         pass
        >>> class DroppingVerification(SubscriberBlackboxVerification):
        ...     def create_subscriber(self):
        ...         return Dropping()
        ...
        ...     def create_element(self, element):
        ...         return element
        >>> name = "required_spec201_blackbox_must_signal_demand_via_subscription_request"
        >>> run(DroppingVerification, names=[name]).is_success
        True
    """

    catalog: ClassVar[Catalog] = SUBSCRIBER_BLACKBOX_CHECKS
    judged: ClassVar[str] = "subscriber"

    # --- factories ---

    def create_subscriber(self) -> Any:
        """Return a new subscriber."""
        raise NotImplementedError

    def create_limited_subscriber(self, elements: int) -> Any:
        """Return a new subscriber that wants only so many elements and then cancels.

        It should request more than it wants, so that some may arrive after it has cancelled. None, the default, skips
        the checks that need one.
        """
        return None

    def create_failing_subscriber(self, signal: str) -> Any:
        """Return a new subscriber whose own work fails in a signal.

        The signal is `"on_subscribe"`, `"on_next"`, `"on_error"` or `"on_complete"`; the first element should make it
        fail. None, the default, skips the checks that need one.
        """
        return None

    # --- hooks ---

    def trigger_request(self, subscriber: Any) -> None:
        """Make a subscriber request if it does so only when told; by default it does nothing.

        Called with the result of a factory of this class, after it has received its subscription.
        """

    # --- for the runner ---

    def examine(self, environment: CheckEnvironment) -> None:
        """Make two subscribers and an element, to check the factories."""
        expect_two_subscribers(self, environment, lambda: blackbox_subscriber(self))
        self.element_of(0)
