"""The command `graph`: draws the operators of a stream with all its inputs, without running it."""

import argparse
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import short_repr
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.cli.usage_error import UsageError
from reactivestreams.cli.verification.loading import load

if TYPE_CHECKING:
    from rs_core.stream.description import Description

__all__ = ["register", "run"]

DESCRIPTION = """\
Draw the operators of a stream or pipeline, with the inputs of those that have several, their parameters and the lines
where they were added. SUBJECT is module:name or path/to/file.py:name: the stream, or a function without arguments that
returns it. Nothing is subscribed; importing the module runs its code."""


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "graph", help="draw the operators and inputs of a stream, as Mermaid or SVG", description=DESCRIPTION
    )
    parser.add_argument("subject", metavar="SUBJECT", help="the stream or pipeline to draw")
    parser.add_argument(
        "--format",
        choices=("mermaid", "svg"),
        help="the text of a flowchart of Mermaid, or a picture (svg if --out ends so, otherwise mermaid)",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write (standard output)")


def run(args: argparse.Namespace) -> int:
    """Draw the stream."""
    from reactivestreams.stream.presentation import tree_svg, tree_text

    drawn = _stream(args.subject)
    is_svg = args.format == "svg" if args.format else args.out is not None and args.out.suffix == ".svg"
    text = tree_svg(drawn) if is_svg else tree_text(drawn)
    if args.out is None:
        print(text)
    else:
        _write(args.out, text)
    return ExitStatus.SUCCESS


def _stream(subject: str) -> "Description":
    """Return the stream or pipeline that a text names.

    Raises:
        UsageError: It names something else.
    """
    from rs_core.stream.description import Description

    loaded = load(subject)
    value = loaded.value
    if loaded.name and not isinstance(value, Description) and _is_called(value):
        value = value()
    if isinstance(value, Description):
        return value
    streams = [name for name, each in vars(loaded.module).items() if isinstance(each, Description)]
    has = f"; {loaded.place} has {', '.join(streams[:8])}" if streams else ""
    raise UsageError(
        f"{subject} gives {short_repr(value)}, and a graph is drawn of a stream or a pipeline; name one, or a function "
        f"without arguments that returns one{has}"
    )


def _is_called(value: Any) -> bool:
    """Return whether a value is a function that can be called without arguments."""
    try:
        return inspect.isroutine(value) and inspect.signature(value).bind() is not None
    except (TypeError, ValueError):
        return False


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"--out {path} cannot be written: {error.strerror}; give a file in a folder that exists"
        ) from error
