"""A subscriber that writes down its signals, and a subscription that writes down what it is asked."""

import threading
from collections.abc import Callable
from typing import Any


class SignalRecorder:
    """Keep every signal in `signals`: the name, and after it what it carried.

    Args:
        request: How much to request in `on_subscribe`, if anything.
        on_element: Called with this recorder and each element.
        raises_in: Name of a signal in which to raise.
    """

    def __init__(
        self,
        *,
        request: int | None = None,
        on_element: Callable[["SignalRecorder", Any], None] = lambda recorder, element: None,
        raises_in: str = "",
    ) -> None:
        self.signals: list[Any] = []
        self.subscription: Any = None
        self.threads: set[int] = set()
        self._request = request
        self._on_element = on_element
        self._raises_in = raises_in

    def on_subscribe(self, subscription: Any, /) -> None:
        self.subscription = subscription
        self._record("on_subscribe")
        if self._request is not None:
            subscription.request(self._request)

    def on_next(self, element: Any, /) -> None:
        self._record("on_next", element)
        self._on_element(self, element)

    def on_error(self, error: Exception, /) -> None:
        self._record("on_error", error)

    def on_complete(self) -> None:
        self._record("on_complete")

    def _record(self, signal: str, *argument: Any) -> None:
        self.threads.add(threading.get_ident())
        self.signals.append((signal, *argument))
        if signal == self._raises_in:
            raise LookupError(f"raised in {signal}")

    @property
    def elements(self) -> list[Any]:
        return [signal[1] for signal in self.signals if signal[0] == "on_next"]

    @property
    def names(self) -> list[str]:
        return [signal[0] for signal in self.signals]

    @property
    def error(self) -> Any:
        """What the last signal carried, which has to be an error."""
        name, error = self.signals[-1]
        assert name == "on_error"
        return error


class CallRecorder:
    """A subscription that does nothing but keep its calls in `calls`: the numbers requested, and `"cancel"`."""

    def __init__(self, *, raises: bool = False) -> None:
        self.calls: list[Any] = []
        self._raises = raises

    def request(self, n: int, /) -> None:
        self._record(n)

    def cancel(self) -> None:
        self._record("cancel")

    def _record(self, call: Any) -> None:
        self.calls.append(call)
        if self._raises:
            raise LookupError(f"raised for {call}")
