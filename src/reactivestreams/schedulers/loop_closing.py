"""Notice that an asyncio event loop was closed while something waited for its tasks.

A closed loop runs nothing any more and tells nobody: a thread that waits for one of its tasks would wait for ever. But
it lets go of its timers. So a timer that is never due holds an object, and that object's end is the notice.
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
"""When the timer would be due."""


class LoopClosing:
    """Calls functions when a loop is closed; there is one for each loop.

    Threads: that of the loop; notice is given in the one that closes it.
    """

    _of_loops: ClassVar[WeakKeyDictionary[AbstractEventLoop, LoopClosing]] = WeakKeyDictionary()
    _lock = threading.Lock()

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._functions: dict[object, Callable[[], object]] = {}
        loop.call_later(NEVER_SECONDS, _Held(self._functions).keep)

    @classmethod
    def of(cls, loop: AbstractEventLoop) -> LoopClosing:
        """Return the one of a loop that runs in this thread."""
        with cls._lock:
            closing = cls._of_loops.get(loop)
            if closing is None:
                closing = cls._of_loops[loop] = cls(loop)
            return closing

    def add(self, key: object, function: Callable[[], object]) -> None:
        """Have a function called, unless it is removed before."""
        self._functions[key] = function

    def remove(self, key: object) -> None:
        """Forget what was added with this key; harmless where it was forgotten."""
        self._functions.pop(key, None)


class _Held:
    """What only the timer refers to."""

    def __init__(self, functions: dict[object, Callable[[], object]]) -> None:
        self._functions = functions

    def keep(self) -> None:
        """Be what the timer would call."""

    def __del__(self) -> None:
        while self._functions:
            _, function = self._functions.popitem()
            function()
