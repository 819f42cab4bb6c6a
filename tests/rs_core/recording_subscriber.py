"""A subscriber that records its signals, in the order in which they came, and can act in each of them."""

from collections.abc import Callable
from typing import Any

Action = Callable[[], object]
UNBOUNDED = 2**63 - 1


class RecordingSubscriber:
    """Records what it is told.

    Args:
        demand: Requested in `on_subscribe`, and again whenever that many elements came; None requests nothing.
        actions: What to do inside of a signal, after it was recorded: `{"on_next": function}`.
    """

    def __init__(self, *, demand: int | None = UNBOUNDED, actions: dict[str, Action] | None = None) -> None:
        self.demand = demand
        self.actions = actions or {}
        self.signals: list[tuple[Any, ...]] = []
        self.subscription: Any = None
        self.element_count = 0

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription
        self._signalled("on_subscribe")
        if self.demand is not None:
            subscription.request(self.demand)

    def on_next(self, element: Any) -> None:
        self.element_count += 1
        self._signalled("on_next", element)
        if self.demand is not None and self.demand != UNBOUNDED and self.element_count % self.demand == 0:
            self.subscription.request(self.demand)

    def on_error(self, error: Exception) -> None:
        self._signalled("on_error", error)

    def on_complete(self) -> None:
        self._signalled("on_complete")

    def cancel(self) -> None:
        self.subscription.cancel()

    def _signalled(self, name: str, *values: Any) -> None:
        self.signals.append((name, *values))
        if name in self.actions:
            self.actions[name]()

    @property
    def names(self) -> list[str]:
        return [signal[0] for signal in self.signals]

    @property
    def elements(self) -> list[Any]:
        return [signal[1] for signal in self.signals if signal[0] == "on_next"]

    @property
    def errors(self) -> list[Exception]:
        return [signal[1] for signal in self.signals if signal[0] == "on_error"]

    @property
    def is_complete(self) -> bool:
        return self.names.count("on_complete") == 1 and self.names[-1] == "on_complete"
