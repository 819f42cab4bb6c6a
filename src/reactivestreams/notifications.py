"""The signals of a stream as values: the results of `materialize` and the input of `dematerialize`."""

from dataclasses import dataclass
from typing import Any

from reactivestreams.spec import Subscriber
from reactivestreams.state import default_registry

__all__ = ["Notification", "OnComplete", "OnError", "OnNext"]


@default_registry.register(name="rx/on_next")
@dataclass(frozen=True, slots=True)
class OnNext:
    """An element; equal to one with an equal element."""

    element: Any

    def accept(self, subscriber: Subscriber[Any]) -> None:
        """Signal it to a subscriber."""
        subscriber.on_next(self.element)

    def __repr__(self) -> str:
        return f"on_next({self.element!r})"


@default_registry.register(name="rx/on_error")
@dataclass(frozen=True, slots=True)
class OnError:
    """The end by an error; equal to one with an equal error, usually the same object."""

    error: Exception

    def accept(self, subscriber: Subscriber[Any]) -> None:
        """Signal it to a subscriber."""
        subscriber.on_error(self.error)

    def __repr__(self) -> str:
        return f"on_error({self.error!r})"


@default_registry.register(name="rx/on_complete")
@dataclass(frozen=True, slots=True)
class OnComplete:
    """The end by completion."""

    def accept(self, subscriber: Subscriber[Any]) -> None:
        """Signal it to a subscriber."""
        subscriber.on_complete()

    def __repr__(self) -> str:
        return "on_complete()"


Notification = OnNext | OnError | OnComplete
