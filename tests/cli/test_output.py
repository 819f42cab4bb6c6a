"""What commands print: rich on terminals, plain text elsewhere, colour only where it is wanted."""

import io
import json
import sys

import pytest

from reactivestreams.cli.output import Output, print_json

ROWS = [["ok", "core", "[bold]25 modules[/]"], ["problem", "java", "none"]]
PLAIN = "state    name  detail\nok       core  [bold]25 modules[/]\nproblem  java  none\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def printed(stream: io.StringIO) -> str:
    output = Output(stream)
    output.table(["state", "name", "detail"], ROWS, styles=["green", "bold red"])
    return stream.getvalue()


def test_a_pipe_gets_plain_text() -> None:
    assert printed(io.StringIO()) == PLAIN


def test_a_pipe_gets_no_colour_even_if_colour_is_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert printed(io.StringIO()) == PLAIN


def test_a_terminal_gets_plain_text_where_rich_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("rich", "rich.console"):
        monkeypatch.setitem(sys.modules, name, None)
    assert printed(Terminal()) == PLAIN


def test_a_terminal_that_can_only_print_gets_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert printed(Terminal()) == PLAIN


def test_a_terminal_gets_colour_and_cells_are_no_markup() -> None:
    pytest.importorskip("rich")
    text = printed(Terminal())
    assert "\x1b[32mok" in text
    assert "[bold]25 modules[/]" in text


def test_no_color_leaves_the_table_and_takes_the_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setenv("NO_COLOR", "1")
    text = printed(Terminal())
    assert "\x1b[3" not in text
    assert "problem" in text


def test_an_empty_no_color_means_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setenv("NO_COLOR", "")
    assert "\x1b[32m" in printed(Terminal())


@pytest.mark.parametrize("stream_type", [io.StringIO, Terminal])
def test_a_line_is_printed_as_it_is(stream_type: type[io.StringIO]) -> None:
    stream = stream_type()
    Output(stream).line("§3.9 [red] :smile: 42")
    assert stream.getvalue() == "§3.9 [red] :smile: 42\n"


def test_a_table_without_rows_or_headings_prints_nothing() -> None:
    stream = io.StringIO()
    Output(stream).table(["", ""], [])
    assert stream.getvalue() == ""


def test_json_is_ascii_and_reads_back() -> None:
    stream = io.StringIO()
    print_json({"rule": "§3.9", "none": None}, stream)
    assert stream.getvalue().isascii()
    assert json.loads(stream.getvalue()) == {"rule": "§3.9", "none": None}


def test_an_indent_stands_before_every_part_of_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setenv("COLUMNS", "26")
    stream = Terminal()
    Output(stream).line("one two three four five", indent=4)
    assert stream.getvalue() == "    one two three four\n    five\n"
    plain = io.StringIO()
    Output(plain).line("one two three four five", indent=4)
    assert plain.getvalue() == "    one two three four five\n"


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["StringIO", "Terminal"])
def test_a_command_stays_on_one_line(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    Output(stream).command("one two three four [five] :sun: six")
    assert stream.getvalue() == "  one two three four [five] :sun: six\n"


def test_what_a_stream_cannot_encode_is_shown_by_its_number() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Output(stream).line("§3.9 \ud800")
    stream.seek(0)
    assert stream.read().rstrip() == "\\xa73.9 \\ud800"
