"""Defer Ctrl-C while something is started that cannot be stopped half-way."""

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["DeferredInterrupt"]


class DeferredInterrupt:
    """Defer Ctrl-C until the block ends, then raise it; a second Ctrl-C is raised immediately.

    On leaving, the earlier handler is restored, even if another one was set in the block. Outside the main thread,
    where Ctrl-C never arrives, this does nothing.

    Args:
        on_interrupt: Called when Ctrl-C is deferred, to inform the user.
    """

    def __init__(self, on_interrupt: Callable[[], None]) -> None:
        self._on_interrupt = on_interrupt
        self._is_interrupted = False
        self._is_active = threading.current_thread() is threading.main_thread()
        self._before: Any = None

    def __enter__(self) -> Self:
        if self._is_active:
            self._before = signal.signal(signal.SIGINT, self._hold)
        return self

    def _hold(self, number: int, frame: FrameType | None) -> None:
        if self._is_interrupted:
            raise KeyboardInterrupt
        self._is_interrupted = True
        self._on_interrupt()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_active:
            signal.signal(signal.SIGINT, self._before)
        if self._is_interrupted and kind is None:
            raise KeyboardInterrupt
