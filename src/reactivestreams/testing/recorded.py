"""Recorded notifications: values with ticks of virtual time, which can be compared."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from reactivestreams.arguments import checked_callable
from reactivestreams.notifications import Notification, OnComplete, OnError, OnNext

__all__ = [
    "Notification",
    "OnComplete",
    "OnError",
    "OnErrorWhere",
    "OnNext",
    "OnNextWhere",
    "Recorded",
    "on_complete",
    "on_error",
    "on_error_where",
    "on_next",
    "on_next_where",
]

T = TypeVar("T")


class OnNextWhere:
    """An expectation: equal to every element for which a function returns True.

    Args:
        predicate: Called with the element.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __init__(self, predicate: Callable[[Any], object]) -> None:
        self.predicate: Callable[[Any], object] = checked_callable(
            predicate, operator="on_next_where", name="predicate"
        )

    def __eq__(self, other: object) -> bool:
        return bool(self.predicate(other.element)) if isinstance(other, OnNext) else self is other

    def __repr__(self) -> str:
        return f"on_next(where {getattr(self.predicate, '__name__', self.predicate)})"


class OnErrorWhere:
    """An expectation: equal to every error for which a function returns True.

    Args:
        predicate: Called with the error.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __init__(self, predicate: Callable[[Exception], object]) -> None:
        self.predicate: Callable[[Exception], object] = checked_callable(
            predicate, operator="on_error_where", name="predicate"
        )

    def __eq__(self, other: object) -> bool:
        return bool(self.predicate(other.error)) if isinstance(other, OnError) else self is other

    def __repr__(self) -> str:
        return f"on_error(where {getattr(self.predicate, '__name__', self.predicate)})"


@dataclass(frozen=True, slots=True)
class Recorded(Generic[T]):
    """A value and its tick.

    Args:
        tick: The tick.
        value: A notification, or the number of requested elements.

    Example:
        >>> on_next(210, 1), on_next(210, 1) == on_next_where(210, lambda element: element < 5)
        (210: on_next(1), True)
    """

    tick: int
    value: T

    def __repr__(self) -> str:
        return f"{self.tick}: {self.value!r}"


def on_next(tick: int, element: object) -> Recorded[Notification]:
    """Return an element at a tick."""
    return Recorded(tick, OnNext(element))


def on_next_where(tick: int, predicate: Callable[[Any], object]) -> Recorded[OnNextWhere]:
    """Return an expectation that equals any element at a tick for which a function returns True."""
    return Recorded(tick, OnNextWhere(predicate))


def on_error(tick: int, error: Exception) -> Recorded[Notification]:
    """Return the end by an error at a tick."""
    return Recorded(tick, OnError(error))


def on_error_where(tick: int, predicate: Callable[[Exception], object]) -> Recorded[OnErrorWhere]:
    """Return an expectation that equals any error at a tick for which a function returns True."""
    return Recorded(tick, OnErrorWhere(predicate))


def on_complete(tick: int) -> Recorded[Notification]:
    """Return the end by completion at a tick."""
    return Recorded(tick, OnComplete())
