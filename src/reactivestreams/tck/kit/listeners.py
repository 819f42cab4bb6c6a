"""Who listens to something that a process has once, such as the hook for what threads die of."""

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

__all__ = ["Listeners"]

T = TypeVar("T")


class Listeners(Generic[T]):
    """Hold listeners; set up what they listen to for the first of them, and put everything back after the last.

    Nobody waits for anybody here: one that never leaves, because its check hangs, keeps nothing from the others.

    Args:
        set_up: Begins to listen and returns what puts everything back.

    Example:
        >>> said = []
        >>> listeners = Listeners(lambda: said.append("set up") or (lambda: said.append("put back")))
        >>> for name in ("first", "second"):
        ...     listeners.add(name)
        >>> listeners.remove("first"), list(listeners), listeners.remove("second"), said
        (None, ['second'], None, ['set up', 'put back'])
    """

    def __init__(self, set_up: Callable[[], Callable[[], object]]) -> None:
        self._set_up = set_up
        self._put_back: Callable[[], object] | None = None
        self._listeners: tuple[T, ...] = ()
        self._lock = threading.Lock()

    def add(self, listener: T) -> None:
        """Let somebody listen from now on."""
        with self._lock:
            if self._put_back is None:
                self._put_back = self._set_up()
            self._listeners = (*self._listeners, listener)

    def remove(self, listener: T) -> None:
        """Let somebody listen no more."""
        with self._lock:
            self._listeners = tuple(each for each in self._listeners if each is not listener)
            if not self._listeners and self._put_back is not None:
                self._put_back()
                self._put_back = None

    def __iter__(self) -> Iterator[T]:
        """Give those who listen at this moment."""
        return iter(self._listeners)
