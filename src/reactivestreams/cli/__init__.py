"""The command line, `python -m reactivestreams <command>`: one file per command.

A command is a module with two functions, and one line in `COMMANDS`:

- `register(subparsers)` adds its parser, `subparsers.add_parser(name, ...)`, and the options to it;
- `run(args)` executes the command with the parsed options and returns an `ExitStatus` (or the number).

Only the module of the command that is run is imported, so `--help` stays quick and no command needs the optional
packages of another. `main` adds `--debug` to every command and turns an exception of `run` into a message and a status.
This package uses nothing from `reactivestreams/__init__.py`: `doctor` must run even if another distribution has
replaced that file.
"""

from reactivestreams.cli.arguments import main
from reactivestreams.cli.exit_status import ExitStatus

__all__ = ["ExitStatus", "main"]
