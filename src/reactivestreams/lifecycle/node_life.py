"""The phases of a node: each begins once, whichever threads call it."""

import threading

from reactivestreams.lifecycle.once import Once

__all__ = ["NodeLife"]


class NodeLife:
    """Order the phases of a node against each other.

    Each `begin_...` returns True to the caller that must do the work. If a node is disposed while it starts, by its own
    hook or by another thread, the starting thread cleans it up after the hook has returned; so the two hooks never
    overlap.

    Threads: any; no call waits.

    Example:
        >>> life = NodeLife()
        >>> life.begin_start(), life.begin_start()
        (True, False)
        >>> life.begin_dispose(), life.is_disposed  # it is starting: the starting thread disposes it
        (False, True)
        >>> life.end_start()
        True
    """

    # I1: of begin_dispose() and end_start() one returns True, if the node is ever disposed.
    __slots__ = ("_context", "_has_started", "_is_disposed", "_is_starting", "_lock", "_subscription")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._subscription = Once()
        self._context = Once()
        self._has_started = False
        self._is_starting = False
        self._is_disposed = False

    @property
    def has_started(self) -> bool:
        """Whether the start has begun."""
        return self._has_started

    @property
    def is_disposed(self) -> bool:
        """Whether the node was disposed, or will be disposed after its start."""
        return self._is_disposed

    def begin_subscribe(self) -> bool:
        """Return whether the caller must make the inputs."""
        return self._subscription.begin()

    def begin_context(self) -> bool:
        """Return whether the caller must set the context."""
        return self._context.begin()

    def begin_start(self) -> bool:
        """Return whether the caller must run the start hook: once, and not on a disposed node."""
        with self._lock:
            if self._has_started or self._is_disposed:
                return False
            self._has_started = self._is_starting = True
            return True

    def end_start(self) -> bool:
        """Record that the start hook has returned; return whether the caller must clean up the node."""
        with self._lock:
            self._is_starting = False
            return self._is_disposed

    def begin_dispose(self) -> bool:
        """Record that the node is disposed; return whether the caller must clean it up."""
        with self._lock:
            if self._is_disposed:
                return False
            self._is_disposed = True
            return not self._is_starting
