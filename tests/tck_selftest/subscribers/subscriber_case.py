"""The verifications of a subscriber that is made by a function: as it is, and with a probe."""

from collections.abc import Callable
from typing import Any

from reactivestreams.tck import SubscriberBlackboxVerification, SubscriberWhiteboxVerification

__all__ = ["BlackboxCase", "WhiteboxCase", "blackbox", "whitebox"]


class BlackboxCase(SubscriberBlackboxVerification):
    """Judge what a function makes, as it is.

    Args:
        create: Makes a subscriber.
        limited: Makes one that wants only so many elements; without it there is none.
        failing: Makes one whose own work fails in a signal; without it there is none.
        trigger: Makes a subscriber request.
        value_types: Whether elements are of a type that has no None.
    """

    def __init__(
        self,
        create: Callable[[], Any],
        *,
        limited: Callable[[int], Any] = lambda elements: None,
        failing: Callable[[str], Any] = lambda signal: None,
        trigger: Callable[[Any], None] = lambda subscriber: None,
        value_types: bool = False,
    ) -> None:
        self._create = create
        self._limited = limited
        self._failing = failing
        self._trigger = trigger
        self._value_types = value_types
        self.made: list[Any] = []

    def create_subscriber(self) -> Any:
        subscriber = self._create()
        self.made.append(subscriber)
        return subscriber

    def create_limited_subscriber(self, elements: int) -> Any:
        return self._limited(elements)

    def create_failing_subscriber(self, signal: str) -> Any:
        return self._failing(signal)

    def trigger_request(self, subscriber: Any) -> None:
        self._trigger(subscriber)

    def has_value_type_elements(self) -> bool:
        return self._value_types

    def create_element(self, element: int) -> int:
        return element


class WhiteboxCase(SubscriberWhiteboxVerification):
    """Judge what a function makes of a probe.

    Args:
        create: Makes a subscriber that reports to a probe.
        failing: Makes one whose own work fails in a signal; without it there is none.
    """

    def __init__(
        self, create: Callable[[Any], Any], *, failing: Callable[[str, Any], Any] = lambda signal, probe: None
    ) -> None:
        self._create = create
        self._failing = failing

    def create_subscriber(self, probe: Any) -> Any:
        return self._create(probe)

    def create_failing_subscriber(self, signal: str, probe: Any) -> Any:
        return self._failing(signal, probe)

    def create_element(self, element: int) -> int:
        return element


def blackbox(create: Callable[[], Any], **hooks: Any) -> Callable[[], BlackboxCase]:
    """Return what makes the verification of a subscriber as it is."""
    return lambda: BlackboxCase(create, **hooks)


def whitebox(create: Callable[[Any], Any], **hooks: Any) -> Callable[[], WhiteboxCase]:
    """Return what makes the verification of a subscriber that reports to a probe."""
    return lambda: WhiteboxCase(create, **hooks)
