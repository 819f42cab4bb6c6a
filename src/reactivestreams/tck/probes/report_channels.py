"""The channels in which a program reports an error that it cannot raise to a caller."""

import logging
import sys
import threading
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from reactivestreams.tck.kit.listeners import Listeners

__all__ = ["ReportChannels"]

KEPT_TEXTS = 1000
"""How many texts are kept; the oldest are dropped."""


class ReportChannels:
    """Record log records of the root logger, warnings and the output to standard error; pass all on.

    Use it as a context manager; any number may be active at the same time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: deque[tuple[str, str]] = deque(maxlen=KEPT_TEXTS)

    def __enter__(self) -> Self:
        _LISTENERS.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _LISTENERS.remove(self)

    def containing(self, token: str) -> list[str]:
        """Return the names of the channels in which a text was found."""
        with self._lock:
            noted = tuple(self._texts)
        texts = "".join(text for channel, text in noted if channel == "standard error")
        found = [channel for channel, text in noted if token in text]
        return found or (["standard error"] if token in texts else [])

    def note(self, channel: str, text: str) -> None:
        """Record a text."""
        with self._lock:
            self._texts.append((channel, text))


class _LogHandler(logging.Handler):
    """Record a log record, with its traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += "\n" + "".join(traceback.format_exception(record.exc_info[1]))
        _note(f"a log record of {record.name}", text)


class _Tee:
    """A stream that passes on its input, and records it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        _note("standard error", text)
        return len(text) if self._stream is None else int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _note(channel: str, text: str) -> None:
    for listener in _LISTENERS:
        listener.note(channel, text)


def _set_up() -> Callable[[], None]:
    stream, show = sys.stderr, warnings.showwarning
    tee, handler = _Tee(stream), _LogHandler(logging.NOTSET)

    def note_and_show(message: Any, *arguments: Any, **options: Any) -> None:
        _note("a warning", str(message))
        show(message, *arguments, **options)

    def put_back() -> None:
        logging.getLogger().removeHandler(handler)
        # A stream or hook that was set later stays and calls this one: passing on is harmless.
        if sys.stderr is tee:
            sys.stderr = stream
        if warnings.showwarning is note_and_show:
            warnings.showwarning = show

    sys.stderr = tee
    warnings.showwarning = note_and_show
    logging.getLogger().addHandler(handler)
    return put_back


_LISTENERS: Listeners[ReportChannels] = Listeners(_set_up)
