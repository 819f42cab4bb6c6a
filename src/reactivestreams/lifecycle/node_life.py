"""How far the life of a node has come: each phase begins once, whichever threads come."""

import threading

from reactivestreams.lifecycle.once import Once

__all__ = ["NodeLife"]


class NodeLife:
    """Order the phases of a node against each other.

    Each `begin_...` returns True to the one who has to do it. A node that is disposed while it starts, from inside its
    own hook or by another thread, is torn down by the thread that starts it, when the hook has returned; so the two
    hooks never overlap.

    Threads: any; nobody waits.

    Example:
        >>> life = NodeLife()
        >>> life.begin_start(), life.begin_start()
        (True, False)
        >>> life.begin_dispose(), life.is_disposed  # it is starting: who starts it sees to that
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
        """Whether the node was disposed, or will be when it has started."""
        return self._is_disposed

    def begin_subscribe(self) -> bool:
        """Return whether to make the inputs now."""
        return self._subscription.begin()

    def begin_context(self) -> bool:
        """Return whether to take the context now."""
        return self._context.begin()

    def begin_start(self) -> bool:
        """Return whether to run the start hook now: once, and not on a node that is disposed."""
        with self._lock:
            if self._has_started or self._is_disposed:
                return False
            self._has_started = self._is_starting = True
            return True

    def end_start(self) -> bool:
        """Note that the start hook has returned; return whether to tear the node down now."""
        with self._lock:
            self._is_starting = False
            return self._is_disposed

    def begin_dispose(self) -> bool:
        """Note that the node is disposed; return whether to tear it down now."""
        with self._lock:
            if self._is_disposed:
                return False
            self._is_disposed = True
            return not self._is_starting
