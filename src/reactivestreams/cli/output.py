"""What a command prints: tables and colour where `rich` is installed and a person looks, plain text everywhere else."""

import json
import os
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, TextIO

__all__ = ["Output", "is_colorless", "print_json"]


class Output:
    """Print lines and tables for people, to one stream.

    `rich` is used where it is installed and the stream is a terminal that can do more than print; a pipe or a file gets
    plain text, without colour and without wrapping. The environment variable `NO_COLOR`, where it is not empty, turns
    colour off and leaves the tables.

    Args:
        stream: Where to print; by default standard output, as it is at that moment.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdout if stream is None else stream
        self._console = _console(self._stream)

    @property
    def is_rich(self) -> bool:
        """Whether tables are drawn, rather than printed as plain text."""
        return self._console is not None

    def line(self, text: str = "", *, style: str | None = None, indent: int = 0) -> None:
        """Print one line.

        Args:
            text: The line; never read as markup. A character that the stream cannot encode is shown by its number.
            style: Colour or weight in the words of `rich`, such as `"bold red"`; plain text has none.
            indent: How many spaces stand before it, and before each part of it where `rich` has to wrap it.
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
        """Print a command to be copied: on one line, however long it is."""
        if self._console is None:
            self.line(text, indent=2)
        else:
            self._console.print(f"  {text}", soft_wrap=True, markup=False, highlight=False, emoji=False)

    def table(
        self, columns: Sequence[str], rows: Sequence[Sequence[str]], *, styles: Sequence[str | None] | None = None
    ) -> None:
        """Print a table, each column as wide as its longest cell.

        Args:
            columns: The headings; all empty prints no heading.
            rows: The cells, as many in each row as there are columns.
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
        value: What to print.
        stream: Where to print; by default standard output.
    """
    print(json.dumps(value, indent=2), file=stream)


def is_colorless() -> bool:
    """Return whether the user wants no colour; older versions of rich take an empty `NO_COLOR` for a wish, too."""
    return bool(os.environ.get("NO_COLOR"))


def _console(stream: TextIO) -> Any:
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(file=stream, no_color=is_colorless())
