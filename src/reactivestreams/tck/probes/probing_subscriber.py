"""The subscriber of a processor under test: it reports the elements, and is the puppet that requests them."""

from typing import Any

from reactivestreams.tck.probes.observed_subscriber import ObservedSubscriber
from reactivestreams.tck.probes.whitebox_probe import WhiteboxProbe

__all__ = ["ProbingSubscriber"]


class ProbingSubscriber(ObservedSubscriber):
    """Report every signal to a probe, and request and cancel when told to; its ledger also judges the processor.

    Args:
        probe: The probe that gets the reports.
    """

    def __init__(self, probe: WhiteboxProbe) -> None:
        super().__init__(probe.environment)
        self._probe = probe

    def when_subscribe(self, subscription: Any) -> None:
        """Report the subscription, with this object as the puppet."""
        self._probe.register_on_subscribe(self)

    def when_next(self, element: Any) -> None:
        """Report the element."""
        self._probe.register_on_next(element)

    def when_error(self, error: Any) -> None:
        """Report the error."""
        self._probe.register_on_error(error)

    def when_complete(self) -> None:
        """Report completion."""
        self._probe.register_on_complete()

    # --- the puppet ---

    def trigger_request(self, elements: int) -> None:
        """Request a number of elements from the processor."""
        self.request(elements)

    def signal_cancel(self) -> None:
        """Cancel the subscription of the processor."""
        self.cancel()
