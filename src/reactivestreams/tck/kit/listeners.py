"""Listeners of something that a process has once, such as the hook for exceptions that end threads."""

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

__all__ = ["Listeners"]

T = TypeVar("T")


class Listeners(Generic[T]):
    """A set of listeners; the source is set up for the first of them, and restored after the last.

    No listener waits for another: one that is never removed, because its check hangs, does not affect the others.

    Args:
        set_up: Starts listening and returns the function that restores everything.

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
        """Add a listener."""
        with self._lock:
            if self._put_back is None:
                self._put_back = self._set_up()
            self._listeners = (*self._listeners, listener)

    def remove(self, listener: T) -> None:
        """Remove a listener."""
        with self._lock:
            self._listeners = tuple(each for each in self._listeners if each is not listener)
            if not self._listeners and self._put_back is not None:
                self._put_back()
                self._put_back = None

    def __iter__(self) -> Iterator[T]:
        """Iterate over the current listeners."""
        return iter(self._listeners)
