"""The command `state` on the store of an engine: list, show, compare, verify, export."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.cli import ExitStatus, main
from reactivestreams.cli.store_state import plain
from reactivestreams.engine import Engine, FactoryRegistry, PushInput, SqliteStore, SqliteTable
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler

registry = FactoryRegistry()
registry.register("cli/in")(lambda engine: PushInput())
registry.register("cli/totals")(lambda engine, source: engine.stream(source).scan(lambda total, n: total + n, 0))
registry.register("cli/table")(lambda engine: SqliteTable("totals", ["total"]))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two checkpoints: the total is 5 in the first and 12 in the second."""
    path = tmp_path_factory.mktemp("store") / "state.db"
    clock = VirtualTime()
    scheduler = VirtualTimeScheduler(clock)
    engine = Engine(SqliteStore(path), scheduler=scheduler, checkpoint_every=None, registry=registry).start()
    engine.define("in", "cli/in")
    engine.define("table", "cli/table")
    engine.define("totals", "cli/totals", source="in", into="table")
    for numbers in ((2, 3), (7,)):
        engine.push("in", *numbers)
        clock.advance_to(clock.ticks + 1_000_000)
        engine.checkpoint()
    engine.unload()
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: object, status: int = ExitStatus.SUCCESS) -> str:
    assert main(["state", *map(str, arguments)]) == status
    return capsys.readouterr().out


def facts(capsys: pytest.CaptureFixture[str], *arguments: object, status: int = ExitStatus.SUCCESS) -> Any:
    return json.loads(printed(capsys, *arguments, "--json", status=status))


def test_artifacts_are_listed_with_their_states(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = facts(capsys, "ls", stored)["artifacts"]
    assert [(each["id"], each["kind"], each["factory"], each["checkpoint"]) for each in listed] == [
        ("in", "ingress", "cli/in", 2),
        ("table", "egress", "cli/table", 2),
        ("totals", "query", "cli/totals", 2),
    ]
    assert "cli/totals" in printed(capsys, "ls", stored)


def test_state_is_shown_as_each_kept_checkpoint_has_it(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def total(*arguments: str) -> str:
        records = facts(capsys, "show", stored, "totals", *arguments)["records"]
        (scan,) = [each for each in records if each["operator"] == "rx://operators/scan"]
        return str(scan["fields"])

    assert "12" in total()
    assert "5" in total("--checkpoint", "1")
    assert "rx://operators/scan" in printed(capsys, "show", stored, "totals")


def test_fields_that_differ_between_checkpoints_are_shown(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "diff", stored)
    assert (found["before"], found["after"]) == (1, 2)
    scans = [each for each in found["differences"] if each["operator"] == "rx://operators/scan"]
    assert [(each["artifact"], each["before"], each["after"]) for each in scans] == [("totals", "5", "12")]
    assert facts(capsys, "diff", stored, "--before", "2", "--after", "2")["differences"] == []
    assert "from checkpoint 1 to checkpoint 2: " in printed(capsys, "diff", stored)


def test_store_is_compared_with_a_backup(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    backup = tmp_path / "backup.db"
    source, target = sqlite3.connect(stored), sqlite3.connect(backup)
    source.backup(target)
    source.close()
    target.execute("DELETE FROM state WHERE artifact = 'totals'")
    target.commit()
    target.close()
    found = facts(capsys, "diff", stored, backup)["differences"]
    assert {(each["artifact"], each["after"]) for each in found} == {("totals", None)}


def test_states_are_exported_as_lines_of_json(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in printed(capsys, "export", stored).splitlines()]
    assert list(rows[0]) == ["artifact", "kind", "checkpoint", "record", "operator", "version", "field", "value"]
    assert [row["value"] for row in rows if row["operator"] == "rx://operators/scan"][-1] == 12
    printed(capsys, "export", stored, "--out", tmp_path / "rows.jsonl", "--checkpoint", 2)
    assert [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()] == rows


def test_states_are_exported_as_arrow(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra arrow is not installed")
    printed(capsys, "export", stored, "--format", "arrow", "--out", tmp_path / "rows.arrow")
    with arrow.memory_map(str(tmp_path / "rows.arrow")) as source:
        table = arrow.ipc.open_file(source).read_all()
    rows = [json.loads(line) for line in printed(capsys, "export", stored).splitlines()]
    assert [{**row, "value": json.loads(row["value"])} for row in table.to_pylist()] == rows


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, [None, True]), [1, [None, True]]),
        ({"a": b"x", 2: 0.5}, {"a": "b'x'", "2": 0.5}),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ({1}, "{1}"),
    ],
)
def test_what_json_has_not_is_exported_as_text(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_damage_is_found(stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "verify", stored) == "nothing is damaged\n"
    damaged = tmp_path / "damaged.db"
    source, target = sqlite3.connect(stored), sqlite3.connect(damaged)
    source.backup(target)
    source.close()
    target.execute("UPDATE state SET snapshot = substr(snapshot, 1, 40) WHERE artifact = 'in'")
    target.execute("UPDATE artifact SET arguments = X'00' WHERE id = 'table'")
    target.commit()
    target.close()
    findings = facts(capsys, "verify", damaged, status=ExitStatus.FAILURE)["findings"]
    assert len(findings) == 2
    assert findings[0].startswith("the state of in: ")
    assert findings[1].startswith("the definition of table: ")


def test_names_and_numbers_that_are_not_there_are_refused(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*arguments: object) -> str:
        assert main(["state", *map(str, arguments)]) in (ExitStatus.USAGE, ExitStatus.FAILURE)
        return capsys.readouterr().err

    assert "there is no file" in refused("ls", tmp_path / "missing.db")
    assert "there is no artifact 'total'; there are in, table, totals" in refused("show", stored, "total")
    assert "give the id of an artifact, too; there are in, table, totals" in refused("show", stored)
    assert "checkpoint 7 is not kept; there are 2, 1" in refused("show", stored, "in", "--checkpoint", "7")
    assert "give its name with --out FILE" in refused("export", stored, "--format", "arrow")
    (tmp_path / "other").write_text("text")
    assert "cannot be read as a store" in refused("verify", tmp_path / "other")
