"""Where the threads of this process stand."""

import sys
import threading
import traceback

__all__ = ["stacks_of_all_threads"]


def stacks_of_all_threads() -> str:
    """Return the stack of every thread that Python knows, the most recent call last.

    Example:
        >>> "stacks_of_all_threads" in stacks_of_all_threads()
        True
    """
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    parts: list[str] = []
    frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage]  # documented, nevertheless
    for ident, frame in frames.items():
        stack = "".join(traceback.format_stack(frame))
        parts.append(f"thread {names.get(ident, 'unknown')} ({ident}):\n{stack}")
    return "\n".join(parts)
