"""The subscribers under the compatibility kit, each as it is and with a probe in it."""

from typing import Any

from examples.standard_examples.async_subscriber import AsyncSubscriber
from examples.standard_examples.sync_subscriber import SyncSubscriber
from examples.standard_examples.verifications import shared_executor
from reactivestreams import Subscription
from reactivestreams.tck import SubscriberBlackboxVerification, SubscriberWhiteboxVerification, WhiteboxProbe

__all__ = [
    "AsyncSubscriberBlackboxVerification",
    "AsyncSubscriberWhiteboxVerification",
    "SyncSubscriberBlackboxVerification",
    "SyncSubscriberWhiteboxVerification",
]


class Sum:
    """The work of a subscriber that adds up; it fails in a signal, or has enough after some elements, if told so."""

    def __init__(self, *arguments: Any, failing_in: str = "", limit: int = 0) -> None:
        super().__init__(*arguments)
        self.sum = 0
        self._count = 0
        self._failing_in = failing_in
        self._limit = limit

    def when_next(self, element: int) -> bool:
        self._fail_in("on_next")
        self.sum += element
        self._count += 1
        return self._count != self._limit

    def when_error(self, error: Exception) -> None:
        self._fail_in("on_error")

    def when_complete(self) -> None:
        self._fail_in("on_complete")

    def _fail_in(self, signal: str) -> None:
        if signal == self._failing_in:
            raise OSError(f"the work of {signal} cannot be done")


class SyncSum(Sum, SyncSubscriber[int]):
    """Adds up where it is signalled."""


class AsyncSum(Sum, AsyncSubscriber[int]):
    """Adds up on the shared executor."""

    def __init__(self, **options: Any) -> None:
        super().__init__(shared_executor(), **options)


class Probing:
    """Tells a probe what the subscriber has handled, and is the puppet that cancels; it requests by itself."""

    def __init__(self, probe: WhiteboxProbe, **options: Any) -> None:
        super().__init__(**options)
        self._probe = probe
        self._is_first = True

    def on_subscribe(self, subscription: Subscription, /) -> None:
        super().on_subscribe(subscription)  # type: ignore[misc]
        if self._is_first:
            self._is_first = False
            self._probe.register_on_subscribe(self)

    def when_next(self, element: int) -> bool:
        is_next_wanted: bool = super().when_next(element)  # type: ignore[misc]
        self._probe.register_on_next(element)
        return is_next_wanted

    def when_error(self, error: Exception) -> None:
        self._probe.register_on_error(error)
        super().when_error(error)  # type: ignore[misc]

    def when_complete(self) -> None:
        self._probe.register_on_complete()
        super().when_complete()  # type: ignore[misc]

    def trigger_request(self, elements: int) -> None:
        """Do nothing: it requests by itself."""

    def signal_cancel(self) -> None:
        self.dispatch(self.cancel)  # type: ignore[attr-defined]


class ProbingSyncSum(Probing, SyncSum):
    """Adds up where it is signalled, and tells a probe."""


class ProbingAsyncSum(Probing, AsyncSum):
    """Adds up on the shared executor, and tells a probe."""


class SyncSubscriberBlackboxVerification(SubscriberBlackboxVerification):
    """Judge SyncSubscriber as it is."""

    kind: type[Any] = SyncSum

    def create_subscriber(self) -> Any:
        return self.kind()

    def create_limited_subscriber(self, elements: int) -> Any:
        return self.kind(limit=elements)

    def create_failing_subscriber(self, signal: str) -> Any:
        return None if signal == "on_subscribe" else self.kind(failing_in=signal)

    def create_element(self, element: int) -> int:
        return element


class AsyncSubscriberBlackboxVerification(SyncSubscriberBlackboxVerification):
    """Judge AsyncSubscriber as it is."""

    kind = AsyncSum


class SyncSubscriberWhiteboxVerification(SubscriberWhiteboxVerification):
    """Judge SyncSubscriber with a probe in it."""

    kind: type[Any] = ProbingSyncSum

    def create_subscriber(self, probe: WhiteboxProbe) -> Any:
        return self.kind(probe)

    def create_failing_subscriber(self, signal: str, probe: WhiteboxProbe) -> Any:
        return None if signal == "on_subscribe" else self.kind(probe, failing_in=signal)

    def create_element(self, element: int) -> int:
        return element


class AsyncSubscriberWhiteboxVerification(SyncSubscriberWhiteboxVerification):
    """Judge AsyncSubscriber with a probe in it."""

    kind = ProbingAsyncSum
