"""Progress of the runs on standard error: bars on a terminal if rich is installed, else lines of text."""

import io
import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO, cast

from reactivestreams.drawing.progress import LINE_SECONDS, bars, has_bars

if TYPE_CHECKING:
    from rich.progress import TaskID

__all__ = ["BarProgress", "LineProgress", "open_progress"]


class LineProgress:
    """Write a line from time to time, for logs, pipes and terminals without rich."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.title: str = ""
        self.total: int = 0
        self.done: int = 0
        self.started: float = 0.0
        self.written: float = 0.0
        self.last_note: str = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stream.close()

    def begin(self, title: str, *, total: int) -> None:
        """Start the display of a run."""
        self.title, self.total = title, total
        self.done = 0
        self.last_note = ""
        self.started = time.monotonic()
        self.written = self.started
        self._write("started")

    def advance(self, done: int, note: str = "") -> None:
        """Write the progress, with a remark if there is one, unless the last line is too recent."""
        self.done = done
        if time.monotonic() - self.written >= LINE_SECONDS:
            remark = f", {note}" if note else ""
            self._write(f"{100 * done / self.total:.0f} % ({done:,} of {self.total:,}){remark}")

    def note(self, text: str) -> None:
        """Write a new remark while nothing is done, unless the last line is too recent."""
        if not self.done and text != self.last_note and time.monotonic() - self.written >= LINE_SECONDS:
            self.last_note = text
            self._write(text)

    def end(self) -> None:
        """Write that the run is complete."""
        self._write(f"done in {time.monotonic() - self.started:.1f} s")

    def _write(self, text: str) -> None:
        self.written = time.monotonic()
        self.stream.write(f"{self.title}: {text}\n")
        self.stream.flush()


class BarProgress:
    """Draw one bar per run with rich."""

    def __init__(self, stream: TextIO) -> None:
        from rich.progress import MofNCompleteColumn, TaskProgressColumn, TimeElapsedColumn

        self._bars = bars(stream, TaskProgressColumn(), MofNCompleteColumn(), TimeElapsedColumn(), width=None)
        self.stream = stream
        self._task: TaskID | None = None
        self.total: int = 0

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()
        self.stream.close()

    def begin(self, title: str, *, total: int) -> None:
        """Add a bar, which pulses until something is done."""
        self.total = total
        self._task = self._bars.add_task(title, total=None, note="")

    def advance(self, done: int, note: str = "") -> None:
        """Move the bar and show a remark after it."""
        if self._task is not None:
            self._bars.update(self._task, total=self.total, completed=done, note=note)

    def note(self, text: str) -> None:
        """Show a remark after the bar while nothing is done."""
        if self._task is not None and not self._bars.tasks[self._task].completed:
            self._bars.update(self._task, note=text)

    def end(self) -> None:
        """Fill the bar."""
        if self._task is not None:
            self._bars.update(self._task, total=self.total, completed=self.total, note="")


def open_progress(stream: TextIO | None = None) -> BarProgress | LineProgress:
    """Return bars if rich is installed and the stream is a terminal, else lines; by default for standard error.

    Progress continues while standard error is captured: it is written to a copy of the descriptor.
    """
    target = sys.stderr if stream is None else stream
    copy = copy_of(target)
    return BarProgress(copy) if has_bars(target) else LineProgress(copy)


def copy_of(stream: TextIO) -> TextIO:
    """Return a second stream to the same file; closing it leaves the first one open."""
    try:
        return os.fdopen(os.dup(stream.fileno()), "w", encoding="utf-8", errors="replace")
    except (OSError, ValueError):  # it has no file descriptor
        return cast("TextIO", _Borrowed(stream))


class _Borrowed(io.TextIOBase):
    """Write to a stream that is closed elsewhere."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(text)

    def flush(self) -> None:
        self._stream.flush()
