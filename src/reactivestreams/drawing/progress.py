"""Progress on a terminal or in a notebook: what streams, commands and queries show while they run, in one look.

A terminal gets bars if rich is installed, else a line from time to time. A notebook gets bars of its page. Where there
is neither, as in a pipe, a log file or another process, streams show nothing.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, TextIO
from weakref import ref

from rs_core.dropped import dropped

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

__all__ = [
    "LINE_SECONDS",
    "MAX_NAME_CHARACTERS",
    "MAX_SHOWN_RUNS",
    "REDRAW_SECONDS",
    "StreamProgress",
    "bars",
    "has_bars",
]

REDRAW_SECONDS = 0.25
"""The time between two drawings of the streams that run."""

LINE_SECONDS = 2.0
"""The least time between two lines about the same thing, where no bars are drawn."""

MAX_SHOWN_RUNS = 32
"""How many runs of streams are shown at the same time; further ones are shown when one of these has ended."""

MAX_NAME_CHARACTERS = 40
"""How much of a name is shown."""

DONE = "done"
"""The outcome of a run that has completed."""


def has_bars(stream: TextIO) -> bool:
    """Return whether bars can be drawn: rich is installed and the stream is a terminal."""
    return stream.isatty() and find_spec("rich") is not None


def bars(stream: TextIO, *columns: "ProgressColumn", width: int | None = 24, redraws: bool = True) -> "Progress":
    """Return bars that are not drawn yet: a name, the bar, further columns, and a remark, the field `note`.

    Args:
        stream: The terminal.
        columns: The columns between bar and remark.
        width: The width of a bar in characters; None: what the terminal has left.
        redraws: Whether they are redrawn by a thread of their own, ten times a second.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    return Progress(
        TextColumn("[bold]{task.description:<16}"),
        BarColumn(bar_width=width),
        *columns,
        TextColumn("{task.fields[note]}"),
        console=Console(file=stream, no_color=bool(os.environ.get("NO_COLOR"))),  # older ones heed an empty one, too
        auto_refresh=redraws,
        expand=width is None,
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a run at a moment.

    Args:
        name: Its name.
        done: How many elements have passed.
        total: How many will, as far as the user knows.
        seconds: How long it has run.
        outcome: How it ended; empty while it runs.
    """

    name: str
    done: int
    total: int | None
    seconds: float
    outcome: str

    @property
    def figures(self) -> str:
        """The elements, the rate since the start, the time since the start, and the outcome."""
        of_total = "" if self.total is None else f" of {self.total:,} ({100 * self.done / self.total:.0f} %)"
        rate = self.done / self.seconds if self.seconds > 0 else 0.0
        elapsed = timedelta(seconds=int(self.seconds))
        ended = f", {self.outcome}" if self.outcome else ""
        return f"{self.done:,}{of_total}, {rate:,.{0 if rate >= 10 else 1}f}/s, {elapsed}{ended}"

    @property
    def bar(self) -> tuple[int, int | None]:
        """How much of the bar is filled, and its length; without a length it shows only that something runs."""
        if self.outcome == DONE:
            return 1, 1
        return (0, 1) if self.outcome and self.total is None else (self.done, self.total)


class StreamProgress:
    """The display of one run of a stream; its methods are called with the signals of the run.

    Args:
        name: The name to show.
        total: How many elements are expected, or None.
        done: Returns how many have passed; called by the thread that draws.
    """

    def __init__(self, name: str, total: int | None, done: Callable[[], int]) -> None:
        self._name = name if len(name) <= MAX_NAME_CHARACTERS else f"{name[: MAX_NAME_CHARACTERS - 1]}…"
        self._total = total
        self._done = done
        self._started = 0.0
        self._outcome = "cancelled"

    def on_subscribe(self) -> None:
        """Show the run from now on."""
        self._started = time.monotonic()
        _board.add(self)

    def on_complete(self) -> None:
        """Note how it ended."""
        self._outcome = DONE

    def on_error(self, error: Exception) -> None:
        """Note how it ended."""
        self._outcome = f"failed: {type(error).__name__}"

    def on_finally(self) -> None:
        """Show how it ended, which stays."""
        _board.remove(self)

    def shown(self, *, has_ended: bool = False) -> Shown:
        """Return what to show at this moment."""
        seconds = time.monotonic() - self._started
        return Shown(self._name, self._done(), self._total, seconds, self._outcome if has_ended else "")


class _Display(Protocol):
    """Where runs are shown; called by one thread at a time."""

    def draw(self, runs: Sequence[Shown]) -> None: ...

    def close(self) -> None: ...


class _Bars:
    """Bars on a terminal, drawn with rich."""

    def __init__(self, stream: TextIO) -> None:
        from rich.progress import TaskProgressColumn

        self._bars = bars(stream, TaskProgressColumn(), redraws=False)
        self._tasks: list[TaskID] = []
        self._bars.start()

    def draw(self, runs: Sequence[Shown]) -> None:
        from rich.markup import escape as without_markup

        while len(self._tasks) < len(runs):
            self._tasks.append(self._bars.add_task("", total=None, note=""))
        for task, run in zip(self._tasks, runs, strict=True):
            done, total = run.bar
            name, note = without_markup(run.name), without_markup(run.figures)
            self._bars.update(task, description=name, total=total, completed=done, note=note)
        self._bars.refresh()

    def close(self) -> None:
        self._bars.stop()


class _Lines:
    """Lines on a terminal without rich: one about each run from time to time, and one at its end."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._written = time.monotonic()
        self._ended: list[Shown] = []

    def draw(self, runs: Sequence[Shown]) -> None:
        is_due = time.monotonic() - self._written >= LINE_SECONDS
        for run in runs:
            if run not in self._ended if run.outcome else is_due:
                self._stream.write(f"{run.name}: {run.figures}\n")
        self._ended = [run for run in runs if run.outcome]
        if is_due:
            self._written = time.monotonic()
        self._stream.flush()

    def close(self) -> None:
        pass


class _Cell:
    """Bars below a cell of a notebook."""

    def __init__(self) -> None:
        self._handle: Any = None

    def draw(self, runs: Sequence[Shown]) -> None:
        display: Any = import_module("IPython.display").display  # which a kernel has, and which has no types
        content = {
            "text/plain": "\n".join(f"{run.name}: {run.figures}" for run in runs),
            "text/html": "".join(map(self._row, runs)),
        }
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def close(self) -> None:
        pass

    @staticmethod
    def _row(run: Shown) -> str:
        done, total = run.bar
        filled = "" if total is None else f' value="{done}" max="{total}"'
        return f"<div><b>{escape(run.name)}</b> <progress{filled}></progress> {escape(run.figures)}</div>"


def _display_here() -> _Display | None:
    """Return the display of this process; None: nothing is shown."""
    from_module = sys.modules.get("IPython")
    shell = None if from_module is None else from_module.get_ipython()
    if getattr(shell, "kernel", None) is not None:
        return _Cell()
    stream: TextIO | None = sys.stderr  # None where a program has no console
    if stream is None or not stream.isatty():
        return None
    return _Bars(stream) if has_bars(stream) else _Lines(stream)


class _Board:
    """The runs of this process that are shown, and the thread that redraws them.

    Invariants, true whenever the lock is free

    - I1: there is a display, and a thread that redraws it, only while a shown run has not ended.
    - I2: a slot holds a run that has not ended, or what was shown of one that has; there are MAX_SHOWN_RUNS at most.

    A run that was abandoned without an end is referred to by nobody, so that its slot is empty, and it counts as ended.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal handler may start a stream while this thread draws
        self._slots: list[ref[StreamProgress] | Shown] = []
        self._display: _Display | None = None
        self._closed = threading.Event()

    def add(self, run: StreamProgress) -> None:
        """Show a run from now on, if there is anything to show it on."""
        with self._lock, _Reported(self):
            if self._display is None:
                self._display = _display_here()
                if self._display is None:
                    return
                self._slots = []
                self._closed = threading.Event()
                redraw = threading.Thread(
                    target=self._redraw, args=(self._closed,), name="reactivestreams-progress", daemon=True
                )
                redraw.start()
            if len(self._slots) == MAX_SHOWN_RUNS:
                ended = next((slot for slot in self._slots if isinstance(slot, Shown)), None)
                if ended is None:
                    return
                self._slots.remove(ended)
            self._slots.append(ref(run))
            self._draw()

    def remove(self, run: StreamProgress) -> None:
        """Show how a run ended, and end the display if it was the last."""
        with self._lock, _Reported(self):
            for index, slot in enumerate(self._slots):
                if not isinstance(slot, Shown) and slot() is run:
                    self._slots[index] = run.shown(has_ended=True)
                    self._draw()

    def close(self) -> None:
        """Show nothing more of the present runs."""
        with self._lock:
            display, self._display = self._display, None
            self._slots = []
            self._closed.set()
            if display is not None:
                display.close()

    def _draw(self) -> None:
        shown: list[Shown] = []
        is_running = False
        for slot in self._slots:
            run = slot if isinstance(slot, Shown) else slot()
            if isinstance(run, StreamProgress):
                is_running = True
                shown.append(run.shown())
            elif run is not None:
                shown.append(run)
        if self._display is not None:
            self._display.draw(shown)
        if not is_running:
            self.close()

    def _redraw(self, closed: threading.Event) -> None:
        while not closed.wait(REDRAW_SECONDS):
            with self._lock, _Reported(self):
                if not closed.is_set():
                    self._draw()


class _Reported:
    """Reports what a display raised, and ends it, so that the stream goes on."""

    def __init__(self, board: _Board) -> None:
        self._board = board

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, Exception):
            return False
        try:
            self._board.close()
        except Exception as another:
            error.add_note(f"closing the display raised {another!r}")
        dropped("draw", error, origin="progress")
        return True


_board = _Board()


def _renew() -> None:
    """Begin anew in a child process, which has neither the thread nor who had the lock."""
    global _board  # noqa: PLW0603 - one per process
    _board = _Board()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
