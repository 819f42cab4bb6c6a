"""progress: how far a stream has come, on a terminal and in a notebook, and nothing elsewhere."""

import gc
import io
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.drawing import progress as drawing
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.subscriber import DefaultSubscriber
from tests.cli.test_progress import Clock
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.contracts.state_contract import StateContract


class TestProgress(OperatorContract, StateContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().progress("numbers")

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        return self.getvalue().splitlines()


class TestProgressThatIsShown(TestProgress):
    """The contract again while a terminal shows it."""

    @pytest.fixture(autouse=True)
    def shown(self, terminal: Terminal) -> None:
        pass


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(drawing, "time", clock)
    return clock


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A terminal without rich, where nothing is redrawn while the test looks."""
    terminal = Terminal()
    # pytest puts a stream of its own into `sys` between a fixture and its test.
    monkeypatch.setattr(drawing, "sys", SimpleNamespace(stderr=terminal, modules={}))
    monkeypatch.setattr(drawing, "find_spec", lambda name: None)
    monkeypatch.setattr(drawing, "REDRAW_SECONDS", 3600.0)
    yield terminal
    drawing._board.close()  # some tests leave a stream as it is


@pytest.mark.parametrize(
    ("end", "outcome"), [("done", "done"), ("cancelled", "cancelled"), ("failed", "failed: OSError")]
)
def test_terminal_shows_elements_rate_time_and_outcome(
    terminal: Terminal, clock: Clock, end: str, outcome: str
) -> None:
    emitters: list[Any] = []
    subscriber = RecordingSubscriber(first_request=10)
    stream = Stream.create(emitters.append, on_overflow="error").progress("numbers", total=8)
    stream.subscribe(subscriber)
    (emitter,) = emitters
    for _ in range(2):
        clock.now += 2
        emitter.emit(1)
    {"done": emitter.complete, "cancelled": subscriber.cancel, "failed": lambda: emitter.fail(OSError("lost"))}[end]()
    assert terminal.lines == [f"numbers: 2 of 8 (25 %), 0.5/s, 0:00:04, {outcome}"]
    assert drawing._board._display is None


def test_line_is_written_from_time_to_time_while_a_stream_runs(terminal: Terminal, clock: Clock) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(5000).progress("numbers").subscribe(subscriber)
    for _ in range(4):
        clock.now += drawing.LINE_SECONDS / 2
        subscriber.request(500)
        drawing._board._draw()
    subscriber.cancel()
    assert terminal.lines == [
        "numbers: 1,001, 500/s, 0:00:02",
        "numbers: 2,001, 500/s, 0:00:04",
        "numbers: 2,001, 500/s, 0:00:04, cancelled",
    ]


def test_streams_share_a_display_until_the_last_one_ends(terminal: Terminal, clock: Clock) -> None:
    first, second = RecordingSubscriber(), RecordingSubscriber()
    Stream.range(3).progress("first").subscribe(first)
    Stream.range(3).progress("second").subscribe(second)
    display = drawing._board._display
    second.cancel()
    assert drawing._board._display is display
    first.request(4)
    assert terminal.lines == ["second: 0, 0.0/s, 0:00:00, cancelled", "first: 3, 0.0/s, 0:00:00, done"]


def test_display_has_no_more_lines_than_its_bound(
    terminal: Terminal, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "MAX_SHOWN_RUNS", 2)
    subscribers = [RecordingSubscriber() for _ in range(4)]
    for number, subscriber in enumerate(subscribers[:3]):
        Stream.range(3).progress(str(number)).subscribe(subscriber)
    subscribers[0].cancel()
    Stream.range(3).progress("3").subscribe(subscribers[3])  # takes the line of the one that has ended
    for subscriber in subscribers:
        subscriber.cancel()
    assert [line[:1] for line in terminal.lines] == ["0", "1", "3"]


def test_stream_that_was_abandoned_leaves_the_display(terminal: Terminal) -> None:
    handle = Stream.range(3).progress("numbers").bind(DefaultSubscriber())
    handle.initialize()
    assert drawing._board._display is not None
    del handle
    gc.collect()
    drawing._board._draw()
    assert drawing._board._display is None


def test_nothing_is_shown_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    seen: list[object] = []
    Stream.range(3).progress("numbers").for_each(lambda n: seen.append(drawing._board._display))
    monkeypatch.setattr(sys, "stderr", None)
    Stream.range(3).progress("numbers").run()
    assert (pipe.getvalue(), seen) == ("", [None, None, None])


def test_bars_are_drawn_with_rich_and_names_are_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="needs the extra cli")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "200")
    assert Stream.range(4).progress("[/x] [bold]numbers", total=4).to_list() == [0, 1, 2, 3]
    shown = terminal.getvalue()
    assert "[/x] [bold]numbers" in shown
    assert "100%" in shown
    assert "4 of 4 (100 %)" in shown
    assert "done" in shown


def test_notebook_updates_what_is_below_its_cell_and_escapes_names(monkeypatch: pytest.MonkeyPatch) -> None:
    contents: list[dict[str, str]] = []

    def display(content: dict[str, str], *, raw: bool, display_id: bool) -> Any:
        contents.append(content)
        return SimpleNamespace(update=lambda content, raw: contents.append(content))

    notebook = SimpleNamespace(display=display, get_ipython=lambda: SimpleNamespace(kernel="one"))
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", notebook)
    Stream.range(4).progress("<b>", total=8).run()
    assert contents[0]["text/html"].startswith('<div><b>&lt;b&gt;</b> <progress value="0" max="8"></progress> 0 of 8')
    assert contents[-1]["text/plain"].startswith("<b>: 4 of 8 (50 %), ")
    assert contents[-1]["text/plain"].endswith(", done")
    assert 'value="1" max="1"' in contents[-1]["text/html"]


@pytest.mark.parametrize("fails_at", ["write", "flush"])
def test_display_that_fails_ends_alone_and_is_reported(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, fails_at: str
) -> None:
    error = BrokenPipeError("gone")

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(terminal, fails_at, fail)
    with recorded_drops() as drops:
        assert Stream.range(3).progress("numbers").to_list() == [0, 1, 2]
    assert [(signal, value, origin) for signal, value, origin in drops] == [("draw", error, "progress")]
    assert drawing._board._display is None


def test_call_is_written_as_one_would_write_it() -> None:
    assert "progress('orders')" in repr(Stream.just(1).progress("orders"))
    assert "progress('orders', total=8)" in repr(Stream.just(1).progress("orders", total=8))


def test_wrong_arguments_are_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"progress\(name\) needs a text to show, got 8 \(int\); pass a string"):
        Stream.just(1).progress(8)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(ArgumentError, match=r"progress\(total\)"):
        Stream.just(1).progress("orders", total=0)
