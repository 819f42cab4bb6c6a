"""Progress as lines of text and as bars, and where each is taken."""

import io

import pytest

from reactivestreams.cli import progress as module
from reactivestreams.cli.progress import BarProgress, LineProgress, open_progress
from reactivestreams.drawing import progress as drawing


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def test_lines_come_at_the_start_the_end_and_now_and_then(clock: Clock) -> None:
    out = io.StringIO()
    lines = LineProgress(out)

    lines.begin("Spark", total=2_000)
    lines.note("starting")  # too early for a line
    clock.now += 3
    lines.note("starting")
    lines.note("starting")
    clock.now += 3
    lines.note("starting")  # said already
    lines.advance(500)
    lines.advance(501)
    clock.now += 3
    lines.note("tasks")  # something is done: the count says more
    lines.advance(1_000)
    lines.end()

    assert out.getvalue().splitlines() == [
        "Spark: started",
        "Spark: starting",
        "Spark: 25 % (500 of 2,000)",
        "Spark: 50 % (1,000 of 2,000)",
        "Spark: done in 9.0 s",
    ]


def test_each_run_begins_anew(clock: Clock) -> None:
    out = io.StringIO()
    lines = LineProgress(out)
    for title in ("first", "second"):
        lines.begin(title, total=1)
        clock.now += 3
        lines.note("starting")
        lines.advance(1)
        lines.end()

    assert out.getvalue().splitlines() == [
        *("first: started", "first: starting", "first: done in 3.0 s"),
        *("second: started", "second: starting", "second: done in 3.0 s"),
    ]


def test_stream_that_is_no_terminal_gets_lines_and_stays_open() -> None:
    out = io.StringIO()

    with open_progress(out) as progress:
        progress.begin("run", total=1)

    assert isinstance(progress, LineProgress)
    assert out.getvalue() == "run: started\n"


def test_terminal_without_rich_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "find_spec", lambda name: None)
    out = io.StringIO()
    monkeypatch.setattr(out, "isatty", lambda: True)

    assert isinstance(open_progress(out), LineProgress)


def test_bars_count_pulse_and_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="needs the extra cli")
    out = io.StringIO()
    with BarProgress(out) as bars:
        bars.begin("run", total=10)
        (task,) = bars._bars.tasks
        bars.note("starting")
        assert (task.total, task.fields["note"]) == (None, "starting")
        bars.advance(4)
        bars.note("tasks")
        assert (task.total, task.completed, task.fields["note"]) == (10, 4, "")
        bars.end()
        assert task.finished
