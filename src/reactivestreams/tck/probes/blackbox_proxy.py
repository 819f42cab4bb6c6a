"""A proxy of a subscriber that reports nothing: it reports the signals that it passes on."""

from typing import Any

from reactivestreams.tck.probes.whitebox_probe import SignalProbe

__all__ = ["BlackboxProxy"]


class BlackboxProxy:
    """Report each signal to a probe, then pass it on; `on_subscribe` is only passed on.

    Args:
        subscriber: The subscriber under test.
        probe: The probe that gets the reports.
    """

    def __init__(self, subscriber: Any, probe: SignalProbe) -> None:
        self.subscriber = subscriber
        self._probe = probe

    def on_subscribe(self, subscription: Any, /) -> Any:
        """Pass the subscription on."""
        return self.subscriber.on_subscribe(subscription)

    def on_next(self, element: Any, /) -> Any:
        """Report the element and pass it on."""
        self._probe.register_on_next(element)
        return self.subscriber.on_next(element)

    def on_error(self, error: Any, /) -> Any:
        """Report the error and pass it on."""
        self._probe.register_on_error(error)
        return self.subscriber.on_error(error)

    def on_complete(self) -> Any:
        """Report completion and pass it on."""
        self._probe.register_on_complete()
        return self.subscriber.on_complete()
