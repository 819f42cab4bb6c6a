"""Lets threads yield at random lines of a subject, while a check looks for races between single lines."""

import gc
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

__all__ = ["PROBABILITY", "Noise", "scheduling_noise"]

PROBABILITY = 0.3
"""The probability that a thread yields at a line of the subject."""

LONGEST_YIELD_SECONDS = 0.0003

_LONGEST_WAIT_SECONDS = 2.0
"""How long a check waits for another one with noise, which may hang."""

_STANDARD_LIBRARY = f"{Path(threading.__file__).parent}{os.sep}"
_KIT = f"{Path(__file__).parents[1]}{os.sep}"
_INSTALLED = ("site-packages", "dist-packages")

_Trace = Callable[[FrameType, str, Any], Any]

_lock = threading.Lock()


@contextmanager
def scheduling_noise(choices: random.Random) -> Generator["Noise | None"]:
    """Let the threads of a subject yield at random lines of its Python code until the context is left.

    Those are threads that start meanwhile, and this one. Compiled code has no lines and is not interrupted. A thread
    continues after the yield, so only the order of events changes.

    One check at a time makes noise, because the hook belongs to the process and affects threads of other checks too.

    Args:
        choices: The source of the choices, so that a seed repeats them; the order of threads remains random.

    Yields:
        The noise; None under a debugger or a measurement of coverage, which also trace, and while another check with
        noise does not end.
    """
    noise = Noise(choices)
    if not _lock.acquire(timeout=_LONGEST_WAIT_SECONDS):
        yield None
        return
    try:
        if not all(trace is None or isinstance(trace, Noise) for trace in (sys.gettrace(), threading.gettrace())):
            yield None
            return
        threading.settrace(noise)
        sys.settrace(noise)
        try:
            yield noise
        finally:
            noise.is_over = True
            sys.settrace(None)
            threading.settrace(None)  # None removes the hook, as documented
    finally:
        _lock.release()


class Noise:
    """The trace function of a thread for each function call; a thread that outlives the noise calls it once more.

    Attributes:
        has_effect: Whether a thread that started meanwhile ran interruptible code of the subject.
        is_over: Whether threads no longer yield.
    """

    def __init__(self, choices: random.Random) -> None:
        self.has_effect: bool = False
        self.is_over = False
        self._choices = choices
        self._maker = threading.get_ident()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> _Trace | None:
        """Trace the lines of a called function if it belongs to the subject."""
        if self.is_over:
            sys.settrace(None)
            return None
        if not _may_be_interrupted(frame.f_code.co_filename) or _belongs_to_collector(frame):
            return None
        if threading.get_ident() != self._maker:
            self.has_effect = True
        return self._at_line

    def _at_line(self, frame: FrameType, event: str, argument: Any) -> _Trace | None:
        if self.is_over:
            return None
        if event == "line" and self._choices.random() < PROBABILITY:
            time.sleep(self._choices.random() * LONGEST_YIELD_SECONDS)
        return self._at_line


def _belongs_to_collector(frame: FrameType) -> bool:
    """Return whether the garbage collector called a function, which it does in whichever thread it happens to run."""
    code = frame.f_code
    return code.co_name == "__del__" or any(getattr(callback, "__code__", None) is code for callback in gc.callbacks)


@cache
def _may_be_interrupted(file: str) -> bool:
    """Return whether code belongs to a subject: not to the standard library, nor to the kit, and it has a file."""
    if file.startswith((_KIT, "<")):
        return False
    return not file.startswith(_STANDARD_LIBRARY) or any(folder in file for folder in _INSTALLED)
