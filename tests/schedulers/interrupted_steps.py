"""Interrupts a call at each place where an exception of a signal handler, or of another thread, may come up in it."""

import dis
import sys
from collections.abc import Callable
from functools import cache
from types import CodeType, FrameType
from typing import Any

# Behind these, and where a frame begins, the interpreter looks for signals and for exceptions that other threads set.
LOOKING = ("CALL", "JUMP_BACKWARD", "RESUME")


class Interrupt(BaseException):
    """What a signal handler raises."""


@cache
def _operations(code: CodeType) -> dict[int, str]:
    return {instruction.offset: instruction.opname for instruction in dis.get_instructions(code)}


def is_interrupted(call: Callable[[], object], place: int, folder: str) -> bool:
    """Make a call, and raise at a place in it.

    Args:
        call: What to call.
        place: Which, counted from 0.
        folder: Whose code is interrupted.

    Returns:
        Whether there was such a place.
    """
    left = place
    before: dict[FrameType, str] = {}

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(folder):
            return None
        frame.f_trace_opcodes = True
        if event != "opcode":
            return trace
        operation = before.get(frame, "")
        before[frame] = _operations(frame.f_code).get(frame.f_lasti, "")
        if operation.startswith(LOOKING):
            left -= 1
            if left < 0:
                raise Interrupt
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    except Interrupt:
        return True
    finally:
        sys.settrace(previous)
    return False
