"""The places where a program makes an error known that it cannot hand to anybody."""

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
    """Note log records that reach the root logger, warnings and what is written to standard error; pass all on.

    Use it as a context manager; any number may listen at once.
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
        """Note what was said."""
        with self._lock:
            self._texts.append((channel, text))


class _LogHandler(logging.Handler):
    """Note a log record, with the traceback that it carries."""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += "\n" + "".join(traceback.format_exception(record.exc_info[1]))
        _note(f"a log record of {record.name}", text)


class _Tee:
    """A stream that passes on what it is given, and notes it."""

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
        # Whoever has taken our place meanwhile keeps it, and calls us on: passing on does no harm.
        if sys.stderr is tee:
            sys.stderr = stream
        if warnings.showwarning is note_and_show:
            warnings.showwarning = show

    sys.stderr = tee
    warnings.showwarning = note_and_show
    logging.getLogger().addHandler(handler)
    return put_back


_LISTENERS: Listeners[ReportChannels] = Listeners(_set_up)
