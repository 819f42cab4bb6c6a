"""The output of commands: tables and colour on a terminal if `rich` is installed, plain text otherwise."""

import json
import os
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from reactivestreams.cli.usage_error import UsageError

__all__ = ["Output", "is_colorless", "print_json", "short_repr", "write_picture"]

MAX_REPR_CHARACTERS = 120
"""How much of a value's text a table shows."""


class Output:
    """Print lines and tables for people, to one stream.

    `rich` is used if it is installed and the stream is a terminal that supports control sequences; a pipe or a file
    gets plain text, without colour and without wrapping. If the environment variable `NO_COLOR` is not empty, there are
    tables without colour.

    Args:
        stream: Where to print; by default the current standard output.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdout if stream is None else stream
        self._console = _console(self._stream)

    @property
    def is_rich(self) -> bool:
        """Whether tables are drawn and not printed as plain text."""
        return self._console is not None

    def line(self, text: str = "", *, style: str | None = None, indent: int = 0) -> None:
        """Print one line.

        Args:
            text: The line; never read as markup. A character that the stream cannot encode is shown by its number.
            style: A style of `rich`, such as `"bold red"`; plain text has none.
            indent: The number of spaces before the line, and before each part of it if `rich` has to wrap it.
        """
        if self._console is None:
            encoding = getattr(self._stream, "encoding", None) or "utf-8"
            encoded = f"{' ' * indent}{text}".encode(encoding, "backslashreplace")
            print(encoded.decode(encoding), file=self._stream)
            return
        if indent:
            margin = " " * indent
            text = textwrap.fill(
                text,
                max(indent + 20, self._console.width),
                initial_indent=margin,
                subsequent_indent=margin,
                break_long_words=False,
                break_on_hyphens=False,
            )
        self._console.print(text, style=style, markup=False, highlight=False, emoji=False)

    def command(self, text: str) -> None:
        """Print a command for copying, on one line of any length."""
        if self._console is None:
            self.line(text, indent=2)
        else:
            self._console.print(f"  {text}", soft_wrap=True, markup=False, highlight=False, emoji=False)

    def table(
        self, columns: Sequence[str], rows: Sequence[Sequence[str]], *, styles: Sequence[str | None] | None = None
    ) -> None:
        """Print a table, each column as wide as its longest cell.

        Args:
            columns: The headings; if all are empty, there is no heading row.
            rows: The cells, one per column in each row.
            styles: Style of the first cell of each row, by default none.
        """
        if self._console is None:
            self._plain_table(columns, rows)
            return
        from rich.table import Table
        from rich.text import Text

        table = Table(*columns, show_header=any(columns), box=None, pad_edge=False)
        for row, style in zip(rows, styles or [None] * len(rows), strict=True):
            first, *others = row
            table.add_row(Text(first, style=style or ""), *map(Text, others))
        self._console.print(table)

    def _plain_table(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        lines = [columns, *rows] if any(columns) else rows
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        for cells in lines:
            padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
            print("  ".join(padded).rstrip(), file=self._stream)


def print_json(value: object, stream: TextIO | None = None) -> None:
    """Print a value as JSON, for programs: indented, in ASCII.

    Args:
        value: The value.
        stream: The output stream; by default standard output.
    """
    print(json.dumps(value, indent=2), file=stream)


def write_picture(path: Path, text: str, *, option: str) -> None:
    """Write a picture into the file that an option names.

    Raises:
        UsageError: The file cannot be written.
    """
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{option} {path} cannot be written: {error.strerror}; give a file in a folder that exists"
        ) from error


def is_colorless() -> bool:
    """Return whether the user wants no colour; older versions of rich also react to an empty `NO_COLOR`."""
    return bool(os.environ.get("NO_COLOR"))


def _console(stream: TextIO) -> Any:
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(file=stream, no_color=is_colorless())


def short_repr(value: Any) -> str:
    """Return the text of a value, cut where it is long."""
    text = repr(value)
    return text if len(text) <= MAX_REPR_CHARACTERS else f"{text[:MAX_REPR_CHARACTERS]}…"
