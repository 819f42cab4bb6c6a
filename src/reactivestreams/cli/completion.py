"""The command `completion`: prints what lets a shell complete the commands, options and files of `reactivestreams`."""

import argparse
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from reactivestreams.cli.arguments import SCRIPT, parser_of_all
from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.errors import MissingExtraError

__all__ = ["register", "run"]

SHELLS = {
    "bash": f'eval "$({SCRIPT} completion bash)"',
    "zsh": f'eval "$({SCRIPT} completion zsh)"',
    "fish": f"{SCRIPT} completion fish | source",
}
"""The shells, and the line of their start-up file that loads the completion."""

PATHS = frozenset(("APP", "CHECKPOINT", "FILE", "NAME", "OTHER", "PATH", "PLACE", "STORE", "SUBJECT"))
"""What stands in the help for an argument that is a file, or may begin with one."""

DESCRIPTION = """\
Print a script that lets a shell complete the commands, options and files of the installed command `reactivestreams`. It
is made of the parser itself, by the package shtab of the extra cli. Print it again after an update."""


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    lines = "\n".join(f"  {shell:<5} {line}" for shell, line in SHELLS.items())
    parser = subparsers.add_parser(
        "completion",
        help="print the completion of this command for a shell",
        description=DESCRIPTION,
        epilog=f"the line for the start-up file of the shell:\n{lines}\n\nzsh needs compinit before it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=tuple(SHELLS), help="the shell")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    MissingExtraError.unless_installed("shtab", extra="cli", purpose="the completion of a shell")
    shtab: Any = import_module("shtab")
    parser = parser_of_all()
    for each in _parsers_from(parser):
        each.description = (each.description or "").partition(". ")[0]  # shells show it in the line of the command
        for action in _actions_of(each):
            if action.type is Path or action.metavar in PATHS:
                action.complete = shtab.FILE
    print(shtab.complete(parser, args.shell))
    return ExitStatus.SUCCESS


def _parsers_from(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield a parser and all below it."""
    yield parser
    for action in _actions_of(parser):
        if hasattr(action.choices, "values"):  # the parsers of commands or actions by name
            for below in action.choices.values():
                yield from _parsers_from(below)


def _actions_of(parser: argparse.ArgumentParser) -> list[Any]:
    """Return the arguments of a parser, for which argparse has no public name."""
    return list[Any](parser._actions)  # pyright: ignore[reportPrivateUsage]
