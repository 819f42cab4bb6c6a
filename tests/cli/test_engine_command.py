"""The command `engine`: runs an application, ends when it is told, and shows what is stored."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.cli import ExitStatus, main

APP = """
    from reactivestreams.engine import AppendedFile, SqliteTable, factories

    @factories.register("cli/log")
    def log(engine, *, path, follow):
        return AppendedFile(path, follow=follow)

    @factories.register("cli/table")
    def table(engine):
        return SqliteTable("lengths", ["length"])

    @factories.register("cli/lengths")
    def lengths(engine, *, source):
        return engine.stream(source).map(len)

    def define(engine, follow=False):
        engine.define("log", log, path="in.log", follow=follow)
        engine.define("table", table)
        engine.define("lengths", lengths, source="log", into="table")

    def for_ever(engine):
        define(engine, follow=True)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "app.py").write_text(textwrap.dedent(APP))
    (tmp_path / "in.log").write_text("a\nbb\nccc\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "reactivestreams", "engine", *arguments, "--store", "state.db"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def rows() -> list[Any]:
    connection = sqlite3.connect("state.db")
    try:
        return [row[0] for row in connection.execute("SELECT length FROM lengths ORDER BY rowid")]
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


@pytest.mark.slow
def test_application_runs_until_it_has_ended_and_its_store_is_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = subprocess.run(
        command("run", "app.py", "--until-ended"),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("running 3 artifacts over state.db\nstopped after checkpoint ")
    assert rows() == [1, 2, 3]

    assert main(["engine", "status", "--store", "state.db", "--json"]) == ExitStatus.SUCCESS
    facts = json.loads(capsys.readouterr().out)
    assert [(each["id"], each["kind"], each["into"]) for each in facts["artifacts"]] == [
        ("log", "ingress", None),
        ("table", "egress", None),
        ("lengths", "query", "table"),
    ]
    assert facts["artifacts"][0]["arguments"] == {"path": "'in.log'", "follow": "False"}
    assert facts["checkpoints"][0]["number"] >= 1

    assert main(["engine", "status", "--store", "state.db"]) == ExitStatus.SUCCESS
    printed = capsys.readouterr().out
    assert "cli/lengths" in printed
    assert "pause (ms)" in printed


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")
def test_sigterm_takes_a_last_checkpoint(folder: Path) -> None:
    with subprocess.Popen(
        command("run", "app.py:for_ever", "--checkpoint-seconds", "3600"), env=environment(), stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"running 3 artifacts")
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr.readline().startswith(b"stopped after checkpoint 1")
    assert rows() == [1, 2, 3][: len(rows())]


def test_files_and_names_that_are_not_there_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(*arguments: str) -> str:
        assert main(["engine", *arguments]) in (ExitStatus.USAGE, ExitStatus.FAILURE)
        return capsys.readouterr().err

    assert "there is no file missing.db" in refused("status", "--store", "missing.db")
    assert "cannot be read as a store" in refused("status", "--store", "app.py")
    assert "there is no file missing.py" in refused("run", "missing.py", "--store", "state.db")
    assert "app.py has no nothing" in refused("run", "app.py:nothing", "--store", "state.db")
    assert "is not above 0" in refused("run", "app.py", "--checkpoint-seconds", "0", "--store", "state.db")
    assert "usage:" in refused("run", "app.py")
    assert not (folder / "state.db").exists()
