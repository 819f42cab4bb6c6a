"""Parses the command line, runs the command, and returns its exit status."""

import argparse
import difflib
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.subparsers import Subparsers
from reactivestreams.cli.usage_error import UsageError
from rs_core.version import __version__

__all__ = ["COMMANDS", "PROGRAM", "SCRIPT", "Command", "main", "parser_of_all"]

SCRIPT = "reactivestreams"
"""The command that is installed with the package."""

PROGRAM = f"python -m {SCRIPT}"
"""The same command of a certain interpreter, which is the one to copy from a message."""


class Command(NamedTuple):
    """The module of a command, and a short description."""

    module: str
    summary: str


COMMANDS = {
    "bench": Command("reactivestreams.cli.bench", "measure the elements per second of the main ways on this machine"),
    "completion": Command("reactivestreams.cli.completion", "print the completion of this command for a shell"),
    "demo": Command("reactivestreams.cli.demo", "run one pipeline over real flights, on Spark and here"),
    "doctor": Command("reactivestreams.cli.doctor", "check the installation and show how to repair it"),
    "engine": Command("reactivestreams.cli.engine", "run an engine of long-lived queries, or look into its store"),
    "graph": Command("reactivestreams.cli.graph", "draw the operators and inputs of a stream, as Mermaid or SVG"),
    "replay": Command("reactivestreams.cli.replay", "run a stream again from a record, up to an element"),
    "state": Command("reactivestreams.cli.state", "look into the store of an engine, or a checkpoint of Spark"),
    "tck": Command("reactivestreams.cli.tck", "judge a publisher, subscriber or processor by the rules"),
    "top": Command("reactivestreams.cli.top", "show what the streams of a process do, again and again"),
    "version": Command("reactivestreams.cli.version", "show the versions of the project, its core and the interpreter"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit status, one of `ExitStatus`.

    Example:
        >>> main(["version", "--unknown-option"])
        2
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    name = next((argument for argument in arguments if not argument.startswith("-")), None)
    try:
        status = _refuse(name) if name is not None and name not in COMMANDS else _run(arguments, name)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = ExitStatus.INTERRUPTED
    except BrokenPipeError:
        # The reader of the output is gone; the interpreter must not fail again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = ExitStatus.FAILURE
    except Exception as error:
        status = _report(error, with_traceback="--debug" in arguments)
    return int(status)


def _run(arguments: list[str], name: str | None) -> int:
    parser, subparsers = _parser(PROGRAM)
    for other, command in COMMANDS.items():
        if other != name:
            subparsers.add_parser(other, help=command.summary)
    module: Any = None
    if name is not None:
        module = import_module(COMMANDS[name].module)
        _register(module, name, subparsers)
    try:
        args = parser.parse_args(arguments)
    except SystemExit as end:  # argparse has printed the help or the error
        return ExitStatus.SUCCESS if not end.code else ExitStatus.USAGE
    if module is None:
        parser.print_help(sys.stderr)
        return ExitStatus.USAGE
    status = module.run(args)
    sys.stdout.flush()  # here, so that main can still handle a broken pipe
    return int(status)


_DEBUG: Any = {"action": "store_true", "help": "show the traceback of an error"}


def parser_of_all() -> argparse.ArgumentParser:
    """Return the parser of the installed command with all its commands and their options, for whoever reads it."""
    parser, subparsers = _parser(SCRIPT)
    for name, command in COMMANDS.items():
        _register(import_module(command.module), name, subparsers)
    return parser


def _register(module: Any, name: str, subparsers: Subparsers) -> None:
    module.register(subparsers)
    subparsers.choices[name].add_argument("--debug", **_DEBUG, default=argparse.SUPPRESS)


def _parser(program: str) -> tuple[argparse.ArgumentParser, Subparsers]:
    statuses = "\n".join(f"  {status.value:>3}  {status.meaning}" for status in ExitStatus)
    parser = argparse.ArgumentParser(
        prog=program,
        description="Reactive Streams for Python.",
        epilog=f"exit status:\n{statuses}\n\n'{program} <command> --help' shows the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--debug", **_DEBUG)
    parser.add_argument(
        "--version", action="version", version=f"{SCRIPT} {__version__}", help="show the version of the project and end"
    )
    return parser, parser.add_subparsers(title="commands", metavar="<command>", dest="command")


def _refuse(name: str) -> int:
    near = difflib.get_close_matches(name, COMMANDS, n=1)
    remedy = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(COMMANDS)}"
    print(f"{PROGRAM}: error: unknown command {name!r}; {remedy}", file=sys.stderr)
    return ExitStatus.USAGE


def _report(error: Exception, *, with_traceback: bool) -> int:
    status = ExitStatus.USAGE if isinstance(error, UsageError) else ExitStatus.FAILURE
    if with_traceback:
        traceback.print_exception(error)
        return status
    print(f"{PROGRAM}: error: {str(error) or type(error).__name__}", file=sys.stderr)
    for note in getattr(error, "__notes__", ()):
        print(note, file=sys.stderr)
    print("run the command with --debug to see the traceback", file=sys.stderr)
    return status
