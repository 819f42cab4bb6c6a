"""Collector: how elements become one result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from reactivestreams.arguments import checked_callable
from reactivestreams.operators.definition import T, U

C = TypeVar("C")
"""The type of a container."""


@dataclass(frozen=True)
class Collector(Generic[T, C, U]):
    """How elements become one result: an immutable value of three functions.

    Args:
        supplier: Called once for each subscription, before the first element; returns a new, empty container.
        accumulator: Called with the container and an element; changes the container, and returns None or the container
            itself.
        finisher: Called with the container at the end; returns the result. None: the container is the result.

    Raises:
        ArgumentTypeError: One of them cannot be called.

    Example:
        >>> from reactivestreams import Collector, Stream
        >>> Stream.just("a", "b").collect(Collector(list, list.append, "".join))
        'ab'
    """

    supplier: Callable[[], C]
    accumulator: Callable[[C, T], object]
    finisher: Callable[[C], U] | None = None

    def __post_init__(self) -> None:
        checked_callable(self.supplier, operator="Collector", name="supplier")
        checked_callable(self.accumulator, operator="Collector", name="accumulator")
        if self.finisher is not None:
            checked_callable(self.finisher, operator="Collector", name="finisher")
