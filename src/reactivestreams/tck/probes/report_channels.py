"""The places where a program makes an error known that it cannot hand to anybody."""

import logging
import sys
import threading
import traceback
import warnings
from collections import deque
from types import TracebackType
from typing import Any, Self

__all__ = ["ReportChannels"]

KEPT_TEXTS = 1000
"""How many texts are kept; the oldest are dropped."""


class _Tee:
    """A stream that passes on what it is given, and notes it."""

    def __init__(self, stream: Any, note: Any) -> None:
        self._stream = stream
        self._note = note

    def write(self, text: str) -> int:
        self._note("standard error", text)
        return len(text) if self._stream is None else int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class ReportChannels(logging.Handler):
    """Note log records that reach the root logger, warnings and what is written to standard error; pass all on.

    Use it as a context manager, one at a time in a process: it stands in for `sys.stderr` and `warnings.showwarning`.
    """

    _only_one = threading.Lock()

    def __init__(self) -> None:
        super().__init__(logging.NOTSET)
        self._texts: deque[tuple[str, str]] = deque(maxlen=KEPT_TEXTS)
        self._before: Any = None

    def __enter__(self) -> Self:
        self._only_one.acquire()
        self._before = sys.stderr, warnings.showwarning
        sys.stderr = _Tee(sys.stderr, self._note)
        warnings.showwarning = self._warned
        logging.getLogger().addHandler(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        logging.getLogger().removeHandler(self)
        sys.stderr, warnings.showwarning = self._before
        self._only_one.release()

    def emit(self, record: logging.LogRecord) -> None:
        """Note a log record, with the traceback that it carries."""
        text = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            text += "\n" + "".join(traceback.format_exception(record.exc_info[1]))
        self._note(f"a log record of {record.name}", text)

    def containing(self, token: str) -> list[str]:
        """Return the names of the channels in which a text was found."""
        texts = "".join(text for channel, text in self._texts if channel == "standard error")
        found = [channel for channel, text in self._texts if token in text]
        return found or (["standard error"] if token in texts else [])

    def _note(self, channel: str, text: str) -> None:
        self._texts.append((channel, text))

    def _warned(self, message: Any, *arguments: Any, **options: Any) -> None:
        self._note("a warning", str(message))
        self._before[1](message, *arguments, **options)
