"""The one hook for signals that can no longer be delivered.

An error may arise when its subscriber must not be signalled any more: the subscriber itself raised (rule 2.13), the
subscription was cancelled, or a terminal signal has gone out already (rule 1.7). Elements may be evicted from a bounded
buffer. Such a signal is never lost in silence: it comes here. By default it is logged at level ERROR by the logger
`reactivestreams.dropped`.
"""

import threading
from typing import TYPE_CHECKING, Protocol

from rs_core.errors import ArgumentTypeError
from rs_core.interp.deferred_functions import refuse_deferred

if TYPE_CHECKING:
    from reprlib import Repr

__all__ = ["DroppedHook", "dropped", "log_dropped", "set_hook"]

LOGGER_NAME = "reactivestreams.dropped"
VALUE_LENGTH_CHARACTERS = 200  # of the value's repr in the log line; the middle of a longer one is left out
VALUE_ELEMENTS = 20  # of each container in it; the others are left out


class DroppedHook(Protocol):
    """What `set_hook` accepts: a callable that is called with one dropped signal."""

    def __call__(self, signal: str, value: object, /, *, origin: str) -> object:
        """Handle a dropped signal, in the thread that could not deliver it; several threads may call this at once."""


def log_dropped(signal: str, value: object, /, *, origin: str) -> None:
    """Log a dropped signal at level ERROR, an exception with its traceback; the default hook.

    Args:
        signal: The name of the signal, such as `"on_error"`, or of the step that failed, such as `"close"`.
        value: Its argument or exception: the exception, the element, or None.
        origin: The operator or component that could not pass it on.
    """
    import logging

    logging.getLogger(LOGGER_NAME).error(
        "dropped %s from %s%s",
        signal,
        origin,
        "" if value is None else f": {shortened(value)}",
        exc_info=value if isinstance(value, BaseException) else None,
    )


def _shortening() -> "Repr":
    from reprlib import Repr

    short = Repr()
    short.maxstring = short.maxother = short.maxlong = VALUE_LENGTH_CHARACTERS
    short.maxtuple = short.maxlist = short.maxdict = short.maxset = short.maxfrozenset = VALUE_ELEMENTS
    short.repr_bytes = short.repr_bytearray = _cut_bytes  # type: ignore[attr-defined]  # it looks for them by name
    return short


def _cut_bytes(value: bytes | bytearray, level: int) -> str:  # else the whole is shown before it is cut
    is_short = len(value) <= VALUE_LENGTH_CHARACTERS
    return repr(value) if is_short else f"{value[:VALUE_LENGTH_CHARACTERS]!r}..."


def shortened(value: object) -> str:
    """Return the `repr` of a value for a line of a log or a note: bounded, also if `__repr__` raises."""
    short = _shortening()
    try:
        text = short.repr(value)
    except Exception:  # of a class that has the name of one that reprlib knows
        text = f"<{type(value).__name__} without a working repr>"
    if len(text) <= VALUE_LENGTH_CHARACTERS:
        return text
    half = (VALUE_LENGTH_CHARACTERS - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


_hook: DroppedHook = log_dropped
_hook_change = threading.Lock()  # only for set_hook; readers take the reference once, which is atomic


def set_hook(hook: DroppedHook | None) -> DroppedHook:
    """Install the hook that is called with every dropped signal, in the whole process.

    Args:
        hook: Called as `hook(signal, value, origin=...)`, in the thread that could not deliver, so it must be
            thread-safe and quick. None installs `log_dropped` again.

    Returns:
        The hook installed before: pass it to `set_hook` to restore it.

    Raises:
        ArgumentTypeError: The hook is not callable, or a call of it would run nothing, as of a coroutine function.

    Example:
        >>> seen = []
        >>> previous = set_hook(lambda signal, value, *, origin: seen.append((signal, value, origin)))
        >>> dropped("on_next", 7, origin="buffer")
        >>> _ = set_hook(previous)
        >>> seen
        [('on_next', 7, 'buffer')]
    """
    global _hook  # one for the process, so that no signal can bypass it
    if hook is None:
        hook = log_dropped
    elif not callable(hook):
        raise ArgumentTypeError(
            f"set_hook(hook) needs a callable or None, got {hook!r}; pass a function of (signal, value, *, origin)"
        )
    else:
        refuse_deferred(hook, "set_hook(hook)", "pass a plain function, which may start a task in an event loop")
    with _hook_change:
        previous, _hook = _hook, hook
    return previous


def dropped(signal: str, value: object, *, origin: str) -> None:
    """Pass a signal that cannot be delivered to the installed hook; always runs user code if a hook was installed.

    An exception of the hook goes to `sys.unraisablehook`, so that it can never break the calling drain. Another
    BaseException, such as `KeyboardInterrupt`, is raised: a drain stores it and raises it at its outermost entry.

    Args:
        signal: The name of the signal, such as `"on_error"`, or of the step that failed, such as `"close"`.
        value: Its argument or exception: the exception, the element, or None.
        origin: The operator or component that could not pass it on.
    """
    hook = _hook
    try:
        hook(signal, value, origin=origin)
    except Exception as error:
        _HookForDroppedSignalsFailed(error)


class _HookForDroppedSignalsFailed:
    """Raises in its finalizer: the way from Python to `sys.unraisablehook`, whose argument type cannot be built."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __del__(self) -> None:
        raise self.error
