"""The command `completion`: each shell that is installed accepts its script, and bash completes with it."""

import argparse
import importlib.util
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.cli import ExitStatus, main
from reactivestreams.cli.arguments import COMMANDS, parser_of_all

SHELLS = {"bash": ["-n"], "zsh": ["-f", "-n"], "fish": ["--no-execute"]}
"""The shells, and the options with which they read a script without running it."""

# What bash does when somebody presses the tabulator after these words.
COMPLETE_IN_BASH = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
[[ $(complete -p reactivestreams) =~ -F\\ ([^ ]+) ]]
"${BASH_REMATCH[1]}" reactivestreams "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    pytest.importorskip("shtab")
    assert main(["completion", request.param]) == ExitStatus.SUCCESS
    path = tmp_path / f"completion.{request.param}"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def completed_by_bash(script: Path, *words: str) -> set[str]:
    command = ["bash", "-c", COMPLETE_IN_BASH, "bash", str(script), "reactivestreams", *words]
    done = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("script", "shell"),
    [
        pytest.param(
            shell, shell, marks=pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not installed")
        )
        for shell in SHELLS
    ],
    indirect=["script"],
)
def test_the_shell_accepts_its_script(script: Path, shell: str) -> None:
    done = subprocess.run([shell, *SHELLS[shell], str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("script", ["bash"], indirect=True)
def test_bash_completes_commands_actions_options_choices_and_files(script: Path) -> None:
    assert completed_by_bash(script, "") >= set(COMMANDS)
    assert completed_by_bash(script, "gr") == {"graph"}
    assert completed_by_bash(script, "engine", "") == {"run", "status", "top", "upgrade"}
    assert completed_by_bash(script, "--ver") == {"--version"}
    assert completed_by_bash(script, "tck", "--kind", "pro") == {"processor"}
    (script.parent / "streams.py").touch()
    assert completed_by_bash(script, "graph", "stre") == {"streams.py"}


@pytest.mark.parametrize("script", list(SHELLS), indirect=True)
def test_the_script_has_each_option_of_each_command(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    options = set(options_of(parser_of_all()))
    assert {"--version", "--no-cancels-upstream", "--interval-seconds"} <= options
    assert {option for option in options if option.removeprefix("--") not in text} == set()


def options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from (option for option in action.option_strings if option.startswith("--"))
        if isinstance(action.choices, dict):
            for below in action.choices.values():
                yield from options_of(below)


def test_without_the_package_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def find_spec(name: str, *_: Any) -> Any:
        return None

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    assert main(["completion", "bash"]) == ExitStatus.FAILURE
    assert (
        'needs shtab, which is not installed; run: pip install "reactive-streams-core[cli]"' in capsys.readouterr().err
    )


def test_a_shell_without_a_script_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "ksh"]) == ExitStatus.USAGE
    assert "invalid choice: 'ksh'" in capsys.readouterr().err
