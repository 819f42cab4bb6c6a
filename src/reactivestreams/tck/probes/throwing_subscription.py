"""A subscription that raises, which none may: to see what a subscriber makes of it (§3.15, 3.16)."""

from typing import Any

from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.recording_subscription import RecordingSubscription

__all__ = ["ThrowingSubscription"]


class ThrowingSubscription(RecordingSubscription):
    """Note calls, and raise from those named; what a subscriber must survive.

    Args:
        environment: Of the check.
        methods: Which of `"request"` and `"cancel"` raise.
        error: What they raise.
    """

    def __init__(self, environment: CheckEnvironment, *, methods: tuple[str, ...], error: Exception) -> None:
        super().__init__(environment)
        self._methods = methods
        self._error = error

    def request(self, n: Any, /) -> None:
        """Note the request, and raise if told so."""
        super().request(n)
        if "request" in self._methods:
            raise self._error

    def cancel(self) -> None:
        """Note the cancellation, and raise if told so."""
        super().cancel()
        if "cancel" in self._methods:
            raise self._error
