"""The stage of a subscriber under test: a manual publisher, and elements to send."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.element_source import ElementSource
from reactivestreams.tck.probes.manual_publisher import ManualPublisher
from reactivestreams.tck.probes.whitebox_probe import SignalProbe

if TYPE_CHECKING:
    from reactivestreams.tck.fed_verification import FedVerification

__all__ = ["SubscriberStage"]


class SubscriberStage(ManualPublisher):
    """Send elements to one subscriber under test; an exception of it ends the check.

    Args:
        subject: Makes elements.
        environment: The environment of the check.
        distinct: Whether the elements must differ from one another.

    Attributes:
        probe: The probe that gets the reports of the signals.
    """

    probe: SignalProbe

    def __init__(self, subject: "FedVerification", environment: CheckEnvironment, *, distinct: bool) -> None:
        super().__init__(environment)
        self.elements: ElementSource = ElementSource(subject, environment, distinct=distinct)

    def ask(self, elements: int) -> None:
        """Make the subscriber request a number of further elements, if it can be told to."""

    def signal_next(self) -> Any:
        """Send a new element and return it.

        Raises:
            Failed: The subscriber raised.
        """
        element = self.elements.next()
        self.send_next(element)
        return element

    def send_next(self, element: Any) -> BaseException | None:
        """Send an element.

        Raises:
            Failed: The subscriber raised.
        """
        return self._verified(super().send_next(element))

    def send_completion(self) -> BaseException | None:
        """Send completion.

        Raises:
            Failed: The subscriber raised.
        """
        return self._verified(super().send_completion())

    def send_error(self, error: BaseException) -> BaseException | None:
        """Send an error.

        Raises:
            Failed: The subscriber raised.
        """
        return self._verified(super().send_error(error))

    def await_demand(self) -> None:
        """Wait until an element may be sent.

        Raises:
            Failed: The subscriber has not requested enough in time.
        """
        subscription = self.subscription
        sent = self.sent
        if not self.environment.wait(
            subscription.changed,
            lambda: subscription.requested > sent,
            self.environment.default_timeout_milliseconds,
        ):
            self.fail_for_want_of_demand(
                f"Did not receive expected `request` call within {self.environment.default_timeout_milliseconds} ms: "
                f"{sent} elements were sent, {subscription.requested} requested"
            )

    @property
    def sent(self) -> int:
        """How many elements were sent."""
        return 0 if self.driven is None else self.driven.ledger.delivered

    @property
    def has_demand(self) -> bool:
        """Whether an element may be sent."""
        return self.subscription.requested > self.sent

    def _verified(self, error: BaseException | None) -> BaseException | None:
        if error is not None:
            self.environment.verify_no_async_errors_no_delay()
        return error
