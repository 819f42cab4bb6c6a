"""The command `graph`: draws the operators of a stream with all its inputs, without running it."""

import argparse
from pathlib import Path

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.loaded_stream import loaded_stream
from reactivestreams.cli.output import write_picture
from reactivestreams.cli.subparsers import Subparsers

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

    drawn = loaded_stream(args.subject, purpose="a graph is drawn of")
    is_svg = args.format == "svg" if args.format else args.out is not None and args.out.suffix == ".svg"
    text = tree_svg(drawn) if is_svg else tree_text(drawn)
    if args.out is None:
        print(text)
    else:
        write_picture(args.out, text, option="--out")
    return ExitStatus.SUCCESS
