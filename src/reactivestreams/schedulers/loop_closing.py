"""Notice that an asyncio event loop was closed while something waited for its tasks.

A closed loop runs nothing any more and notifies nobody: a thread that waits for one of its tasks would wait forever.
But it releases its timers. So a timer that is never due refers to an object, whose finalization is the notice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["LoopClosing"]

NEVER_SECONDS = 100 * 365 * 86_400.0
"""The delay of the timer."""


class LoopClosing:
    """Calls functions when a loop is closed; there is one for each loop.

    Threads: the thread of the loop; the functions are called in the thread that closes it.
    """

    _of_loops: ClassVar[WeakKeyDictionary[AbstractEventLoop, LoopClosing]] = WeakKeyDictionary()
    _lock = threading.Lock()

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._functions: dict[object, Callable[[], object]] = {}
        loop.call_later(NEVER_SECONDS, _Held(self._functions).keep)

    @classmethod
    def of(cls, loop: AbstractEventLoop) -> LoopClosing:
        """Return the instance of a loop that runs in this thread."""
        with cls._lock:
            closing = cls._of_loops.get(loop)
            if closing is None:
                closing = cls._of_loops[loop] = cls(loop)
            return closing

    def add(self, key: object, function: Callable[[], object]) -> None:
        """Add a function to call, unless it is removed before."""
        self._functions[key] = function

    def remove(self, key: object) -> None:
        """Remove the function that was added with this key, if it is still there."""
        self._functions.pop(key, None)


class _Held:
    """The object to which only the timer refers."""

    def __init__(self, functions: dict[object, Callable[[], object]]) -> None:
        self._functions = functions

    def keep(self) -> None:
        """Serve as the timer's callback."""

    def __del__(self) -> None:
        while self._functions:
            _, function = self._functions.popitem()
            function()
