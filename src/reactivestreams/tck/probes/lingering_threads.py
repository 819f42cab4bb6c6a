"""Threads that wait briefly for more work before they end."""

import queue
import threading
from collections.abc import Callable

__all__ = ["LingeringThreads"]

_LINGER_SECONDS = 0.02
"""How long a thread waits for the next call; it ends by itself."""

_Call = Callable[[], None]


class LingeringThreads:
    """Make each call immediately, on a thread that waits for one, or else on a new one.

    Otherwise a source that repeatedly gets request(1) would start thousands of threads, and a check would take seconds.
    There are never more threads than simultaneous calls; each ends shortly after its last call.

    Args:
        name: The name of the threads.

    Example:
        >>> done = threading.Event()
        >>> LingeringThreads("example").run(done.set)
        >>> done.wait(10)
        True
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._idle: list[queue.SimpleQueue[_Call]] = []

    def run(self, call: _Call) -> None:
        """Make a call on another thread immediately."""
        with self._lock:
            waiting = self._idle.pop() if self._idle else None
        if waiting is not None:
            waiting.put(call)
        else:
            handed_over: queue.SimpleQueue[_Call] = queue.SimpleQueue()
            threading.Thread(target=self._work, args=(handed_over, call), name=self._name, daemon=True).start()

    def _work(self, handed_over: "queue.SimpleQueue[_Call]", call: _Call | None) -> None:
        while call is not None:
            call()
            del call  # it may refer to a subscriber that must be released (§3.13)
            with self._lock:
                self._idle.append(handed_over)
            call = self._next(handed_over)

    def _next(self, handed_over: "queue.SimpleQueue[_Call]") -> _Call | None:
        try:
            return handed_over.get(timeout=_LINGER_SECONDS)
        except queue.Empty:
            with self._lock:
                if handed_over in self._idle:
                    self._idle.remove(handed_over)
                    return None
            return handed_over.get()  # the thread that removed it from the list adds a call
