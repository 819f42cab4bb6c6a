"""The frame of the command line: help, unknown commands, errors, exit statuses."""

import argparse
import json
import os
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

import reactivestreams
from reactivestreams.cli import ExitStatus, main
from reactivestreams.cli.arguments import COMMANDS, Command

SOURCES = str(Path(reactivestreams.__file__).parents[1])
ENVIRONMENT = {**os.environ, "PYTHONPATH": SOURCES}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "reactivestreams", *arguments]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[argparse.Namespace], int]], None]:
    """Add a command `probe` that does what the test says."""

    def add(run: Callable[[argparse.Namespace], int]) -> None:
        module = types.ModuleType("probe_command")
        module.run = run  # type: ignore[attr-defined]
        module.register = lambda subparsers: subparsers.add_parser("probe")  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "probe_command", module)
        monkeypatch.setitem(COMMANDS, "probe", Command("probe_command", "fail on purpose"))

    return add


def test_the_module_runs_as_a_program() -> None:
    done = run("version", "--json")
    assert done.returncode == ExitStatus.SUCCESS
    assert json.loads(done.stdout)["version"] == reactivestreams.__version__
    assert done.stderr == ""


def test_an_unknown_command_is_refused_with_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docter"]) == ExitStatus.USAGE
    assert capsys.readouterr().err.strip() == (
        "python -m reactivestreams: error: unknown command 'docter'; did you mean 'doctor'?"
    )


def test_an_unknown_command_without_a_near_one_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["x"]) == ExitStatus.USAGE
    known = "there are bench, completion, demo, doctor, engine, graph, replay, state, tck, top, version\n"
    assert capsys.readouterr().err.endswith(known)


def test_an_unknown_option_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version", "--jason"]) == ExitStatus.USAGE
    assert "unrecognized arguments: --jason" in capsys.readouterr().err


def test_without_a_command_the_help_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == ExitStatus.USAGE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("usage: python -m reactivestreams")


def test_help_lists_every_command_and_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == ExitStatus.SUCCESS
    printed = " ".join(capsys.readouterr().out.split())
    assert all(f"{name} {command.summary}" in printed for name, command in COMMANDS.items())
    assert all(f"{status.value} {status.meaning}" in printed for status in ExitStatus)


def test_version_is_an_option_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == ExitStatus.SUCCESS
    assert capsys.readouterr().out == f"reactivestreams {reactivestreams.__version__}\n"


def test_help_imports_no_command() -> None:
    program = "import sys; from reactivestreams.cli import main; main(['--help']); print(*sys.modules, sep='\\n')"
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert {command.module for command in COMMANDS.values()} & set(done.stdout.split()) == set()


@pytest.mark.parametrize("name", ["doctor", "version"])
def test_each_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == ExitStatus.SUCCESS
    printed = capsys.readouterr().out
    assert f"usage: python -m reactivestreams {name}" in printed
    assert "--json" in printed
    assert "--debug" in printed


def test_the_status_of_a_command_is_that_of_the_program(probe: Callable[..., None]) -> None:
    probe(lambda args: ExitStatus.FAILURE)
    assert main(["probe"]) == 1


def test_an_error_is_printed_without_traceback(probe: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    def fail(args: argparse.Namespace) -> int:
        error = ValueError("no such file 'x'; name another")
        error.add_note("while reading flights")
        raise error

    probe(fail)
    assert main(["probe"]) == ExitStatus.FAILURE
    assert capsys.readouterr().err.splitlines() == [
        "python -m reactivestreams: error: no such file 'x'; name another",
        "while reading flights",
        "run the command with --debug to see the traceback",
    ]


@pytest.mark.parametrize("arguments", [["--debug", "probe"], ["probe", "--debug"]])
def test_debug_shows_the_traceback(
    arguments: list[str], probe: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(args: argparse.Namespace) -> int:
        raise ValueError("broken")

    probe(fail)
    assert main(arguments) == ExitStatus.FAILURE
    printed = capsys.readouterr().err
    assert printed.startswith("Traceback (most recent call last):")
    assert printed.endswith("ValueError: broken\n")


def test_an_error_without_a_message_is_named(probe: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    def fail(args: argparse.Namespace) -> int:
        raise LookupError

    probe(fail)
    assert main(["probe"]) == ExitStatus.FAILURE
    assert "error: LookupError\n" in capsys.readouterr().err


def test_an_interrupt_has_its_own_status(probe: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(args: argparse.Namespace) -> int:
        raise KeyboardInterrupt

    probe(interrupt)
    assert main(["probe"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_reader_that_goes_away_causes_no_traceback() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-W", "error", "-m", "reactivestreams", "version"]
    done = subprocess.run(command, env=ENVIRONMENT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (ExitStatus.FAILURE, "")
