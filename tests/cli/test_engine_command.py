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
    assert done.stderr.startswith("running 3 artifacts over SqliteStore('state.db')\nstopped after checkpoint ")
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


NEXT_RELEASE = """
    from reactivestreams.engine import AppendedFile, SqliteTable, factories

    def renamed(version, arguments):
        return {"file": arguments["path"], "follow": arguments["follow"]}

    @factories.register("cli/log", version=2, migrate=renamed)
    def new_log(engine, *, file, follow):
        return AppendedFile(file, follow=follow)

    @factories.register("cli/table")
    def new_table(engine):
        return SqliteTable("lengths", ["length"])

    @factories.register("cli/lengths")
    def new_lengths(engine, *, source):
        return engine.stream(source).map(len).skip(0)

    def define(engine):
        raise AssertionError("a rehearsal defines nothing")
"""


@pytest.mark.slow
def test_upgrade_is_rehearsed_without_writing(folder: Path) -> None:
    def rehearsed(app: str, status: int) -> list[dict[str, Any]]:
        done = subprocess.run(
            command("upgrade", "--dry-run", app, "--json"),
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        artifacts: list[dict[str, Any]] = json.loads(done.stdout)["artifacts"]
        return artifacts

    subprocess.run(command("run", "app.py", "--until-ended"), env=environment(), check=True, capture_output=True)
    before = (folder / "state.db").read_bytes()
    assert [each["outcome"] for each in rehearsed("app.py", 0)] == ["same", "same", "same"]
    (folder / "next.py").write_text(textwrap.dedent(NEXT_RELEASE))
    (folder / "in.log").unlink()  # no ingress is opened
    log, table, lengths = rehearsed("next.py", 1)
    assert (log["outcome"], log["stored_version"], log["version"]) == ("migrated", 1, 2)
    assert log["new_arguments"] == {"file": "'in.log'", "follow": "False"}
    assert table["outcome"] == "same"
    assert lengths["outcome"] == "failed"
    assert (folder / "state.db").read_bytes() == before
    printed = subprocess.run(
        command("upgrade", "--dry-run", "next.py"), env=environment(), capture_output=True, text=True, check=False
    ).stdout
    assert "become {'file': 'in.log', 'follow': False}" in printed


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM")
def test_top_shows_what_a_running_engine_does(folder: Path) -> None:
    def top(*arguments: str) -> str:
        done = subprocess.run(
            command("top", "--once", "--interval-seconds", "0.01", *arguments),
            env=environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    with subprocess.Popen(
        command("run", "app.py:for_ever", "--checkpoint-seconds", "0.05"), env=environment(), stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"running 3 artifacts")
        facts = {}
        while not (facts.get("last_checkpoint") and facts["artifacts"][1]["figures"]["elements"] == 3):
            if (folder / "state.db.live").exists():
                facts = json.loads(top("--json"))
        assert (facts["process"], facts["failed_checkpoints"]) == (process.pid, 0)
        assert [each["id"] for each in facts["artifacts"]] == ["log", "table", "lengths"]
        assert facts["artifacts"][0]["figures"]["elements"] == 3
        printed = top()
        assert f"process {process.pid}: " in printed
        assert "ms of them paused" in printed
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert not (folder / "state.db.live").exists()


def test_top_without_an_engine_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["engine", "top", "--store", "state.db"]) == ExitStatus.USAGE
    assert "no engine runs here: there is no file state.db.live" in capsys.readouterr().err
    (folder / "state.db.live").write_text('{"process": 7, "time": 5}')
    assert main(["engine", "top", "--store", "state.db"]) == ExitStatus.USAGE
    assert "the engine of process 7 has said nothing for " in capsys.readouterr().err


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


@pytest.mark.slow
def test_store_in_postgresql_is_run_and_looked_into(
    folder: Path, conninfo: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from psycopg.conninfo import conninfo_to_dict

    server = conninfo_to_dict(conninfo)
    place = f"postgresql://{server['user']}@{server['host']}:{server['port']}/{server['dbname']}"
    in_schema = [place, "--schema", "lengths"]
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    (folder / "app.py").write_text(
        textwrap.dedent(APP)
        .replace('SqliteTable("lengths", ["length"])', 'JsonLinesFolder("out")')
        .replace("SqliteTable", "JsonLinesFolder")
    )
    run = [sys.executable, "-m", "reactivestreams", "engine", "run", "app.py:for_ever", "--store", *in_schema]
    with subprocess.Popen(run, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline() == "running 3 artifacts over PostgresStore(schema='lengths')\n"
            while not [*folder.glob("reactivestreams-*/engine-*.live")]:
                assert process.poll() is None
            top = ["engine", "top", "--once", "--interval-seconds", "0.1", "--json", "--store"]
            assert main([*top, *in_schema]) == ExitStatus.SUCCESS
            assert json.loads(capsys.readouterr().out)["process"] == process.pid
            while not (facts := status(capsys, in_schema))["checkpoints"]:
                assert process.poll() is None
            assert [each["id"] for each in facts["artifacts"]] == ["log", "table", "lengths"]
            assert main(["state", "ls", *in_schema, "--json"]) == ExitStatus.SUCCESS  # while the engine runs
            listed = json.loads(capsys.readouterr().out)["artifacts"]
            assert [each["id"] for each in listed] == ["log", "table", "lengths"]
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            process.kill()
    for action in (["show", place, "lengths", *in_schema[1:]], ["verify", *in_schema], ["export", *in_schema]):
        assert main(["state", *action]) == ExitStatus.SUCCESS
        assert capsys.readouterr().out
    upgrade = [*run[:4], "upgrade", "app.py:for_ever", "--dry-run", "--store", *in_schema]
    assert subprocess.run(upgrade, env=environment(), capture_output=True, check=True).stdout

    assert main(["state", "ls", place, "--schema", "absent"]) == ExitStatus.FAILURE
    assert "PostgresStore(schema='absent') is not the store of an engine" in capsys.readouterr().err
    nowhere = "postgresql://127.0.0.1:1/postgres"
    assert main(["engine", "status", "--store", nowhere]) == ExitStatus.FAILURE
    assert "cannot be read as a store" in capsys.readouterr().err


def status(capsys: pytest.CaptureFixture[str], store: list[str]) -> Any:
    """Return what the action `status` prints about a store."""
    assert main(["engine", "status", "--json", "--store", *store]) == ExitStatus.SUCCESS
    return json.loads(capsys.readouterr().out)
