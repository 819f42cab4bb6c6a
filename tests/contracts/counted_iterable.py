"""An iterable that knows how much of it was read, and may fail or call a function at a position."""

from collections.abc import Callable, Iterator
from typing import Any


class CountedIterable:
    """Counts `next()` calls that gave an element, and notes whether the last iterator was closed.

    Args:
        elements: What to give.
        fails_with: Raised behind the last element.
        at: Position and function: called before the element at that position is given.
    """

    def __init__(
        self,
        elements: list[Any],
        *,
        fails_with: Exception | None = None,
        at: tuple[int, Callable[[], object]] | None = None,
    ) -> None:
        self.elements = elements
        self.fails_with = fails_with
        self.at = at
        self.taken = 0
        self.is_closed = False

    def __iter__(self) -> Iterator[Any]:
        try:
            for position, element in enumerate(self.elements):
                if self.at is not None and position == self.at[0]:
                    self.at[1]()
                self.taken += 1
                yield element
            if self.fails_with is not None:
                raise self.fails_with
        finally:
            self.is_closed = True
